// The shape that the operands of an elementwise call have in common, as NumPy broadcasts them, and
// where new outputs have their elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy_plugin/run/launch/elementwise_call.hpp"
#include "numpy_plugin/ufunc/arguments/call_operands.hpp"

namespace numpy_plugin::ufunc {

class CallShape {
 public:
  // False where the shapes do not fit; NumPy has the words for that.
  bool add(const DeviceArray& array);

  std::span<const std::int64_t> sizes() const { return {sizes_.data(), n_dimensions_}; }
  bool is_of(const DeviceArray& array) const;
  // Whether the number of its elements is a number that NumPy counts with.
  bool is_countable() const;

 private:
  std::size_t n_dimensions_ = 0;
  std::array<std::int64_t, run::kMaxDimensions> sizes_;  // of n_dimensions_
};

// The strides of arrays as a call of some shape goes through them, which live as long as this.
class CallStrides {
 public:
  // Null for an array of one element.
  const std::int64_t* of(const DeviceArray& array, const CallShape& shape);

 private:
  std::size_t n_used_ = 0;
  std::array<std::int64_t, (run::kMaxOperands + 1) * run::kMaxDimensions> strides_;
};

// Of an output that the call makes, in the order that NumPy would give it.
run::ArrayLayout new_output_layout(const CallShape& shape, const CallOperands& operands,
                                   NPY_ORDER order, std::int64_t item_bytes);
// Likewise from the arrays that the order depends on.
run::ArrayLayout new_output_layout(const CallShape& shape,
                                   const std::vector<const DeviceArray*>& arrays, NPY_ORDER order,
                                   std::int64_t item_bytes);

}  // namespace numpy_plugin::ufunc
