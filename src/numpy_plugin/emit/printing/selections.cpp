// Branches that only choose values of locals, as selections: nothing is predicted.
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

// "npp::scalar_choose_less(right, left, value, name)", which is value where left > right.
std::string chosen_by(Operation comparison, std::string_view left, std::string_view right,
                      std::string_view value, std::string_view name) {
  if (comparison == Operation::kGreater || comparison == Operation::kGreaterEqual)
    std::swap(left, right);
  if (comparison == Operation::kNotEqual) std::swap(value, name);
  const bool is_strict = comparison == Operation::kLess || comparison == Operation::kGreater;
  const bool is_equality = comparison == Operation::kEqual || comparison == Operation::kNotEqual;
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

bool all_compare(const Statement& statement) {
  bool found_other = false;
  const auto look = [&](const Statement& each) {
    found_other |=
        each.kind == StatementKind::kAssign && !compares(*statement.value, each.value->type);
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

Choice StatementPrinter::choice_of(const Statement& statement) {
  const Expression& condition = *statement.value;
  std::string left, right;
  if (analysis::is_comparison(condition)) {
    const auto& operands = condition.operands;
    left = scope_.names.add("left"), right = scope_.names.add("right");
    line(format("const {} {} = {}, {} = {};", cpp_type(operands[0].type), left,
                expressions_.print(operands[0]), right, expressions_.print(operands[1])));
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
    if (compares(condition, type))
      return chosen_by(detail<Operation>(condition), left, right, value, other);
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
