// The common shape of an elementwise call's operands by NumPy's broadcasting, and the memory layout
// of new outputs.
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
  // False where the shapes do not broadcast; NumPy reports that.
  bool add(const DeviceArray& array);

  std::span<const std::int64_t> sizes() const { return {sizes_.data(), n_dimensions_}; }
  bool is_of(const DeviceArray& array) const;
  // Whether NumPy can represent its number of elements.
  bool is_countable() const;

 private:
  std::size_t n_dimensions_ = 0;
  std::array<std::int64_t, run::kMaxDimensions> sizes_;  // of n_dimensions_
};

// Strides of arrays broadcast to a call's shape; owns their storage.
class CallStrides {
 public:
  // Null for an array of one element.
  const std::int64_t* of(const DeviceArray& array, const CallShape& shape);

 private:
  std::size_t n_used_ = 0;
  std::array<std::int64_t, (run::kMaxOperands + 1) * run::kMaxDimensions> strides_;
};

// Layout of an output to be allocated, in the order that NumPy would choose.
run::ArrayLayout new_output_layout(const CallShape& shape, const CallOperands& operands,
                                   NPY_ORDER order, std::int64_t item_bytes);
// Likewise from the arrays that determine the order.
run::ArrayLayout new_output_layout(const CallShape& shape,
                                   const std::vector<const DeviceArray*>& arrays, NPY_ORDER order,
                                   std::int64_t item_bytes);

}  // namespace numpy_plugin::ufunc
