// Computes the offset in each operand from the number of an element, for any strides.
#pragma once

#include "npp/cuda/operand.hpp"

namespace npp {

NPP_FUNCTION uint32 divide(uint32 dividend, const Divisor& divisor) {
  return (__umulhi(dividend, divisor.magic) + dividend) >> divisor.shift;
}
NPP_FUNCTION uint64 divide(uint64 dividend, uint64 divisor) { return dividend / divisor; }

NPP_FUNCTION uint32 divisor_of(const Divisor& size) { return size.divisor; }
NPP_FUNCTION uint64 divisor_of(uint64 size) { return size; }

// Byte offsets of kItems elements in each operand. Intermediate values may wrap; final ones fit.
template <class Offset, int kOperands, int kItems>
struct Offsets {
  using Bits = Unsigned<Offset>;
  static constexpr int kCount = kItems;
  Offset bytes[kItems][kOperands];

  template <class Number>
  NPP_FUNCTION void add(const Bits (&strides)[kOperands], const Number (&numbers)[kItems]) {
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
#pragma unroll
      for (int i = 0; i < kOperands; ++i)
        bytes[k][i] = Offset(Bits(bytes[k][i]) + Bits(numbers[k]) * strides[i]);
    }
  }
};

template <class Arguments, int kItems>
using OffsetsOf = Offsets<typename Arguments::Offset, Arguments::kOperands, kItems>;

// With n the number of an element and n' = n / size, its coordinate is n - n' size, which
// contributes n stride + n' (stride' - size stride) for this dimension and the next: no remainders.
template <class Arguments, class Number, int kItems>
NPP_FUNCTION OffsetsOf<Arguments, kItems> find_offsets(const Arguments& arguments,
                                                       Number (&numbers)[kItems]) {
  using Result = OffsetsOf<Arguments, kItems>;
  using Bits = typename Result::Bits;
  Result offsets = {};
  Bits strides[Arguments::kOperands];
#pragma unroll
  for (int i = 0; i < Arguments::kOperands; ++i) strides[i] = Bits(arguments.strides[0][i]);
  offsets.add(strides, numbers);
#pragma unroll 1
  for (int dimension = 1; dimension < int(arguments.n_dimensions); ++dimension) {
    const auto size = arguments.sizes[dimension - 1];
#pragma unroll
    for (int k = 0; k < kItems; ++k) numbers[k] = divide(numbers[k], size);
#pragma unroll
    for (int i = 0; i < Arguments::kOperands; ++i)
      strides[i] = Bits(arguments.strides[dimension][i]) -
                   Bits(divisor_of(size)) * Bits(arguments.strides[dimension - 1][i]);
    offsets.add(strides, numbers);
  }
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
