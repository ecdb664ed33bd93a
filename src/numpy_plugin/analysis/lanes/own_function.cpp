// The rows of own_functions.def.
#include "numpy_plugin/analysis/lanes/lane_form.hpp"

#include <algorithm>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Operation;

constexpr OwnFunction kFunctions[] = {
#define NPP_OWN_FUNCTION(operation, library_name, own_name, header, n_arguments, lanes, \
                         vector_bytes, since)                                           \
  {Operation::operation, library_name,       own_name,     header,                      \
   n_arguments,          OwnFunction::lanes, vector_bytes, since},
#include "numpy_plugin/kernel/own_functions.def"
};

}  // namespace

std::span<const OwnFunction> own_functions() { return kFunctions; }

const OwnFunction* own_function(const declare::Expression& expression) {
  if (!is_library_call(expression)) return nullptr;
  if (base::is_complex(expression.operands.front().type.dtype)) return nullptr;
  const auto operation = detail<Operation>(expression);
  const auto* const row = std::ranges::find(kFunctions, operation, &OwnFunction::operation);
  return row == std::end(kFunctions) ? nullptr : row;
}

const OwnFunction* own_lane_function(const declare::Expression& expression,
                                     declare::MathMode math) {
  const OwnFunction* const function = own_function(expression);
  if (function == nullptr || math == declare::MathMode::kLibm) return nullptr;
  return lane_form(expression, math) == LaneForm::kEach ? nullptr : function;
}

int own_vector_bytes(const declare::Expression& expression, declare::MathMode math) {
  const OwnFunction* const function = own_lane_function(expression, math);
  if (function == nullptr) return kNoVectors;
  if (math == declare::MathMode::kReproducible) return 0;
  const bool is_double = expression.operands.front().type.dtype == base::DType::kFloat64;
  const int type = is_double ? OwnFunction::kFloat64 : OwnFunction::kFloat32;
  return (function->lanes & type) != 0 ? function->vector_bytes : kNoVectors;
}

}  // namespace numpy_plugin::analysis
