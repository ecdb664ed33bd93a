// Conversion of values to a declared type, that of a result or of an array's elements: casts,
// errors and warnings.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The message for a value of another kind than the declared one: "float64 returned, int32
// declared; truncated toward zero".
std::string kind_change_text(base::DType from, base::DType to, const std::string& verb);

// The value as NumPy's assignment converts it; an error where an imaginary part would be lost.
Expression result_cast(FunctionContext& context, const Value& value, base::DType dtype,
                       const std::string& verb);

}  // namespace numpy_plugin::declare
