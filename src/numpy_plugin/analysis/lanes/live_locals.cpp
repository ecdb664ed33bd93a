// Backward analysis on the tree: a loop is repeated until nothing changes.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::Statement;
using declare::StatementKind;
using Locals = std::set<int>;

void add_locals(const Expression& expression, Locals& locals) {
  if (const auto local = declare::named_local(expression)) locals.insert(*local);
  for (const Expression& operand : expression.operands) add_locals(operand, locals);
}

// Live locals where the statements that leave a loop's body continue.
struct LoopExits {
  Locals at_break;
  Locals at_continue;
};

class Analysis {
 public:
  explicit Analysis(LiveLocals& result) : result_(result) {}

  // Returns the locals live before the block.
  Locals block(const Block& statements, Locals live, const LoopExits& exits) {
    for (auto each = statements.rbegin(); each != statements.rend(); ++each) {
      result_.after[&*each] = live;
      live = statement(*each, std::move(live), exits);
    }
    return live;
  }

 private:
  Locals statement(const Statement& statement, Locals live, const LoopExits& exits) {
    switch (statement.kind) {
      case StatementKind::kIf: {
        Locals before = block(statement.body, live, exits);
        before.merge(block(statement.orelse, std::move(live), exits));
        return with_reads(statement, std::move(before));
      }
      case StatementKind::kWhile:
      case StatementKind::kForRange:
        return loop(statement, live);
      case StatementKind::kBreak:
        return exits.at_break;
      case StatementKind::kContinue:
        return exits.at_continue;
      case StatementKind::kReturn:
      case StatementKind::kRaise:
        return with_reads(statement, {});
      case StatementKind::kAssign:
        live.erase(statement.local);
        return with_reads(statement, std::move(live));
      case StatementKind::kStore:
      case StatementKind::kEvaluate:
        break;
    }
    live.insert(statement.local);
    return with_reads(statement, std::move(live));
  }

  static Locals with_reads(const Statement& statement, Locals live) {
    if (statement.value) add_locals(*statement.value, live);
    for (const Expression& index : statement.indices) add_locals(index, live);
    for (const Expression& bound : statement.range) add_locals(bound, live);
    return live;
  }

  Locals loop(const Statement& loop, const Locals& after) {
    const bool is_while = loop.kind == StatementKind::kWhile;
    Locals head = is_while ? with_reads(loop, after) : after;
    for (std::size_t n_known = head.size() + 1; n_known != head.size();) {
      n_known = head.size();
      Locals body = block(loop.body, head, {after, head});
      if (!is_while) body.erase(loop.local);
      head.merge(body);
    }
    result_.at_head[&loop] = head;
    return is_while ? head : with_reads(loop, std::move(head));
  }

  LiveLocals& result_;
};

}  // namespace

LiveLocals find_live_locals(const declare::Function& function) {
  LiveLocals result;
  Analysis(result).block(function.body, {}, {});
  return result;
}

}  // namespace numpy_plugin::analysis
