// Arrays that a kernel makes: npp.local_array(shape, dtype), whose elements are in the function
// that makes them, and cuda.shared.array(shape, dtype), whose elements the threads of a block
// share.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value make_array(FunctionContext& context, ArrayStorage::Kind kind, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
