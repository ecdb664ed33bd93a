// Divergence analysis: repeats passes over a function until a fixed point. Values computed from a
// thread's index differ between threads, and so do those that only some threads assign. Findings
// are monotone.
#include "numpy_plugin/infer/statements/kernel_checks.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace numpy_plugin::declare {
namespace {

// Why only some of a block's threads reach a statement.
struct Cause {
  SourceSpan condition;
  const char* hint = "";
};
using MaybeCause = std::optional<Cause>;

constexpr const char* kInsideIf = "move it out of the 'if'";
constexpr const char* kInLoop = "move it out of the loop";
constexpr const char* kAfterReturn = "remove the 'return' and put that work inside an 'if'";
constexpr const char* kAfterRaise = "raise after the last barrier";
constexpr const char* kAfterBreak = "run the same number of iterations in every thread";
constexpr const char* kAfterContinue = "put the code that the 'continue' skips inside an 'if'";

bool is_barrier(const Expression& expression) {
  return expression.kind == ExpressionKind::kThread &&
         info(detail<ThreadFunction>(expression)).wait == ThreadWait::kBlock;
}

bool has_barrier(const std::vector<Statement>& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& statement) {
    return (statement.value && is_barrier(*statement.value)) || has_barrier(statement.body) ||
           has_barrier(statement.orelse);
  });
}

class BarrierChecks {
 public:
  explicit BarrierChecks(const PythonKernel& kernel) : kernel_(kernel) {}

  // Whether a function's result differs between threads when these parameters do and, for a reason,
  // only some threads call it.
  bool check(const Function& function, const std::vector<bool>& parameters,
             const MaybeCause& cause);
  bool check(int device_function, const std::vector<bool>& parameters, const MaybeCause& cause) {
    const auto index = static_cast<std::size_t>(device_function);
    return check(kernel_.device_functions[index], parameters, cause);
  }

  void report(const SourceSpan& barrier, const Cause& cause) {
    if (!reported_.insert({barrier.source, barrier.line, barrier.column}).second) return;
    warnings_.push_back({Severity::kWarning,
                         "not every thread reaches this barrier; the block may hang",
                         barrier,
                         {{"this differs between threads", cause.condition}},
                         cause.hint});
  }

  std::vector<Diagnostic> take() { return std::move(warnings_); }

 private:
  const PythonKernel& kernel_;
  std::map<std::tuple<const Function*, std::vector<bool>, bool>, bool> checked_;
  std::set<std::tuple<int, int, int>> reported_;
  std::vector<Diagnostic> warnings_;
};

// One function, for one set of differing parameters.
class FunctionWalk {
 public:
  FunctionWalk(BarrierChecks& checks, const Function& function, std::vector<bool> parameters)
      : checks_(checks), function_(function), differs_(std::move(parameters)) {
    differs_.resize(function.locals.size());
  }

  bool run(const MaybeCause& cause) {
    do {
      has_changed_ = false;
      left_function_.reset();
      walk(function_.body, cause);
    } while (has_changed_);
    return result_differs_;
  }

 private:
  // A loop: why only some threads are still in it, after 'break' or 'return', and in its current
  // trip.
  struct Loop {
    MaybeCause left;
    MaybeCause left_trip;
  };

  void set_local(int local) {
    const auto index = static_cast<std::size_t>(local);
    has_changed_ = has_changed_ || !differs_[index];
    differs_[index] = true;
  }
  bool local_differs(int local) const { return differs_[static_cast<std::size_t>(local)]; }

  // Why only some of the threads still in the function arrive; nullopt where all do.
  MaybeCause split(const MaybeCause& cause) const {
    if (cause) return cause;
    for (const Loop* loop : loops_) {
      if (loop->left) return loop->left;
      if (loop->left_trip) return loop->left_trip;
    }
    return std::nullopt;
  }

  bool any_differs(const std::vector<Expression>& expressions, const MaybeCause& cause) {
    bool result = false;
    for (const Expression& expression : expressions) result |= visit(expression, cause);
    return result;
  }

  // Whether the value differs between threads; descends into callees.
  bool visit(const Expression& expression, const MaybeCause& cause) {
    if (is_barrier(expression) && cause) checks_.report(expression.place, *cause);
    if (expression.kind == ExpressionKind::kCallFunction) return visit_call(expression, cause);
    const bool operands = any_differs(expression.operands, cause);
    if (sets_elements(expression) && (operands || cause)) {
      set_own_array(expression.operands.front());
    }
    switch (expression.kind) {
      case ExpressionKind::kLocal:
        return local_differs(detail<LocalReference>(expression).local);
      case ExpressionKind::kThread:  // decisions of a whole block are known to all its threads
        return info(detail<ThreadFunction>(expression)).differs ||
               (operands && !is_barrier(expression));
      case ExpressionKind::kAtomic:
        return true;
      case ExpressionKind::kLoad:
        return operands || local_differs(detail<ElementLoad>(expression).array);
      default:
        return operands;
    }
  }

  bool visit_call(const Expression& call, const MaybeCause& cause) {
    std::vector<bool> arguments;
    for (const Expression& operand : call.operands) arguments.push_back(visit(operand, cause));
    const bool any = std::find(arguments.begin(), arguments.end(), true) != arguments.end();
    for (const Expression& operand : call.operands) {
      if (any) set_own_array(operand);
    }
    return checks_.check(detail<DeviceFunctionCall>(call).function, arguments, cause);
  }

  // For arrays private to the thread.
  void set_own_array(const Expression& expression) {
    const int local = root_array(expression);
    if (local < 0) return;
    const ArrayStorage& storage = function_.locals[static_cast<std::size_t>(local)].storage;
    if (storage.kind == ArrayStorage::Kind::kLocal) set_local(local);
  }

  void walk(const std::vector<Statement>& block, const MaybeCause& cause) {
    for (const Statement& statement : block) walk(statement, cause);
  }

  void walk(const Statement& statement, const MaybeCause& outer) {
    const MaybeCause cause = split(outer);
    const MaybeCause here = cause ? cause : left_function_;
    const bool indices = any_differs(statement.indices, here);
    const bool range = any_differs(statement.range, here);
    const bool value = statement.value && visit(*statement.value, here);
    switch (statement.kind) {
      case StatementKind::kAssign:
        if (value || cause) set_local(statement.local);
        return;
      case StatementKind::kStore: {
        const Local& array = function_.locals[static_cast<std::size_t>(statement.local)];
        const bool is_own = array.storage.kind == ArrayStorage::Kind::kLocal;
        if (is_own && (value || indices || cause)) set_local(statement.local);
        return;
      }
      case StatementKind::kIf: {
        const MaybeCause inner = below(statement.value->place, value, kInsideIf, outer);
        walk(statement.body, inner);
        walk(statement.orelse, inner);
        return;
      }
      case StatementKind::kWhile:
        return walk_loop(statement, below(statement.value->place, value, kInLoop, outer));
      case StatementKind::kForRange:
        if (range || cause) set_local(statement.local);
        return walk_loop(statement, below(range_place(statement), range, kInLoop, outer));
      case StatementKind::kBreak:
        return leave(&Loop::left, cause, kAfterBreak);
      case StatementKind::kContinue:
        return leave(&Loop::left_trip, cause, kAfterContinue);
      case StatementKind::kReturn:
      case StatementKind::kRaise:
        result_differs_ = result_differs_ || value || cause;
        if (cause && !left_function_) {
          const bool returns = statement.kind == StatementKind::kReturn;
          left_function_ = {cause->condition, returns ? kAfterReturn : kAfterRaise};
        }
        return;
      case StatementKind::kEvaluate:
        return;
    }
  }

  static MaybeCause below(const SourceSpan& condition, bool differs, const char* hint,
                          const MaybeCause& outer) {
    return outer || !differs ? outer : Cause{condition, hint};
  }

  static SourceSpan range_place(const Statement& loop) {
    SourceSpan place = loop.range.front().place;
    for (const Expression& bound : loop.range) {
      if (bound.kind != ExpressionKind::kConstant) place = bound.place;
    }
    return place;
  }

  // A `break` in one trip affects all later ones.
  void walk_loop(const Statement& statement, const MaybeCause& cause) {
    Loop& loop = states_[&statement];
    loop.left_trip.reset();
    const MaybeCause before = left_function_;
    if (!left_function_) left_function_ = returns_[&statement];
    loops_.push_back(&loop);
    walk(statement.body, cause);
    loops_.pop_back();
    MaybeCause& returned = returns_[&statement];
    if (left_function_ && !before && !returned) {
      returned = left_function_;
      has_changed_ = true;
    }
  }

  void leave(MaybeCause Loop::*member, const MaybeCause& cause, const char* hint) {
    MaybeCause& left = loops_.back()->*member;
    if (!cause || left) return;
    left = Cause{cause->condition, hint};
    has_changed_ = has_changed_ || member == &Loop::left;
  }

  BarrierChecks& checks_;
  const Function& function_;
  std::vector<bool> differs_;  // by local
  bool result_differs_ = false;
  bool has_changed_ = false;
  MaybeCause left_function_;  // why only some threads are still in the function
  std::vector<Loop*> loops_;  // enclosing loops, outermost first
  std::map<const Statement*, Loop> states_;
  std::map<const Statement*, MaybeCause> returns_;
};

bool BarrierChecks::check(const Function& function, const std::vector<bool>& parameters,
                          const MaybeCause& cause) {
  const auto [position, is_new] = checked_.try_emplace({&function, parameters, cause.has_value()});
  if (is_new) position->second = FunctionWalk(*this, function, parameters).run(cause);
  return position->second;
}

}  // namespace

std::vector<Diagnostic> check_barriers(const PythonKernel& kernel) {
  std::vector<const Function*> functions = {&kernel.function};
  for (const Function& function : kernel.device_functions) functions.push_back(&function);
  const bool has_any =
      std::any_of(functions.begin(), functions.end(),
                  [](const Function* function) { return has_barrier(function->body); });
  if (!has_any) return {};
  BarrierChecks checks(kernel);
  checks.check(kernel.function, std::vector<bool>(kernel.function.n_parameters), std::nullopt);
  return checks.take();
}

}  // namespace numpy_plugin::declare
