// `**`: constant exponents that NumPy computes without pow, and pow for all others.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

Value power(FunctionContext& context, const OperatorInfo& info, const Value& left,
            const Value& right, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
