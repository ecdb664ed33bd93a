// Arrays created in a kernel: npp.local_array(shape, dtype), private to the function, and
// cuda.shared.array(shape, dtype), shared by the threads of a block.
#pragma once

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value make_array(FunctionContext& context, ArrayStorage::Kind kind, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
