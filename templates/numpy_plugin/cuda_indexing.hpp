// From the number of an element to its offset in each operand, for any strides.
#pragma once

#include "numpy_plugin/cuda_operand.hpp"

namespace npp {

NPP_FUNCTION uint32 divide(uint32 dividend, const Divisor& divisor) {
  return (__umulhi(dividend, divisor.magic) + dividend) >> divisor.shift;
}
NPP_FUNCTION uint64 divide(uint64 dividend, uint64 divisor) { return dividend / divisor; }

NPP_FUNCTION uint32 divisor_of(const Divisor& size) { return size.divisor; }
NPP_FUNCTION uint64 divisor_of(uint64 size) { return size; }

// Byte offsets of kItems elements in each operand.
template <class Offset, int kOperands, int kItems>
struct Offsets {
  Offset bytes[kItems][kOperands];

  template <class Number>
  NPP_FUNCTION void add(const Offset (&strides)[kOperands], const Number (&coordinates)[kItems]) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
#pragma unroll
      for (int i = 0; i < kOperands; ++i) bytes[k][i] += Offset(coordinates[k]) * strides[i];
    }
  }
};

template <class Arguments, int kItems>
using OffsetsOf = Offsets<typename Arguments::Offset, Arguments::kOperands, kItems>;

// One dimension: its coordinates are taken off the numbers of the elements.
template <class Arguments, class Number, int kItems>
NPP_FUNCTION void take_dimension(const Arguments& arguments, int dimension,
                                 Number (&numbers)[kItems], OffsetsOf<Arguments, kItems>& offsets) {
  const auto size = arguments.sizes[dimension];
  Number coordinates[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Number quotient = divide(numbers[k], size);
    coordinates[k] = numbers[k] - quotient * divisor_of(size);
    numbers[k] = quotient;
  }
  offsets.add(arguments.strides[dimension], coordinates);
}

// The last dimension needs no division: what is left of a number is its coordinate.
template <class Arguments, class Number, int kItems>
NPP_FUNCTION OffsetsOf<Arguments, kItems> find_offsets(const Arguments& arguments,
                                                       Number (&numbers)[kItems]) {
  OffsetsOf<Arguments, kItems> offsets = {};
  const int last = int(arguments.n_dimensions) - 1;
#pragma unroll 1
  for (int dimension = 0; dimension < last; ++dimension)
    take_dimension(arguments, dimension, numbers, offsets);
  offsets.add(arguments.strides[last], numbers);
  return offsets;
}

template <class T, class Arguments>
NPP_FUNCTION T* element_address(const Arguments& arguments, int operand,
                                typename Arguments::Offset offset) {
  return reinterpret_cast<T*>(address<char>(arguments.operands[operand]) + offset);
}

// An input of the kernel: by value, or from memory.
template <class T, class Arguments>
NPP_FUNCTION T read_operand(const Arguments& arguments, int operand,
                            typename Arguments::Offset offset) {
  if (has_bit(arguments.values, operand)) return read_slot<T>(arguments.operands[operand]);
  return read<T>(element_address<Stored<T>>(arguments, operand, offset));
}

}  // namespace npp
