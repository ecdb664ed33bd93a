// From the number of an element to its offset in each operand, for any strides.
#pragma once

#include "numpy_plugin/cuda_operand.hpp"

namespace npp {

NPP_FUNCTION uint32 divide(uint32 dividend, const Divisor& divisor) {
  return (__umulhi(dividend, divisor.magic) + dividend) >> divisor.shift;
}

// Byte offsets of kItems elements in each operand.
template <int kOperands, int kItems>
struct Offsets {
  int32 bytes[kItems][kOperands];

  NPP_FUNCTION void add(const int32 (&strides)[kOperands], const uint32 (&coordinates)[kItems]) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
#pragma unroll
      for (int i = 0; i < kOperands; ++i) bytes[k][i] += int32(coordinates[k]) * strides[i];
    }
  }
};

// One dimension: its coordinates are taken off the numbers of the elements.
template <int kOperands, int kItems>
NPP_FUNCTION void take_dimension(const StridedArguments<kOperands>& arguments, int dimension,
                                 uint32 (&numbers)[kItems], Offsets<kOperands, kItems>& offsets) {
  const Divisor size = arguments.sizes[dimension];
  uint32 coordinates[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const uint32 quotient = divide(numbers[k], size);
    coordinates[k] = numbers[k] - quotient * size.divisor;
    numbers[k] = quotient;
  }
  offsets.add(arguments.strides[dimension], coordinates);
}

// The last dimension needs no division: what is left of a number is its coordinate.
template <int kOperands, int kItems>
NPP_FUNCTION Offsets<kOperands, kItems> find_offsets(const StridedArguments<kOperands>& arguments,
                                                     uint32 (&numbers)[kItems]) {
  Offsets<kOperands, kItems> offsets = {};
  const int last = int(arguments.n_dimensions) - 1;
#pragma unroll 1
  for (int dimension = 0; dimension < last; ++dimension)
    take_dimension(arguments, dimension, numbers, offsets);
  offsets.add(arguments.strides[last], numbers);
  return offsets;
}

template <class T, int kOperands>
NPP_FUNCTION T* element_address(const StridedArguments<kOperands>& arguments, int operand,
                                int32 offset) {
  return reinterpret_cast<T*>(address<char>(arguments.operands[operand]) + offset);
}

// An input of the kernel: by value, or from memory.
template <class T, int kOperands>
NPP_FUNCTION T read_operand(const StridedArguments<kOperands>& arguments, int operand,
                            int32 offset) {
  if (has_bit(arguments.values, operand)) return read_slot<T>(arguments.operands[operand]);
  return read<T>(element_address<Stored<T>>(arguments, operand, offset));
}

}  // namespace npp
