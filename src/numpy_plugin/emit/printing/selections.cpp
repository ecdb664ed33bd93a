// Branches that only choose values of locals or of an element, as selections: nothing is predicted.
#include <map>
#include <utility>

#include "numpy_plugin/analysis/scalar_loops.hpp"
#include "numpy_plugin/base/text.hpp"
#include "numpy_plugin/emit/printing/statement.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;

namespace {

// "npp::scalar_choose_less(right, left, value, name)", which is value where left > right;
// "npp::scalar_if_less(left, right)", which is left where left < right, else right.
std::string chosen_by(Operation comparison, std::string_view left, std::string_view right,
                      std::string_view value, std::string_view name) {
  if (comparison == Operation::kGreater || comparison == Operation::kGreaterEqual)
    std::swap(left, right);
  if (comparison == Operation::kNotEqual) std::swap(value, name);
  const bool is_strict = comparison == Operation::kLess || comparison == Operation::kGreater;
  const bool is_equality = comparison == Operation::kEqual || comparison == Operation::kNotEqual;
  if (is_strict && value == left && name == right)
    return format("npp::scalar_if_less({}, {})", left, right);
  if (is_strict && value == right && name == left)
    return format("npp::scalar_if_greater({}, {})", right, left);
  return format("npp::scalar_choose_{}({}, {}, {}, {})",
                is_equality ? "equal"
                : is_strict ? "less"
                            : "less_equal",
                left, right, value, name);
}

// Whether a selection of such values compares by itself, with no need of the truth in between: of
// integers by integers, or of numbers of the type that is compared.
bool compares(const Expression& condition, const declare::ValueType& selected) {
  if (!analysis::is_comparison(condition)) return false;
  const declare::ValueType& type = condition.operands[0].type;
  return type == selected || (base::is_integer(type.dtype) && base::is_integer(selected.dtype));
}

// Whether a number that is compared is the same in each assignment of the branches that reads it,
// and in the only one that gives it another value.
bool is_kept(const Statement& statement, const Expression& compared) {
  const auto local = declare::read_local(compared);
  if (!local) return true;
  int n_assigned = 0;
  bool is_read_then = false;
  const auto look = [&](const Statement& each) {
    is_read_then |= n_assigned > 0 && analysis::is_mentioned(*each.value, *local);
    n_assigned += each.kind == StatementKind::kAssign && each.local == *local;
  };
  declare::visit_statements(statement.body, look);
  declare::visit_statements(statement.orelse, look);
  return n_assigned <= 1 && !is_read_then;
}

bool all_compare(const Statement& statement) {
  bool found_other = false;
  const auto look = [&](const Statement& each) {
    found_other |= each.kind != StatementKind::kIf && !compares(*statement.value, each.value->type);
  };
  declare::visit_statements(statement.body, look);
  declare::visit_statements(statement.orelse, look);
  return !found_other;
}

}  // namespace

// A branch may declare locals of its own, which a selection would not have.
bool StatementPrinter::is_selection(const Statement& statement) const {
  if (!scope_.is_scalar || !analysis::is_selection(statement, *loop_)) return false;
  bool declares = false;
  const auto look = [&](const Statement& each) {
    declares |= declarations_.declaring.contains(&each) || declarations_.before.contains(&each);
  };
  declare::visit_statements(statement.body, look);
  declare::visit_statements(statement.orelse, look);
  return !declares;
}

// A local keeps its value where the condition is false.
void StatementPrinter::selection(const Statement& statement) {
  line("{");
  indent_ += 2;
  choose(statement, [](const auto&, const std::string& value, const auto&) { return value; });
  indent_ -= 2;
  line("}");
}

bool StatementPrinter::is_selected_store(const Statement& statement) const {
  return scope_.is_scalar && analysis::is_selected_store(statement, *loop_);
}

void StatementPrinter::selected_store(const Statement& statement) {
  const Statement& store = statement.body.front();
  line("{");
  indent_ += 2;
  const Choice choice = choice_of(statement);
  line(format("{} = {};",
              expressions_.element(store.local, expressions_.print(store.indices), store.exception),
              choice(store.value->type, expressions_.print(*store.value),
                     expressions_.print(*statement.orelse.front().value))));
  indent_ -= 2;
  line("}");
}

Choice StatementPrinter::choice_of(const Statement& statement) {
  const Expression& condition = *statement.value;
  std::string left, right;
  std::map<std::string, std::string> names;  // of what is compared, by its expression
  if (analysis::is_comparison(condition)) {
    const auto texts = expressions_.print(condition.operands);
    left = scope_.names.add("left"), right = scope_.names.add("right");
    for (const std::size_t i : {0u, 1u}) {
      if (is_kept(statement, condition.operands[i])) names[texts[i]] = i == 0 ? left : right;
    }
    line(format("const {} {} = {}, {} = {};", cpp_type(condition.operands[0].type), left, texts[0],
                right, texts[1]));
  }
  const std::string name = all_compare(statement) ? "" : scope_.names.add("is_chosen");
  if (!name.empty()) {
    line(format("const bool {} = {};", name,
                left.empty()
                    ? whole(condition)
                    : format("{}({}, {})", expressions_.function_name(condition), left, right)));
  }
  return [=, &condition](const declare::ValueType& type, const std::string& value,
                         const std::string& other) {
    if (compares(condition, type)) {
      const auto named = [&](const std::string& text) {
        const auto found = names.find(text);
        return found == names.end() ? text : found->second;
      };
      return chosen_by(detail<Operation>(condition), left, right, named(value), named(other));
    }
    return format("npp::scalar_choose<{}>({}, {}, {})", cpp_type(type), name, value, other);
  };
}

// Assignments of both branches, one after another: `outer` chooses where the statement itself is in
// a branch.
void StatementPrinter::choose(const Statement& statement, const Choice& outer) {
  const Choice choice = choice_of(statement);
  using Text = std::string;
  choose(statement.body, [&](const auto& type, const Text& value, const Text& name) {
    return outer(type, choice(type, value, name), name);
  });
  choose(statement.orelse, [&](const auto& type, const Text& value, const Text& name) {
    return outer(type, choice(type, name, value), name);
  });
}

void StatementPrinter::choose(std::span<const Statement> branch, const Choice& choice) {
  for (const Statement& each : branch) {
    place(each);
    if (each.kind == StatementKind::kIf) {
      choose(each, choice);
      continue;
    }
    const std::string& name = scope_.locals.at(static_cast<std::size_t>(each.local));
    const std::string value = expressions_.print(*each.value);
    line(format("{} = {};", name, choice(each.value->type, value, name)));
  }
}

}  // namespace numpy_plugin::emit
