// Reading and writing an operand's elements on the device, one by one or as vectors.
#pragma once

#include "numpy_plugin/cuda_arguments.hpp"

namespace npp {

// A bool is read as a number: a byte other than 0 and 1 in a bool's register would be undefined.
template <class T>
using Stored = Conditional<kIsBool<T>, uint8, T>;

template <class T>
NPP_FUNCTION T from_stored(Stored<T> stored) {
  if constexpr (kIsBool<T>)
    return stored != 0;
  else
    return stored;
}

template <class T>
NPP_FUNCTION T* address(const Operand& operand) {
  return bit_cast<T*>(*reinterpret_cast<const uint64*>(operand.bytes));
}

template <class T>
NPP_FUNCTION T read_slot(const Operand& operand) {
  return from_stored<T>(*reinterpret_cast<const Stored<T>*>(operand.bytes));
}

template <class T>
NPP_FUNCTION T read(const Stored<T>* element) {
  return from_stored<T>(*element);
}

template <class T>
NPP_FUNCTION void write(Stored<T>* element, T value) {
  *element = value;
}

// In 32 bits: 64-bit tests take two instructions.
NPP_FUNCTION bool has_bit(uint64 mask, int bit) {
  const uint32 word = uint32(bit < 32 ? mask : mask >> 32);
  return (word >> bit % 32 & 1) != 0;
}

// What one memory access moves.
template <int n_bytes>
struct alignas(n_bytes) Words {
  uint32 words[n_bytes / 4];
};
template <>
struct Words<2> {
  uint16 word;
};
template <>
struct Words<1> {
  uint8 word;
};

template <class T, int count>
struct Elements {
  T items[count];
};

// Elements [0, width) of a vector become items [first, first + width).
template <int width, class T, int count>
NPP_FUNCTION void read_vector(const Stored<T>* vector, Elements<T, count>& elements, int first) {
  using Raw = Words<sizeof(T) * width>;
  const auto stored = bit_cast<Elements<Stored<T>, width>>(*reinterpret_cast<const Raw*>(vector));
#pragma unroll
  for (int i = 0; i < width; ++i) elements.items[first + i] = from_stored<T>(stored.items[i]);
}

template <int width, class T, int count>
NPP_FUNCTION void write_vector(Stored<T>* vector, const Elements<T, count>& elements, int first) {
  using Raw = Words<sizeof(T) * width>;
  Elements<Stored<T>, width> stored;
#pragma unroll
  for (int i = 0; i < width; ++i) stored.items[i] = elements.items[first + i];
  *reinterpret_cast<Raw*>(vector) = bit_cast<Raw>(stored);
}

// The i-th of the results of a kernel, which is its only one or an item of a tuple.
template <int i, class T>
NPP_FUNCTION T result(const T& value) {
  return value;
}
template <int i, class... Ts>
NPP_FUNCTION auto result(const Tuple<Ts...>& values) {
  return get<i>(values);
}

}  // namespace npp
