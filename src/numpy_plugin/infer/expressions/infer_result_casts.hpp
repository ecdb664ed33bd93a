// Conversion of values to a declared type, that of a result or of an array's elements: casts,
// errors and warnings.
#pragma once

#include <string>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Expression result_cast(FunctionContext& context, const Value& value, base::DType dtype,
                       const std::string& verb);

}  // namespace numpy_plugin::declare
