// Integers of another size than the lanes': counters of int64, Python's integers, beside float32
// halve the number of lanes, and each mask is resized for those of uint8.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>
#include <limits>

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::ValueType;

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

std::int64_t most_of(base::DType dtype) {
  const bool is_signed = base::info(dtype).kind == base::DTypeKind::kSigned;
  const std::size_t n_bits = 8 * base::info(dtype).n_bytes - (is_signed ? 1 : 0);
  return n_bits >= 31 ? kMost : (std::int64_t{1} << n_bits) - 1;
}

// nullopt where it is none that int32 holds.
std::optional<std::int64_t> integer_constant(const Expression& expression) {
  if (expression.kind != ExpressionKind::kConstant || !base::is_integer(expression.type.dtype))
    return {};
  const auto& value = detail<declare::ConstantValue>(expression);
  if (const auto* const number = std::get_if<std::uint64_t>(&value))
    return *number <= kMost ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  const std::int64_t number = std::get<std::int64_t>(value);
  return number >= kLeast && number <= kMost ? std::optional(number) : std::nullopt;
}

// The values that a variable can have: constants, sums of it and constants, choices of these.
class CounterRange {
 public:
  CounterRange(const Function& function, int local) : local_(local) { block(function.body, 1); }

  bool is_up_to(std::int64_t most) const { return fits_ && most_ <= most - growth_; }

 private:
  // `trips`: how often the block is entered since a loop's condition or the function's beginning
  // has bounded the variable; 0 if that is unknown.
  void block(const Block& statements, std::int64_t trips) {
    for (const Statement& each : statements) statement(each, trips);
  }

  void statement(const Statement& each, std::int64_t trips) {
    if (each.kind == StatementKind::kAssign && each.local == local_) assign(*each.value, trips);
    if (each.kind == StatementKind::kForRange) {
      fits_ &= each.local != local_;
      trips = product(trips, constant_trips(each).value_or(0));
    }
    if (each.kind == StatementKind::kWhile) trips = is_bounded_by(*each.value) ? 1 : 0;
    block(each.body, trips);
    block(each.orelse, trips);
  }

  void assign(const Expression& value, std::int64_t trips) {
    if (const auto constant = integer_constant(value)) return include(*constant);
    if (declare::read_local(value) == local_) return;
    if (value.kind == ExpressionKind::kSelect) {
      assign(value.operands[1], trips);
      return assign(value.operands[2], trips);
    }
    const auto step = step_of(value);
    fits_ &= step && *step >= 0 && *step <= kMost && trips > 0;
    if (fits_) growth_ = std::min(growth_ + product(trips, *step), kMost);
  }

  // Of "local + step".
  std::optional<std::int64_t> step_of(const Expression& sum) const {
    if (!is_call(sum, {Operation::kAdd})) return {};
    for (const std::size_t variable : {0, 1}) {
      if (declare::read_local(sum.operands[variable]) == local_)
        return integer_constant(sum.operands[1 - variable]);
    }
    return {};
  }

  bool is_bounded_by(const Expression& condition) {
    if (condition.kind == ExpressionKind::kAnd)
      return std::any_of(condition.operands.begin(), condition.operands.end(),
                         [this](const Expression& each) { return is_bounded_by(each); });
    if (!is_call(condition, {Operation::kLess, Operation::kLessEqual})) return false;
    const auto bound = integer_constant(condition.operands[1]);
    if (declare::read_local(condition.operands[0]) != local_ || !bound) return false;
    include(*bound);
    return true;
  }

  void include(std::int64_t value) { most_ = std::max(most_, value); }

  // Of factors up to kMost, and not more than it.
  static std::int64_t product(std::int64_t a, std::uint64_t b) {
    return std::min(a * static_cast<std::int64_t>(std::min<std::uint64_t>(b, kMost)), kMost);
  }

  int local_;
  bool fits_ = true;
  std::int64_t most_ = 0, growth_ = 0;
};

// Changes the type of a function's counters.
class Converter {
 public:
  Converter(Function& function, base::DType dtype) : function_(function), dtype_(dtype) {
    for (std::size_t i = function.n_parameters; i < function.locals.size(); ++i) {
      const int local = static_cast<int>(i);
      const ValueType& type = function.locals[i].type;
      const bool is_other = type.kind == ValueType::Kind::kScalar && base::is_integer(type.dtype) &&
                            type.dtype != dtype;
      if (is_other && is_assigned(function.body, local) &&
          CounterRange(function, local).is_up_to(most_of(type.dtype)))
        counters_.insert(local);
    }
  }

  // Whether there are any.
  bool run() {
    for (const int local : counters_)
      function_.locals[static_cast<std::size_t>(local)].type.dtype = dtype_;
    block(function_.body);
    if (!counters_.empty()) convert_result();
    return !counters_.empty();
  }

 private:
  void block(Block& statements) {
    for (Statement& each : statements) {
      if (each.value) expression(*each.value);
      for (Expression& index : each.indices) expression(index);
      for (Expression& bound : each.range) expression(bound);
      if (each.kind == StatementKind::kAssign && counters_.contains(each.local))
        convert(*each.value);
      block(each.body);
      block(each.orelse);
    }
  }

  // A counter is cast back, but where its type makes no difference.
  void expression(Expression& value) {
    for (Expression& operand : value.operands) expression(operand);
    if (const auto local = declare::read_local(value); local && counters_.contains(*local)) {
      Expression counter = value;
      counter.type.dtype = dtype_;
      value = {ExpressionKind::kCast, value.type, value.place, {std::move(counter)}};
    } else if (value.kind == ExpressionKind::kCast && !integer_constant(value.operands[0]) &&
               is_convertible(value.operands[0])) {
      convert(value.operands[0]);
    } else if (value.kind == ExpressionKind::kCall && value.type.dtype == base::DType::kBool &&
               are_convertible(value.operands)) {
      for (Expression& operand : value.operands) convert(operand);
    }
  }

  // The loops' templates cast results to the operands' types.
  void convert_result() {
    std::vector<Expression*> results;
    find_results(function_.body, results);
    const bool are_all = function_.result.kind == ValueType::Kind::kScalar &&
                         std::all_of(results.begin(), results.end(),
                                     [this](const auto* each) { return is_convertible(*each); });
    if (!are_all) return;
    for (Expression* const each : results) convert(*each);
    function_.result.dtype = dtype_;
  }
  static void find_results(Block& statements, std::vector<Expression*>& results) {
    for (Statement& each : statements) {
      if (each.kind == StatementKind::kReturn && each.value) results.push_back(&*each.value);
      find_results(each.body, results);
      find_results(each.orelse, results);
    }
  }

  bool is_counter(const Expression& value) const {
    if (value.kind != ExpressionKind::kCast) return false;
    const auto local = declare::read_local(value.operands[0]);
    return local && counters_.contains(*local);
  }
  bool is_convertible(const Expression& value) const {
    if (value.kind == ExpressionKind::kSelect)
      return is_convertible(value.operands[1]) && is_convertible(value.operands[2]);
    return is_counter(value) || integer_constant(value);
  }
  bool are_convertible(const std::vector<Expression>& values) const {
    return std::all_of(values.begin(), values.end(),
                       [this](const Expression& each) { return is_convertible(each); });
  }
  // A counter, a constant, a sum of both, or a choice of these.
  void convert(Expression& value) const {
    if (is_counter(value)) {
      value = Expression(value.operands[0]);
      return;
    }
    value.type.dtype = dtype_;
    if (const auto number = integer_constant(value)) value.detail = declare::ConstantValue(*number);
    const bool is_choice = value.kind == ExpressionKind::kSelect;
    for (std::size_t i = is_choice ? 1 : 0; i < value.operands.size(); ++i)
      convert(value.operands[i]);
  }

  Function& function_;
  base::DType dtype_;
  std::set<int> counters_;
};

}  // namespace

std::shared_ptr<const declare::TypedKernel> with_counters_of(const declare::TypedKernel& kernel,
                                                             base::DType dtype) {
  auto converted = std::make_shared<declare::TypedKernel>(kernel);
  Function& function = std::get<declare::PythonKernel>(converted->body).function;
  return Converter(function, dtype).run() ? converted : nullptr;
}

}  // namespace numpy_plugin::analysis
