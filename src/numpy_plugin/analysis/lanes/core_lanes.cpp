// Lanes pay for elements that take paths of their own. Compilers vectorize along core dimensions,
// and loading an element of each lane takes as long as computing with it.
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/generalized_kernel.hpp"
#include "numpy_plugin/analysis/lanes/lane_form.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::CoreDimension;
using declare::CoreSignature;
using declare::Expression;
using declare::ExpressionKind;
using declare::Statement;
using declare::StatementKind;

constexpr long kMostHeld = 64;  // elements of an operand

// 0 where the call determines it.
long n_core_elements(const CoreSignature& layout, const std::vector<CoreDimension>& dimensions) {
  long n_elements = 1;
  for (const CoreDimension& core : dimensions) {
    const long size = layout.names.at(static_cast<std::size_t>(core.name_index)).frozen_size;
    if (size < 1 || size > kMostHeld) return 0;
    n_elements *= size;
  }
  return n_elements;
}

bool has_dimensions_of_varying_number(const CoreSignature& layout) {
  return std::any_of(layout.names.begin(), layout.names.end(),
                     [](const auto& name) { return name.is_optional || name.is_broadcastable; });
}

bool is_written(const CoreSignature& layout, std::size_t operand) {
  return operand >= layout.n_inputs || layout.is_writable(operand);
}

bool holds_results(const declare::TypedKernel& kernel) {
  for (std::size_t i = 0; i < kernel.layout->operands.size(); ++i) {
    if (is_written(*kernel.layout, i) && core_form(kernel, i) == CoreForm::kRead) return false;
  }
  return true;
}

// Whether all lanes read the next element of such an input in each trip of a loop, which is faster
// along the array.
bool walks_along_arrays(const declare::TypedKernel& kernel, const std::set<int>& uniform) {
  bool found = false;
  const auto visit = [&](const Expression& expression) {
    if (expression.kind != ExpressionKind::kLoad) return;
    const auto array = static_cast<std::size_t>(detail<declare::ElementLoad>(expression).array);
    const auto is_varying = [](const Expression& index) {
      return index.kind != ExpressionKind::kConstant;
    };
    const auto& indices = expression.operands;
    found |= core_form(kernel, array) == CoreForm::kRead &&
             std::all_of(indices.begin(), indices.end(),
                         [&](const Expression& index) { return is_uniform(uniform, index); }) &&
             std::any_of(indices.begin(), indices.end(), is_varying);
  };
  visit_expressions(std::get<declare::PythonKernel>(kernel.body).function.body, visit);
  return found;
}

bool computes(const Expression& expression) {
  const bool is_computed = expression.kind == ExpressionKind::kCall
                               ? lane_form(expression) != LaneForm::kPlain
                               : expression.kind == ExpressionKind::kCast;
  return is_computed ||
         std::any_of(expression.operands.begin(), expression.operands.end(), computes);
}

// Whether only the lanes of a condition compute an operand.
bool has_own_path(const Expression& expression, const std::set<int>& uniform) {
  switch (expression.kind) {
    case ExpressionKind::kSelect:
    case ExpressionKind::kAnd:
    case ExpressionKind::kOr:
      return !is_uniform(uniform, expression.operands.front()) &&
             std::any_of(expression.operands.begin() + 1, expression.operands.end(), computes);
    default:
      return false;
  }
}

bool has_own_path(const Statement& statement, const std::set<int>& uniform) {
  switch (statement.kind) {
    case StatementKind::kIf:
    case StatementKind::kWhile:
      return !is_uniform(uniform, *statement.value);
    case StatementKind::kForRange:
      return !std::all_of(statement.range.begin(), statement.range.end(),
                          [&](const Expression& bound) { return is_uniform(uniform, bound); });
    default:
      return false;
  }
}

bool has_own_paths(const Block& body, const std::set<int>& uniform) {
  bool found = false;
  visit_statements(body, [&](const Statement& each) { found |= has_own_path(each, uniform); });
  visit_expressions(body, [&](const Expression& each) { found |= has_own_path(each, uniform); });
  return found;
}

bool has_own_paths(const declare::PythonKernel& kernel, const LanePlan& plan) {
  bool found = has_own_paths(kernel.function.body, plan.uniform);
  for (std::size_t i = 0; i < plan.called.size(); ++i)
    found |= has_own_paths(kernel.device_functions[i].body, plan.called[i].uniform);
  return found;
}

}  // namespace

CoreForm core_form(const declare::TypedKernel& kernel, std::size_t operand) {
  const CoreSignature& layout = *kernel.layout;
  const auto& dimensions = layout.operands.at(operand);
  const bool is_input = operand < layout.n_inputs;
  if (is_input && dimensions.empty() && kernel.signature.inputs[operand].n_dimensions == 0)
    return CoreForm::kNumber;
  const long n_elements = n_core_elements(layout, dimensions);
  if (n_elements < 1 || n_elements > kMostHeld) return CoreForm::kRead;
  const bool is_result = !is_input && is_wholly_written(kernel, static_cast<int>(operand));
  return is_result ? CoreForm::kResult : CoreForm::kHeld;
}

std::string why_no_core_lanes(const declare::TypedKernel& kernel, const LanePlan& plan) {
  if (!has_own_paths(std::get<declare::PythonKernel>(kernel.body), plan))
    return "no branches or loops that depend on the element";
  if (traits(kernel).has_vector_math) return "mathematical functions";
  if (has_dimensions_of_varying_number(*kernel.layout)) return "optional or broadcast dimensions";
  if (!holds_results(kernel)) return "results of unknown or large core sizes";
  if (walks_along_arrays(kernel, plan.uniform))
    return "loops along core dimensions of unknown or large size";
  return "";
}

}  // namespace numpy_plugin::analysis
