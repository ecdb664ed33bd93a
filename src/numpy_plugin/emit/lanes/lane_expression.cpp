// Operations by their form; branches become masks and selections.
#include "numpy_plugin/emit/lanes/lane_expression.hpp"

#include <algorithm>
#include <utility>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/base/text.hpp"

namespace numpy_plugin::emit {

using declare::Expression;
using declare::ExpressionKind;
using declare::Operation;
using declare::SourceSpan;

namespace {

Expression cast_to(base::DType dtype, Expression value) {
  const SourceSpan place = value.place;
  return {ExpressionKind::kCast, declare::ValueType::scalar(dtype), place, {std::move(value)}};
}

// An operation of 16-bit numbers as one between conversions, which is how those on numbers compute.
Expression in_float32(Expression call) {
  const base::DType result = call.type.dtype;
  for (Expression& operand : call.operands)
    operand = cast_to(base::DType::kFloat32, std::move(operand));
  if (!base::is_half(result)) return call;
  call.type.dtype = base::DType::kFloat32;
  return cast_to(result, std::move(call));
}

}  // namespace

namespace {

// A function of numbers or vectors for templates.
std::string called(const std::string& name) {
  return format("[](auto... x) { return npp::{}(x...); }", name);
}

}  // namespace

std::string LaneExpressionPrinter::spread(base::DType dtype, const std::string& value) const {
  return format("{}({})", writer_.type(dtype), value);
}

std::string LaneExpressionPrinter::print_uniform(const Expression& expression) const {
  return scalars_.print(expression);
}

std::string LaneExpressionPrinter::print_under(const std::string& mask,
                                               const Expression& expression) {
  mask_ = mask;
  return print(expression);
}

std::string LaneExpressionPrinter::print_shared(const std::string& mask,
                                                const Expression& expression) {
  sharing_ = mask;
  std::string text = print_under(mask, expression);
  sharing_.reset();
  return text;
}

void LaneExpressionPrinter::forget(int local) {
  std::erase_if(shared_, [local](const auto& each) {
    return analysis::is_mentioned(each.second.expression, local);
  });
}

std::string LaneExpressionPrinter::print(const Expression& expression) const {
  if (analysis::is_uniform(plan_.uniform, expression))
    return spread(expression.type.dtype, print_uniform(expression));
  switch (expression.kind) {
    case ExpressionKind::kLoad:
      return element(expression);
    case ExpressionKind::kCall:
      return operation(expression);
    case ExpressionKind::kCast:
      return cast(expression);
    case ExpressionKind::kSelect:
      return choice(expression);
    case ExpressionKind::kAnd:
      return connective(expression, true);
    case ExpressionKind::kOr:
      return connective(expression, false);
    case ExpressionKind::kTuple:
      return call(writer_.type(expression.type), print(expression.operands));
    case ExpressionKind::kCallFunction:
      return device_function(expression);
    default:
      return ExpressionPrinter::print(expression);
  }
}

ExpressionPrinter::Texts LaneExpressionPrinter::print_indices(
    const std::vector<Expression>& indices) const {
  const bool are_uniform = std::all_of(indices.begin(), indices.end(), [&](const Expression& each) {
    return analysis::is_uniform(plan_.uniform, each);
  });
  if (!are_uniform) return print(indices);
  Texts texts;
  for (const Expression& each : indices) texts.push_back(print_uniform(each));
  return texts;
}

// "a.load(mask, npp::int64(1))".
std::string LaneExpressionPrinter::element(const Expression& load) const {
  const std::string array = local(detail<declare::ElementLoad>(load).array);
  return call(array + ".load", with_mask(true, print_indices(load.operands)));
}

ExpressionPrinter::Texts LaneExpressionPrinter::with_mask(bool is_needed, Texts arguments) const {
  if (is_needed || !mask_.empty()) {
    arguments.insert(arguments.begin(), whole_mask(mask_));
  }
  return arguments;
}

std::string LaneExpressionPrinter::whole_mask(const std::string& mask) const {
  return mask.empty() ? writer_.mask_type() + "(true)" : mask;
}

// "square_0_lanes(errors, active, x)".
std::string LaneExpressionPrinter::device_function(const Expression& expression) const {
  const auto function =
      static_cast<std::size_t>(detail<declare::DeviceFunctionCall>(expression).function);
  Texts arguments = print(expression.operands);
  if (plan_.called.at(function).is_guarded) arguments = with_mask(true, arguments);
  return call(scope_.device_functions.at(function), scope_.with_errors(arguments));
}

// "npp::lanes::math<double>(mask, 0.5, [](auto... x) { return npp::log(x...); }, a)",
// "npp::lanes::vectors([](auto... x) { return npp::vector_math::pow(x...); }, a, b)", or
// "npp::lanes::own_or_math<64, 22>(0.5, [](auto... x) { return npp::vector_math::log(x...); },
// [](auto... x) { return npp::log(x...); }, a)".
std::string LaneExpressionPrinter::function(const Expression& expression, Texts operands) const {
  const analysis::OwnFunction* const own = analysis::own_lane_function(expression, plan_.math);
  const int own_bytes = analysis::own_vector_bytes(expression, plan_.math);
  const bool is_own = own_bytes <= 32;
  const bool has_choice = own != nullptr && !is_own;
  const bool is_acosh = detail<Operation>(expression) == Operation::kAcosh;
  if (!is_own)
    operands.insert(operands.begin(),
                    called(std::string(declare::info(detail<Operation>(expression)).name)));
  if (own != nullptr)
    operands.insert(operands.begin(), called(format("vector_math::{}", own->own_name)));
  const bool has_mask = !mask_.empty() || own == nullptr;
  if (has_mask || has_choice) operands.insert(operands.begin(), is_acosh ? "2" : "0.5");
  if (has_mask) operands = with_mask(true, operands);
  if (has_choice)
    return call(format("npp::lanes::own_or_math<{}, {}>", own_bytes, own->since), operands);
  if (is_own) return call("npp::lanes::vectors", operands);
  return call(format("npp::lanes::math<{}>", cpp_type(expression.type)), operands);
}

// "npp::lanes::all<npp::int64>([=](auto a) { return npp::time_floor_ticks(a, npp::int64(60)); },
// t)": compilers know what is uniform.
std::string LaneExpressionPrinter::for_all(const Expression& expression) const {
  static constexpr const char* kNames[] = {"a", "b", "c"};
  Texts operands, parameters, arguments;
  for (const Expression& operand : expression.operands) {
    if (analysis::is_uniform(plan_.uniform, operand)) {
      arguments.push_back(print_uniform(operand));
    } else {
      arguments.emplace_back(kNames[arguments.size()]);
      parameters.push_back("auto " + arguments.back());
      operands.push_back(print(operand));
    }
  }
  const std::string_view name = declare::info(detail<Operation>(expression)).name;
  operands.insert(operands.begin(),
                  format("[=]({}) { return npp::{}({}); }", base::join(parameters, ", "), name,
                         base::join(arguments, ", ")));
  return call(format("npp::lanes::all<{}>", cpp_type(expression.type)), operands);
}

std::string LaneExpressionPrinter::operation(const Expression& expression) const {
  if (const auto found = shared_.find(scalars_.print(expression)); found != shared_.end())
    return found->second.name;
  if (analysis::computes_in_float32(expression)) return print(in_float32(expression));
  const analysis::LaneForm form = analysis::lane_form(expression, plan_.math);
  const std::string name(declare::info(detail<Operation>(expression)).name);
  if (form == analysis::LaneForm::kAll) return for_all(expression);
  Texts operands = print(expression.operands);
  if (const auto divisor = analysis::known_divisor(expression)) {
    operands.pop_back();
    if (form == analysis::LaneForm::kGuarded) operands = with_mask(false, operands);
    return call(format("npp::lanes::{}_by<{}u>", name, *divisor), operands);
  }
  if (form == analysis::LaneForm::kPlain) return call("npp::lanes::" + name, operands);
  if (form == analysis::LaneForm::kGuarded)
    return shared(expression, call("npp::lanes::" + name, with_mask(false, operands)));
  if (form == analysis::LaneForm::kMath) return function(expression, operands);
  operands.insert(operands.begin(), called(name));
  return call(format("npp::lanes::each<{}>", cpp_type(expression.type)), with_mask(true, operands));
}

// A compiler sees no common part in operations under two masks.
std::string LaneExpressionPrinter::shared(const Expression& part, std::string value) const {
  if (sharing_ != mask_) return value;
  const std::string name = writer_.define("part", part.type.dtype, value);
  shared_.emplace(scalars_.print(part), Part{part, name});
  return name;
}

std::string LaneExpressionPrinter::cast(const Expression& expression) const {
  const Texts operands = print(expression.operands);
  return call(format("npp::lanes::cast<{}>", cpp_type(expression.type)),
              analysis::is_guarded_cast(expression) ? with_mask(false, operands) : operands);
}

// An operand of which only the lanes of a mask are used; skipped where there are none and it would
// take long.
std::string LaneExpressionPrinter::branch(const std::string& mask,
                                          const Expression& expression) const {
  if (analysis::is_uniform(plan_.uniform, expression)) return print(expression);
  const std::string outer = std::exchange(mask_, mask);
  std::string result;
  if (analysis::is_costly_in_lanes(plan_, expression)) {
    result = writer_.declare_zero("part", expression.type);
    writer_.open(format("if (npp::lanes::any({}))", mask));
    writer_.line(format("{} = {};", result, print(expression)));
    writer_.close();
  } else {
    result = print(expression);
  }
  mask_ = outer;
  return result;
}

std::string LaneExpressionPrinter::choice(const Expression& expression) const {
  const Expression& first = expression.operands[1];
  const Expression& second = expression.operands[2];
  std::string condition = print(expression.operands[0]);
  if (!analysis::has_guarded_parts(plan_, first) && !analysis::has_guarded_parts(plan_, second))
    return call("npp::lanes::select", {condition, print(first), print(second)});
  condition = writer_.define_mask("condition", condition);
  const std::string then_mask = writer_.define_mask("active", masks_both(mask_, condition));
  const std::string else_mask = writer_.define_mask("active", masks_and_not(mask_, condition));
  const std::string chosen = branch(then_mask, first);
  return call("npp::lanes::select", {condition, chosen, branch(else_mask, second)});
}

std::string LaneExpressionPrinter::connective(const Expression& expression, bool is_and) const {
  std::string left = print(expression.operands[0]);
  const Expression& right = expression.operands[1];
  const std::string function = is_and ? "npp::lanes::bitwise_and" : "npp::lanes::bitwise_or";
  if (!analysis::has_guarded_parts(plan_, right)) return call(function, {left, print(right)});
  left = writer_.define_mask("left", left);
  const std::string mask =
      writer_.define_mask("active", is_and ? masks_both(mask_, left) : masks_and_not(mask_, left));
  return call(function, {left, branch(mask, right)});
}

}  // namespace numpy_plugin::emit
