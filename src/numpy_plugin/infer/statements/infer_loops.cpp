// Loops: `while`, `for ... in range(...)`, and what has a value after them.
#include <algorithm>

#include "numpy_plugin/infer/statements/infer.hpp"

namespace numpy_plugin::declare {
namespace {

using base::DType;

// Trips of a range of constants; -1 where it is not known.
Int128 constant_trips(const std::vector<Value>& range) {
  std::vector<Int128> numbers;
  for (const Value& value : range) {
    const auto* integer = constant_integer(value);
    if (!integer) return -1;
    numbers.push_back(*integer);
  }
  const auto [start, stop, step] = std::tuple(numbers[0], numbers[1], numbers[2]);
  return step > 0 ? (stop > start ? 1 : 0) : (stop < start ? 1 : 0);
}

}  // namespace

std::vector<int> FunctionInference::assigned_in(const std::vector<SyntaxNode>& statements) const {
  std::vector<int> result;
  const auto add = [&](const auto& self, const SyntaxNode& target) -> void {
    const int variable = target.kind == SyntaxKind::kName ? find_variable(target.text) : -1;
    if (variable >= 0) result.push_back(variable);
    for (const SyntaxNode& item : target.children("elts")) self(self, item);
  };
  const auto visit = [&](const auto& self, const std::vector<SyntaxNode>& nodes) -> void {
    for (const SyntaxNode& node : nodes) {
      for (const auto* field : {"targets", "target"}) {
        for (const SyntaxNode& target : node.children(field)) add(add, target);
      }
      for (const auto* field : {"body", "orelse", "finalbody", "handlers", "cases"}) {
        self(self, node.children(field));
      }
    }
  };
  visit(visit, statements);
  return result;
}

// The body, walked with all it assigns as perhaps assigned already: by an earlier trip.
std::vector<Statement> FunctionInference::loop_body(const SyntaxNode& node, Loop& loop) {
  for (const int variable : assigned_in(node.children("body"))) flow_.assign_perhaps(variable);
  loops_.emplace_back();
  std::vector<Statement> body = block(node.children("body"));
  loop = std::move(loops_.back());
  loops_.pop_back();
  return body;
}

void FunctionInference::loop_else(const SyntaxNode& node) {
  const std::vector<SyntaxNode>& orelse = node.children("orelse");
  if (orelse.empty()) return;
  const SyntaxNode& last = node.children("body").back();
  Place from = place(last);
  from.line = from.end_line;
  from.column = from.end_column;
  error(find_token("else", from, place(orelse.front())),
        "'else' on a loop cannot be used in a kernel",
        "set a flag before 'break' and test it after the loop");
}

// After a loop: where its condition fails or its range ends, or a `break`.
void FunctionInference::leave_loop(const Loop& loop, const std::optional<Flow>& normal_exit,
                                   const Place& decides, const PathEnd& never) {
  const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
  if (normal_exit && loop.at_break) {
    flow_ = Flow::join(*normal_exit, *loop.at_break, zero_trips, zero_trips);
  } else if (normal_exit) {
    flow_ = *normal_exit;
  } else if (loop.at_break) {
    flow_ = *loop.at_break;
  } else {
    flow_.stop(never);
  }
}

void FunctionInference::while_statement(const SyntaxNode& node) {
  const SyntaxNode& test = *node.child("test");
  Statement result{StatementKind::kWhile, place(node), 0, {}, {}, {}, {}, {}};
  std::vector<Statement> prelude;
  for (const int variable : assigned_in(node.children("body"))) flow_.assign_perhaps(variable);
  std::vector<Statement>* const outer = std::exchange(statements_, &prelude);
  result.value = condition(test);
  statements_ = outer;
  const bool is_endless = is_constant_true(*result.value);
  const Flow before = flow_;
  Loop loop;
  result.body = loop_body(node, loop);
  loop_else(node);
  Flow after_body = flow_;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  const Place decides = place(test);
  std::optional<Flow> normal_exit;
  if (!is_endless) {
    const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
    normal_exit = Flow::join(before, after_body, zero_trips, zero_trips);
  }
  const bool never_ends = is_endless && !loop.at_break && !returns_in(result.body);
  if (never_ends) {
    error(keyword_place(node, "while"), "this loop never ends", "add a 'break' or a 'return'");
  }
  leave_loop(loop, normal_exit, decides,
             {"the loop above has no 'break'", keyword_place(node, "while")});
  if (!prelude.empty()) repeat_prelude(result, std::move(prelude));
  emit(std::move(result));
}

bool FunctionInference::is_constant_true(const Expression& condition) const {
  if (condition.kind == ExpressionKind::kCall && condition.operation == Operation::kTruth) {
    return is_constant_true(condition.operands.front());
  }
  if (condition.kind != ExpressionKind::kConstant) return false;
  if (const auto* number = std::get_if<double>(&condition.constant)) return *number != 0;
  const auto* integer = std::get_if<std::int64_t>(&condition.constant);
  return integer && *integer != 0;
}

bool FunctionInference::returns_in(const std::vector<Statement>& statements) const {
  return std::any_of(statements.begin(), statements.end(), [this](const Statement& statement) {
    return statement.kind == StatementKind::kReturn || returns_in(statement.body) ||
           returns_in(statement.orelse);
  });
}

// What the condition needs first is computed again on each trip: while True, test, break.
void FunctionInference::repeat_prelude(Statement& loop, std::vector<Statement> prelude) const {
  Statement test{StatementKind::kIf, loop.place, 0, {}, {}, {}, {}, {}};
  test.value = call(Operation::kLogicalNot, DType::kBool, {std::move(*loop.value)}, loop.place);
  test.body.push_back({StatementKind::kBreak, loop.place, 0, {}, {}, {}, {}, {}});
  prelude.push_back(std::move(test));
  std::move(loop.body.begin(), loop.body.end(), std::back_inserter(prelude));
  loop.body = std::move(prelude);
  loop.value = constant_expression(DType::kBool, std::int64_t{1}, loop.place);
}

std::optional<std::vector<Value>> FunctionInference::range_arguments(const SyntaxNode& node) {
  const SyntaxNode& iterable = *node.child("iter");
  const Binding* binding =
      iterable.kind == SyntaxKind::kCall ? find_binding(*iterable.child("func")) : nullptr;
  if (!binding || binding->name != "builtins.range") {
    report_iterable(node);
    return std::nullopt;
  }
  const auto given = scalar_arguments("builtins.range", 1, 3, iterable);
  if (!given) return std::nullopt;
  for (const Value& value : *given) {
    if (is_whole(value.type.dtype)) continue;
    const std::string integer = index_hint(value, *value.node);
    error(place(*value.node),
          "range needs integers, " + text(*value.node) + " is " + describe(value.type),
          integer.empty() ? "count with integers and compute the number from them"
                          : "range(" + integer + ")");
    return std::nullopt;
  }
  const auto number = [&](int value) { return constant(Int128{value}, iterable); };
  if (given->size() == 1) return std::vector<Value>{number(0), (*given)[0], number(1)};
  if (given->size() == 2) return std::vector<Value>{(*given)[0], (*given)[1], number(1)};
  const auto* step = constant_integer((*given)[2]);
  if (step && *step == 0) {
    error(place(*(*given)[2].node), "range with step 0");
    return std::nullopt;
  }
  return given;
}

void FunctionInference::report_iterable(const SyntaxNode& node) {
  const SyntaxNode& iterable = *node.child("iter");
  const std::string name = text(iterable);
  if (iterable.kind == SyntaxKind::kList || iterable.kind == SyntaxKind::kTuple) {
    const std::string size = std::to_string(iterable.children("elts").size());
    error(place(iterable),
          "'for' in a kernel goes over range(...); found " +
              (iterable.kind == SyntaxKind::kList ? "a list" : "a tuple of " + size),
          "for i in range(" + size + "):, and " + tuple_text(iterable) + "[i] in its body");
    return;
  }
  const Value value = infer(iterable);
  if (!value.type.is_known()) return;
  std::string found = describe(value.type);
  std::string hint;
  if (value.type.is_array()) {
    found = std::string("a ") + std::string(base::name(value.type.dtype)) + " array";
    hint = "for i in range(" + name + ".shape[0]): " + text(*node.child("target")) + " = " + name +
           (value.type.n_dimensions == 1 ? "[i]" : "[i, j]");
  } else if (value.type.is_tuple() && iterable.kind == SyntaxKind::kName) {
    hint =
        "for i in range(len(" + name + ")): " + text(*node.child("target")) + " = " + name + "[i]";
  } else if (value.type.is_scalar() && base::is_integer(value.type.dtype)) {
    hint = "for " + text(*node.child("target")) + " in range(" + name + "):";
  }
  error(place(iterable), "'for' in a kernel goes over range(...); found " + found, hint);
}

void FunctionInference::for_statement(const SyntaxNode& node) {
  const SyntaxNode& target = *node.child("target");
  auto range = range_arguments(node);
  if (range && target.kind != SyntaxKind::kName) {
    error(place(target), "the variable of a 'for' loop must be one name");
    range.reset();
  }
  if (!range) {
    give_up_names(node);
    return;
  }
  Statement result{StatementKind::kForRange, place(node), 0, {}, {}, {}, {}, {}};
  for (const Value& value : *range) {
    result.range.push_back(convert(value, InferredType::scalar(DType::kInt64)));
  }
  const Place decides = place(*node.child("iter"));
  const bool has_trip = constant_trips(*range) > 0;
  const Flow before = flow_;
  Loop loop;
  std::vector<Statement> head;
  result.local = loop_variable(target, head);
  result.body = loop_body(node, loop);
  result.body.insert(result.body.begin(), std::make_move_iterator(head.begin()),
                     std::make_move_iterator(head.end()));
  loop_else(node);
  Flow after_body = flow_;
  if (loop.at_continue) after_body = Flow::join(after_body, *loop.at_continue, {}, {});
  const Reason zero_trips{Reason::Kind::kZeroTrips, decides};
  Flow normal_exit = has_trip ? after_body : Flow::join(before, after_body, zero_trips, zero_trips);
  std::optional<Flow> exit;
  if (normal_exit.is_reachable()) exit = std::move(normal_exit);
  PathEnd never{"the loop above never ends normally", keyword_place(node, "for")};
  if (flow_.end()) never = *flow_.end();
  const bool runs_once = has_trip && !exit && !loop.at_break;
  leave_loop(loop, exit, decides, never);
  if (runs_once) return emit_first_trip(std::move(result));
  emit(std::move(result));
}

// A loop whose first trip never reaches its end is that trip: compilers see no other way out.
void FunctionInference::emit_first_trip(Statement loop) {
  Statement start{StatementKind::kAssign, loop.place, loop.local, {}, {}, {}, {}, {}};
  start.value = std::move(loop.range.front());
  emit(std::move(start));
  for (Statement& statement : loop.body) emit(std::move(statement));
}

// The local that counts. A variable of another type than int64 is a copy made on each trip.
int FunctionInference::loop_variable(const SyntaxNode& target, std::vector<Statement>& head) {
  const int variable = find_variable(target.text);
  Value counter;
  counter.node = &target;
  counter.type = InferredType::weak(DType::kInt64);
  counter.expression = Expression{ExpressionKind::kLocal, storage(counter.type), place(target), {}};
  const InferredType type = final_type(variable).value_or(counter.type);
  if (storage(type) == storage(counter.type)) {
    unify_variable(variable, target, counter);
    flow_.assign(variable);
    return local_of(variable);
  }
  counter.expression.index = add_temporary(counter.type);
  const int local = counter.expression.index;
  std::vector<Statement>* const outer = std::exchange(statements_, &head);
  assign_variable(variable, target, std::move(counter));
  statements_ = outer;
  return local;
}

}  // namespace numpy_plugin::declare
