#include "numpy_plugin/infer/core/scope.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace numpy_plugin::declare {

namespace {

// Whether a pass found again what it took for a variable's least value; more is no harm.
bool has_its_least(const Variable& entry) { return !(entry.least_now < entry.least); }

}  // namespace

Variable& Scope::add_variable(const std::string& name, int version) {
  const auto [position, is_new] =
      indices_.try_emplace({name, version}, static_cast<int>(variables.size()));
  if (is_new) variables.emplace_back().name = name;
  return variable(position->second);
}

void Scope::add_parameter(const std::string& name) {
  Variable& added = add_variable(name, 0);
  added.is_parameter = true;
  ++added.n_targets;
}

void Scope::add(const SyntaxNode& target, bool is_augmented) {
  Variable& added = add_variable(target.text, target.version);
  if (!is_augmented) ++added.n_targets;
  added.is_augmented |= is_augmented;
}

int Scope::find(const SyntaxNode& node) const {
  if (node.kind != SyntaxKind::kName) return -1;
  const auto found = indices_.find({node.text, node.version});
  return found == indices_.end() ? -1 : found->second;
}

int Scope::find_parameter(std::string_view name) const {
  for (std::size_t i = 0; i < variables.size() && variables[i].is_parameter; ++i) {
    if (variables[i].name == name) return static_cast<int>(i);
  }
  return -1;
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
  return n_copied == changed_inputs.size() &&
         std::all_of(variables.begin(), variables.end(), [](const Variable& entry) {
           return entry.before == entry.now && entry.might_be_argument == entry.may_be_argument &&
                  entry.was_checked == entry.is_checked && has_its_least(entry);
         });
}

}  // namespace numpy_plugin::declare
