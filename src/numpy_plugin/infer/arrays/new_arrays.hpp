// New arrays of a kernel: those of constant sizes are in the function's own memory, like
// npp.local_array; others in scratch memory.
#pragma once

#include <cstdint>
#include <vector>

#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Limit for all local arrays of a function together: they are on a thread's stack.
constexpr std::int64_t kMaxLocalBytes = 65536;

// The variable whose only value is this node's array, else a new local.
int local_for_array(FunctionContext& context, const InferredType& type, ArrayStorage array_storage,
                    const SyntaxNode& node);

// Number of bytes, at most 2**63.
Int128 array_bytes(const std::vector<std::int64_t>& sizes, base::DType dtype);
// Whether the function has room for a local array of these sizes, which it then takes.
bool takes_local_bytes(FunctionContext& context, const std::vector<std::int64_t>& sizes,
                       base::DType dtype);
// An array in a local, of local or shared memory.
Value stored_array_of(FunctionContext& context, ArrayStorage::Kind kind, base::DType dtype,
                      const std::vector<std::int64_t>& sizes, const SyntaxNode& node);
// A local array of zeros for which there is room.
Value local_array_of(FunctionContext& context, base::DType dtype,
                     const std::vector<std::int64_t>& sizes, const SyntaxNode& node);

// A size as types know it: a constant, or that of a core dimension; -1 for others.
std::int64_t known_size(const FunctionContext& context, const Expression& size);

// A new array with undefined elements. `type` may have sizes; `sizes` has an int64 per dimension
// that is evaluated once, none of them negative.
Value new_array(FunctionContext& context, const InferredType& type, std::vector<Expression> sizes,
                const SyntaxNode& node);

// Likewise where the statement's variable becomes a view of the array.
Value viewed_array(FunctionContext& context, const InferredType& type,
                   std::vector<Expression> sizes, const SyntaxNode& node);

// A dimension of a new array, with its size as types know it: see InferredType.
struct NewDimension {
  Expression size;
  std::int64_t known = -1;
};

// That of a loop's axis.
NewDimension dimension_of(const ElementLoop& loop, std::size_t axis);
Value new_array(FunctionContext& context, base::DType dtype, std::vector<NewDimension> dimensions,
                const SyntaxNode& node);

}  // namespace numpy_plugin::declare
