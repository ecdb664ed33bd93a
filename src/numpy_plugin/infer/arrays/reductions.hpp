// Reductions of arrays and of elementwise expressions of them to a number: loops in C order, so
// that every target adds in the same order.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

enum class Reduction {
  kSum,
  kProd,
  kMin,
  kMax,
  kMean,
  kVar,
  kStd,
  kAny,
  kAll,
  kArgmin,
  kArgmax,
  kCountNonzero
};

// By NumPy's name: "sum", "amax"; nullopt for anything else.
std::optional<Reduction> find_reduction(std::string_view name);

struct ReductionOptions {
  std::optional<base::DType> dtype;           // of the result of a sum, a product or a mean
  std::optional<Value> lost_degrees;          // `ddof`
  std::optional<std::vector<int>> axes = {};  // none below 0; nullopt: all
  bool keeps_dimensions = false;
};

// NumPy's reduction of an array expression: of all elements to a number, or along axes to an array.
Value reduce(FunctionContext& context, Reduction reduction, const SyntaxNode& array,
             const ReductionOptions& options, const SyntaxNode& node);
// Its parts: NumPy's exception where there are no elements, and the number of a loop's elements.
void check_not_empty(FunctionContext& context, Reduction reduction, const ElementLoop& loop,
                     const SyntaxNode& node);
Value reduce_loop(FunctionContext& context, Reduction reduction, ElementValues& values,
                  const ReductionOptions& options, const SyntaxNode& node);
// Likewise of dates and durations, where the result is one.
Value reduce_times(FunctionContext& context, Reduction reduction, ElementValues& values,
                   const SyntaxNode& node);
Value reduce_along_axes(FunctionContext& context, Reduction reduction, ElementValues values,
                        const ReductionOptions& options, const SyntaxNode& node);
// np.dot of two 1-dimensional arrays.
Value dot(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
          const SyntaxNode& node);

// Python's functions of a 1-dimensional array: sum; min or max, which compare with `<` and `>`; any
// or all.
Value sum_of_items(FunctionContext& context, const SyntaxNode& array, const Value& start,
                   const SyntaxNode& node);
Value extremum_of_items(FunctionContext& context, Operation operation, const SyntaxNode& array,
                        const SyntaxNode& node);
Value test_of_items(FunctionContext& context, bool is_any, const SyntaxNode& array,
                    const SyntaxNode& node);

// Products of matrices and vectors: a @ b, np.dot(a, b), np.matmul(a, b).

// Of arrays with 1 or 2 dimensions: a number for two vectors, else a new array. Each sum has the
// order of the elements, on every target.
Value product_of_arrays(FunctionContext& context, const SyntaxNode& left, const SyntaxNode& right,
                        const SyntaxNode& node);
// left @ right.
Value infer_matrix_product(FunctionContext& context, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
