// Arrays in indices, a[a > 2] and m[order, 0], and arrays whose sizes depend on elements: a loop
// fills the beginning of a new array that has room for all of them.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/infer/arrays/accumulators.hpp"
#include "numpy_plugin/infer/arrays/element_loop.hpp"
#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// The size of an array in a local, a constant where it is known.
Expression size_of(const Value& array, std::size_t axis);

// The index of a subscript with arrays in it.
struct ArrayIndex {
  std::vector<const SyntaxNode*> arrays;  // masks and arrays of indices
  std::vector<const SyntaxNode*> others;  // for each dimension; null where an array selects
  std::size_t axis = 0;                   // the first of those, once `others` are applied
  std::size_t n_axes = 0;                 // that are selected from
};

// nullopt after an error.
std::optional<ArrayIndex> array_index(FunctionContext& context, const Value& array,
                                      const SyntaxNode& node);
// Whether an element of an index is a bool or an integer; false after an error.
bool check_index_array(FunctionContext& context, const Value& element, const SyntaxNode& index);
// As NumPy, requires a mask's sizes to be those of the array, from that axis on.
void check_mask_sizes(FunctionContext& context, const ElementLoop& mask, const Value& array,
                      std::size_t axis, const SyntaxNode& node);

// A subscript with an array in its index: a copy of the elements, or of the rows, that a mask or an
// array of indices selects.
Value selected_part(FunctionContext& context, const Value& array, const SyntaxNode& node);

// The elements that a subscript with arrays in its index selects.
struct SelectedElements {
  Value array;                           // in a local, with the other indices applied
  ElementLoop loop;                      // over them
  std::vector<Expression> indices = {};  // of one of them
  bool is_masked = false;                // by one mask of all dimensions
};

// nullopt after an error.
std::optional<SelectedElements> selected_elements(FunctionContext& context, const Value& array,
                                                  const SyntaxNode& node);

// The form of places: a tuple of an array for each dimension, an array of numbers in C order, or a
// matrix of rows.
enum class PlaceForm { kTuple, kFlat, kMatrix };

// The places of elements that are not zero, in C order; empty after an error.
std::vector<Value> nonzero_places(FunctionContext& context, ElementValues values, PlaceForm form,
                                  const SyntaxNode& node);

}  // namespace numpy_plugin::declare
