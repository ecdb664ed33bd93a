// One pass in execution order, with the set of locals assigned on every path so far.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

// Locals assigned on every path to a place; nullopt where it is unreachable.
using Assigned = std::optional<std::set<int>>;

Assigned join(const Assigned& first, const Assigned& second) {
  if (!first) return second;
  if (!second) return first;
  std::set<int> both;
  std::set_intersection(first->begin(), first->end(), second->begin(), second->end(),
                        std::inserter(both, both.end()));
  return both;
}

class CarriedLocalSearch {
 public:
  CarriedLocalSearch(const declare::Function& function, const Block& body)
      : function_(function), body_(body) {}

  std::vector<int> run() {
    block(body_, std::set<int>{});
    return found_;
  }

 private:
  Assigned block(const Block& statements, Assigned assigned) {
    for (const Statement& each : statements) {
      if (!assigned) break;  // unreachable
      assigned = statement(each, std::move(assigned));
    }
    return assigned;
  }

  Assigned statement(const Statement& statement, Assigned assigned) {
    for (const Expression& bound : statement.range) read(bound, *assigned);
    for (const Expression& index : statement.indices) read(index, *assigned);
    if (statement.value) read(*statement.value, *assigned);
    switch (statement.kind) {
      case StatementKind::kAssign:
        assigned->insert(statement.local);
        return assigned;
      case StatementKind::kStore:
        use(statement.local, *assigned);
        return assigned;
      case StatementKind::kEvaluate:
        return assigned;
      case StatementKind::kIf:
        return join(block(statement.body, assigned), block(statement.orelse, assigned));
      case StatementKind::kWhile:
        block(statement.body, assigned);
        return assigned;  // as after zero trips
      case StatementKind::kForRange: {
        Assigned in_body = assigned;
        in_body->insert(statement.local);
        block(statement.body, std::move(in_body));
        return assigned;
      }
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kReturn:
      case StatementKind::kRaise:
        return {};
    }
    base::fail_assertion("the statement has a known kind", __FILE__, __LINE__, "");
  }

  void read(const Expression& expression, const std::set<int>& assigned) {
    if (const auto local = declare::named_local(expression)) use(*local, assigned);
    for (const Expression& operand : expression.operands) read(operand, assigned);
  }

  // A local array is carried unless every iteration creates its own.
  void use(int local, const std::set<int>& assigned) {
    const auto index = static_cast<std::size_t>(local);
    const bool is_array =
        index >= function_.n_parameters &&
        function_.locals[index].storage.kind == declare::ArrayStorage::Kind::kLocal;
    if ((is_array || is_assigned(body_, local)) && !assigned.contains(local))
      found_.push_back(local);
  }

  const declare::Function& function_;
  const Block& body_;
  std::vector<int> found_;
};

}  // namespace

std::vector<int> find_carried_locals(const declare::Function& function, const Block& body) {
  return CarriedLocalSearch(function, body).run();
}

}  // namespace numpy_plugin::analysis
