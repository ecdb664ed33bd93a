// Arrays created in a kernel: npp.local_array(shape, dtype), private to the function, and
// cuda.shared.array(shape, dtype), shared by the threads of a block.
#pragma once

#include <cstdint>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

Value make_array(FunctionContext& context, ArrayStorage::Kind kind, const SyntaxNode& node);

// The variable whose only value is the call's array, else a new local.
int local_for_array(FunctionContext& context, const InferredType& type, ArrayStorage array_storage,
                    const SyntaxNode& call);

// Whether the function has room for a local array of these sizes, which it then takes.
bool takes_local_bytes(FunctionContext& context, const std::vector<std::int64_t>& sizes,
                       base::DType dtype);
// A local array of zeros for which there is room.
Value local_array_of(FunctionContext& context, base::DType dtype,
                     const std::vector<std::int64_t>& sizes, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
