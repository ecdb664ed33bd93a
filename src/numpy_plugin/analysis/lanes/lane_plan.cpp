// Three questions: whether each part of the kernel has a form in lanes, whether lanes pay, and
// which variables have one value for a whole block.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "numpy_plugin/analysis/lanes/core_lanes.hpp"
#include "numpy_plugin/analysis/lanes/lane_cost.hpp"
#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/lanes/own_function.hpp"
#include "numpy_plugin/analysis/lanes/refilled_loop.hpp"

namespace numpy_plugin::emit {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

bool is_lane_type(const ValueType& type) {
  if (type.kind == ValueType::Kind::kTuple)
    return std::all_of(type.items.begin(), type.items.end(), is_lane_type);
  return type.kind == ValueType::Kind::kScalar && !base::is_complex(type.dtype);
}

bool has_lane_kind(const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
    case ExpressionKind::kLocal:
    case ExpressionKind::kArraySize:
    case ExpressionKind::kCall:
    case ExpressionKind::kCast:
    case ExpressionKind::kSelect:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
    case ExpressionKind::kTuple:
    case ExpressionKind::kTupleItem:
    case ExpressionKind::kCallFunction:
      return true;
    default:
      return false;
  }
}

// Whether a step is 1 or -1, so that the number of trips is a difference.
bool counts_by_one(const Statement& loop) {
  return is_constant(loop.range[2], 1) || is_constant(loop.range[2], -1);
}

// AVX2 multiplies, divides and converts no vectors of int64.
bool is_slow_without_mask_registers(const Expression& expression) {
  if (expression.kind != ExpressionKind::kCall && expression.kind != ExpressionKind::kCast)
    return false;
  const base::DType from = expression.operands.front().type.dtype;
  const base::DType to = expression.type.dtype;
  if (expression.kind == ExpressionKind::kCast)
    return base::is_floating(from) != base::is_floating(to) && to != base::DType::kBool;
  const bool is_product = detail<declare::Operation>(expression) == declare::Operation::kMultiply;
  return base::is_integer(to) && (is_product || lane_form(expression) == LaneForm::kGuarded);
}

// Of the largest type: a block of bytes only would have more lanes than bits in a word.
constexpr int kMinSize = 4;

bool is_refilled(const declare::Function& function, const Statement& loop,
                 std::optional<std::size_t> refilled) {
  return refilled && &loop == &function.body[*refilled];
}

// Looks for the first part that has no form in lanes.
class Eligibility {
 public:
  std::string reason() const { return reason_; }
  bool has_no_numbers() const { return sizes_.empty(); }
  int size() const { return std::max(*sizes_.rbegin(), kMinSize); }
  bool needs_mask_registers() const {
    return needs_mask_registers_ || sizes_.size() > 1 || *sizes_.begin() < kMinSize;
  }

  void type(const ValueType& type, const char* of) {
    if (!is_lane_type(type))
      return refuse(std::string(of) + " of types other than bool and real numbers");
    for (const ValueType& item : type.items) this->type(item, of);
    if (type.kind == ValueType::Kind::kScalar && type.dtype != base::DType::kBool) {
      sizes_.insert(static_cast<int>(base::info(type.dtype).n_bytes));
    }
  }
  // `uniform` and `refilled`: of the plan for this function.
  void function(const declare::Function& function, const std::set<int>& uniform,
                std::optional<std::size_t> refilled = {}) {
    refilled_ = refilled;
    for (std::size_t i = 0; i < function.n_parameters; ++i)
      type(function.locals[i].type, "operands");
    body(function, uniform);
  }
  // Parameters of a generalized kernel may be arrays.
  void generalized(const declare::Function& function, const std::set<int>& uniform) {
    for (std::size_t i = 0; i < function.n_parameters; ++i) {
      const base::DType dtype = function.locals[i].type.dtype;
      if (base::is_half(dtype)) refuse("arrays of 16-bit floating-point numbers");
      type(ValueType::scalar(dtype), "operands");
    }
    body(function, uniform);
  }

 private:
  bool is_uniform(const Expression& expression) const {
    return emit::is_uniform(*uniform_, expression);
  }
  void body(const declare::Function& function, const std::set<int>& uniform) {
    function_ = &function;
    uniform_ = &uniform;
    block(function.body);
  }
  void block(const Block& statements) {
    for (const Statement& each : statements) statement(each);
  }
  void refuse(const std::string& reason) {
    if (reason_.empty()) reason_ = reason;
  }

  void statement(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kStore:
        element(statement.local, statement.exception, statement.indices);
        return value(*statement.value);
      case StatementKind::kEvaluate:
        return refuse("arrays or effects");
      case StatementKind::kForRange:
        return for_range(statement);
      case StatementKind::kAssign:
        type(function_->locals.at(static_cast<std::size_t>(statement.local)).type, "variables");
        return value(*statement.value);
      case StatementKind::kReturn:
      case StatementKind::kIf:
      case StatementKind::kWhile:
        if (statement.value) value(*statement.value);
        block(statement.body);
        return block(statement.orelse);
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kRaise:
        return;
    }
  }

  void for_range(const Statement& loop) {
    const bool is_known = std::all_of(loop.range.begin(), loop.range.end(),
                                      [&](const auto& bound) { return is_uniform(bound); });
    if (!is_known && !counts_by_one(loop)) refuse("a loop by a step of its own");
    if (!uniform_->contains(loop.local) && !is_counted_in_words(loop))
      type(ValueType::scalar(base::DType::kInt64), "values");
    for (const Expression& bound : loop.range) value(bound);
    block(loop.body);
  }

  // Of an operand with core dimensions.
  void element(int array, int exception, const std::vector<Expression>& indices) {
    if (static_cast<std::size_t>(array) >= function_->n_parameters) refuse("arrays or effects");
    if (exception >= 0) refuse("checked indices");
    for (const Expression& index : indices) value(index);
  }

  // Whether lanes count their trips, and read only the count, in 4 bytes where others have no more.
  bool is_counted_in_words(const Statement& loop) const {
    return is_refilled(*function_, loop, refilled_) && !reads_variable(*function_, loop) &&
           trip_dtype(loop, 4) == base::DType::kUInt32;
  }

  void value(const Expression& expression) {
    if (expression.kind == ExpressionKind::kLoad) {
      type(expression.type, "values");
      return element(detail<declare::ElementLoad>(expression).array, expression.exception,
                     expression.operands);
    }
    if (!has_lane_kind(expression)) return refuse("arrays or calls of C++ functions");
    if (is_uniform(expression)) {
      // Its parts have one value; it becomes one of lanes.
      if (expression.kind != ExpressionKind::kConstant && !is_lane_type(expression.type))
        refuse("values of types other than bool and real numbers");
      return;
    }
    type(expression.type, "values");
    const bool is_each = expression.kind == ExpressionKind::kCall && is_of_halves(expression) &&
                         lane_form(expression) == LaneForm::kEach;
    if (is_each) refuse("functions of 16-bit numbers that have no vector form");
    needs_mask_registers_ |= is_slow_without_mask_registers(expression);
    for (const Expression& operand : expression.operands) value(operand);
  }

  const declare::Function* function_ = nullptr;
  const std::set<int>* uniform_ = nullptr;
  std::optional<std::size_t> refilled_;
  std::string reason_;
  bool needs_mask_registers_ = false;
  std::set<int> sizes_;
};

bool is_mentioned_outside(const Block& block, const Statement& loop, int local) {
  return std::any_of(block.begin(), block.end(), [&](const Statement& each) {
    if (&each == &loop) return false;
    if (each.body.empty() && each.orelse.empty()) return is_mentioned(each, local);
    Statement header = each;
    header.body.clear();
    header.orelse.clear();
    return is_mentioned(header, local) || is_mentioned_outside(each.body, loop, local) ||
           is_mentioned_outside(each.orelse, loop, local);
  });
}

// Loops before those inside them, whose bounds may be variables of the outer ones. Lanes of a
// refilled loop are at different trips.
std::set<int> find_uniform(const declare::Function& function,
                           std::optional<std::size_t> refilled = {}) {
  std::set<int> uniform;
  visit_statements(function.body, [&](const Statement& loop) {
    if (loop.kind != StatementKind::kForRange || is_refilled(function, loop, refilled)) return;
    const bool is_known = std::all_of(loop.range.begin(), loop.range.end(), [&](const auto& bound) {
      return is_uniform(uniform, bound);
    });
    if (is_known && !is_assigned(loop.body, loop.local) &&
        !is_mentioned_outside(function.body, loop, loop.local))
      uniform.insert(loop.local);
  });
  return uniform;
}

// Properties of a kernel for or against lanes.
struct Profit {
  const declare::PythonKernel& kernel;
  declare::MathMode math;
  bool has_loops = false;
  bool has_guarded_math = false;
  bool rounds_to_halves = false;      // which lanes do by few instructions
  int own_vector_bytes = kNoVectors;  // from which some function of this package pays
  int library_since = 0;              // with vector variants of all that have one of this package
  bool has_scalar_calls = false;
  bool has_scalar_calls_in_loops = false;
  std::set<std::tuple<int, bool, bool>> called = {};  // functions, and where they are

  void block(const Block& statements, bool is_in_loop, bool is_guarded) {
    for (const Statement& each : statements) {
      const bool is_inner = is_in_loop || is_loop(each);
      has_loops |= is_loop(each);
      if (each.value) value(*each.value, is_inner, is_guarded);
      block(each.body, is_inner, true);
      block(each.orelse, is_inner, true);
      is_guarded |= parts_lanes({each});
    }
  }
  void value(const Expression& expression, bool is_in_loop, bool is_guarded) {
    if (expression.kind == ExpressionKind::kCall) {
      rounds_to_halves |= base::is_half(expression.type.dtype) && computes_in_float32(expression);
      const LaneForm form = lane_form(expression);
      has_guarded_math |= is_guarded && form == LaneForm::kMath;
      own_vector_bytes = std::min(own_vector_bytes, emit::own_vector_bytes(expression, math));
      if (const OwnFunction* const own = own_lane_function(expression, math))
        library_since = std::max(library_since, own->since);
      has_scalar_calls |= form == LaneForm::kEach;
      has_scalar_calls_in_loops |= is_in_loop && form == LaneForm::kEach;
    }
    if (expression.kind == ExpressionKind::kCast) has_scalar_calls |= is_scalar_cast(expression);
    if (expression.kind == ExpressionKind::kCallFunction) {
      const int function = detail<declare::DeviceFunctionCall>(expression).function;
      if (called.emplace(function, is_in_loop, is_guarded).second)
        block(kernel.device_functions.at(function).body, is_in_loop, is_guarded);
    }
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
      const bool is_branch = expression.kind == ExpressionKind::kSelect ||
                             expression.kind == ExpressionKind::kAnd ||
                             expression.kind == ExpressionKind::kOr;
      value(expression.operands[i], is_in_loop, is_guarded || (is_branch && i > 0));
    }
  }
};

bool profits_from_masks(const Profit& profit) {
  const bool has_vector_math = profit.math != declare::MathMode::kLibm;
  return profit.has_loops || (profit.has_guarded_math && has_vector_math);
}

// Device functions precede their callers.
void plan_called(const declare::PythonKernel& kernel, LanePlan& plan) {
  for (const declare::Function& function : kernel.device_functions)
    plan.called.push_back({find_uniform(function), find_live_locals(function),
                           has_guarded_parts(plan, function.body),
                           is_costly_in_lanes(plan, function.body)});
}

LanePlan::Target target_of(const Profit& profit) {
  if (profits_from_masks(profit) || profit.rounds_to_halves || profit.own_vector_bytes <= 32)
    return LanePlan::Target::kAny;
  return profit.own_vector_bytes <= 64 ? LanePlan::Target::kWideOrOwnMath
                                       : LanePlan::Target::kOwnMath;
}

std::string why_not_worth(const declare::TypedKernel& kernel, const LanePlan& plan,
                          const Profit& profit) {
  if (profit.has_scalar_calls_in_loops) return "a loop with functions that have no vector form";
  if (kernel.layout) return why_no_core_lanes(kernel, plan);
  if (profits_from_masks(profit)) return "";
  if ((profit.library_since > 0 || profit.rounds_to_halves) && !profit.has_scalar_calls) return "";
  return "neither loops nor functions that lanes compute faster";
}

LaneDecision decide(const declare::TypedKernel& kernel, declare::MathMode math,
                    std::optional<std::size_t> refilled) {
  const auto& python = std::get<declare::PythonKernel>(kernel.body);
  LanePlan plan;
  plan.math = math;
  plan.uniform = find_uniform(python.function, refilled);
  plan_called(python, plan);
  Eligibility eligibility;
  if (kernel.layout)
    eligibility.generalized(python.function, plan.uniform);
  else
    eligibility.function(python.function, plan.uniform, refilled);
  for (const auto& output : kernel.signature.outputs)
    eligibility.type(ValueType::scalar(output.dtype), "results");
  for (std::size_t i = 0; i < plan.called.size(); ++i)
    eligibility.function(python.device_functions[i], plan.called[i].uniform);
  if (!eligibility.reason().empty()) return {{}, eligibility.reason()};
  if (eligibility.has_no_numbers()) return {{}, "bools only"};
  Profit profit{.kernel = python, .math = math};
  profit.block(python.function.body, false, false);
  if (std::string reason = why_not_worth(kernel, plan, profit); !reason.empty())
    return {{}, reason};
  plan.size = eligibility.size();
  plan.needs_mask_registers = eligibility.needs_mask_registers();
  if (!kernel.layout) plan.target = target_of(profit);  // others pay for their paths
  plan.library_since = profit.library_since;
  plan.has_loops = profit.has_loops;
  plan.live = find_live_locals(python.function);
  plan.refilled = refilled;
  plan.is_generalized = kernel.layout.has_value();
  return {std::move(plan), ""};
}

// Adds the second form. Both call the same functions, and have as many lanes.
void plan_refilling(const declare::TypedKernel& kernel, LaneDecision& decision) {
  const LanePlan& plan = *decision.plan;
  const auto refilled = find_refilled(std::get<declare::PythonKernel>(kernel.body), plan);
  if (!refilled) return;
  decision.refilling = decide(kernel, plan.math, refilled).plan;
  if (decision.refilling && decision.refilling->size != plan.size) decision.refilling.reset();
  if (!decision.refilling) return;
  decision.refilling_needs_mask_registers =
      std::exchange(decision.refilling->needs_mask_registers, plan.needs_mask_registers);
}

}  // namespace

bool is_uniform(const std::set<int>& uniform, const Expression& expression) {
  if (const auto local = declare::read_local(expression)) return uniform.contains(*local);
  if (!has_lane_kind(expression) || expression.kind == ExpressionKind::kCallFunction ||
      expression.type.kind != ValueType::Kind::kScalar)
    return false;
  return std::all_of(expression.operands.begin(), expression.operands.end(),
                     [&](const Expression& operand) { return is_uniform(uniform, operand); });
}

LanePlan LanePlan::of_called(std::size_t function) const {
  LanePlan plan = *this;
  plan.uniform = called.at(function).uniform;
  plan.live = called.at(function).live;
  plan.refilled.reset();
  return plan;
}

bool parts_lanes(const Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Statement& each) {
    switch (each.kind) {
      case StatementKind::kBreak:
      case StatementKind::kContinue:
      case StatementKind::kReturn:
      case StatementKind::kRaise:
        return true;
      case StatementKind::kWhile:
      case StatementKind::kForRange:
        return returns_inside(each);
      default:
        return parts_lanes(each.body) || parts_lanes(each.orelse);
    }
  });
}

bool returns_inside(const Statement& loop) {
  bool found = false;
  visit_statements(loop.body, [&](const Statement& each) {
    found |= each.kind == StatementKind::kReturn || each.kind == StatementKind::kRaise;
  });
  return found;
}

LaneDecision plan_lanes(const declare::TypedKernel& kernel, declare::MathMode math) {
  const auto* const python = std::get_if<declare::PythonKernel>(&kernel.body);
  if (python == nullptr) return {{}, "a body in C++"};
  if (python->prints) return {{}, "print"};
  LaneDecision decision = decide(kernel, math, {});
  if (decision.plan && !kernel.layout) plan_refilling(kernel, decision);
  return decision;
}

}  // namespace numpy_plugin::emit
