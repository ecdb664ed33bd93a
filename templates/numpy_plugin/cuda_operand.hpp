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

// A thread's elements of one operand: `count` vectors of `width`, indexed as if they were one
// array. They stay packed, as they lie in memory, until they are used. No loop goes over them, only
// packs: unrolling loops took the compiler as long as all the rest.
template <class T, int width, int count>
struct Items {
  using Vector = Elements<Stored<T>, width>;
  using Raw = Words<sizeof(T) * width>;
  static constexpr int kVectorWords = int(sizeof(Raw)) / 4;
  Raw vectors[count];

  NPP_FUNCTION T get(int i) const {
    return from_stored<T>(bit_cast<Vector>(vectors[i / width]).items[i % width]);
  }
  NPP_FUNCTION void set(int i, T value) {
    Vector vector = bit_cast<Vector>(vectors[i / width]);
    vector.items[i % width] = value;
    vectors[i / width] = bit_cast<Raw>(vector);
  }

  NPP_FUNCTION uint32& word(int i) { return vectors[i / kVectorWords].words[i % kVectorWords]; }
  NPP_FUNCTION uint32 word(int i) const {
    return vectors[i / kVectorWords].words[i % kVectorWords];
  }

  // The vectors lie `stride` of them apart.
  template <int... v>
  NPP_FUNCTION void read(const Raw* first, int stride, Indices<v...>) {
    ((vectors[v] = first[v * stride]), ...);
  }
  template <int... v>
  NPP_FUNCTION void write(Raw* first, int stride, Indices<v...>) const {
    ((first[v * stride] = vectors[v]), ...);
  }
  template <int... v>
  NPP_FUNCTION void fill(T value, Indices<v...>) {
    (set(v, value), ...);
  }
};

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
