#include "numpy_plugin/infer/core/scope.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace numpy_plugin::declare {

namespace {

// Whether a pass found again what it took for a variable's least value; more is no harm.
bool has_its_least(const Variable& entry) { return !(entry.least_now < entry.least); }

}  // namespace

void Scope::add(const std::string& name, bool is_parameter, bool is_augmented) {
  const auto [position, is_new] = indices_.try_emplace(name, static_cast<int>(variables.size()));
  if (is_new) {
    Variable entry;
    entry.name = name;
    entry.is_parameter = is_parameter;
    variables.push_back(std::move(entry));
  }
  if (!is_augmented) ++variable(position->second).n_targets;
  variable(position->second).is_augmented |= is_augmented;
}

void Scope::add_rebinding(int parameter, const SyntaxNode& statement) {
  const std::string name = variable(parameter).name;
  const auto rebound = static_cast<int>(variables.size());
  variables.emplace_back().name = name;
  rebindings_[&statement] = {parameter, rebound};
  indices_[name] = rebound;
}

int Scope::rebound_by(const SyntaxNode& statement) const {
  const auto found = rebindings_.find(&statement);
  return found == rebindings_.end() ? -1 : found->second.variable;
}

void Scope::rebind(const SyntaxNode& statement) {
  const int rebound = rebound_by(statement);
  if (rebound >= 0) indices_[variable(rebound).name] = rebound;
}

int Scope::find(std::string_view name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? -1 : found->second;
}

std::optional<InferredType> Scope::type_of(int index) const {
  const Variable& entry = variable(index);
  if (entry.item) return entry.item->type;
  return entry.before ? entry.before : entry.now;
}

int Scope::local_of(int index) const {
  const auto found = std::find(widened.begin(), widened.end(), index);
  if (found == widened.end()) return index;
  return static_cast<int>(variables.size() + static_cast<std::size_t>(found - widened.begin()));
}

const ArrayStorage& Scope::storage_of(int local) const {
  const auto index = static_cast<std::size_t>(local);
  const std::size_t first_temporary = variables.size() + widened.size();
  return index < variables.size() ? variables[index].storage
                                  : temporaries[index - first_temporary].storage;
}

int Scope::add_temporary(const ValueType& type) {
  temporaries.push_back({"temporary", type, {}});
  return static_cast<int>(variables.size() + widened.size() + temporaries.size()) - 1;
}

void Scope::begin_pass(const std::vector<InferredType>& arguments) {
  temporaries.clear();
  widened.clear();
  reported_names.clear();
  for (const auto& [statement, rebinding] : rebindings_) {
    indices_[variable(rebinding.parameter).name] = rebinding.parameter;
  }
  knows_least = knows_least && std::all_of(variables.begin(), variables.end(), has_its_least);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    Variable& entry = variables[i];
    entry.before = entry.now;
    entry.might_be_argument = entry.may_be_argument;
    entry.now.reset();
    entry.assignments.clear();
    entry.has_error = false;
    entry.is_rounding = false;
    entry.storage = {};
    entry.item.reset();
    entry.least = knows_least ? entry.least_now : std::nullopt;
    entry.least_now.reset();
    entry.number.reset();
    entry.was_checked = entry.is_checked;
    entry.flag.reset();
    entry.origin.reset();
    if (!entry.is_parameter) continue;
    if (entry.before && entry.before != arguments[i]) {
      widened.push_back(static_cast<int>(i));
    } else {
      Origin origin;
      origin.is_declared = true;
      entry.origin = std::make_shared<const Origin>(std::move(origin));
    }
    if (!arguments[i].is_none()) entry.now = arguments[i];
  }
}

bool Scope::is_settled() const {
  return std::all_of(variables.begin(), variables.end(), [](const Variable& entry) {
    return entry.before == entry.now && entry.might_be_argument == entry.may_be_argument &&
           entry.was_checked == entry.is_checked && has_its_least(entry);
  });
}

}  // namespace numpy_plugin::declare
