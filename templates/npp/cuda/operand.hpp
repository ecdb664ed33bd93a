// Reads and writes an operand's elements on the device, singly or as vectors.
#pragma once

#include "npp/cuda/arguments.hpp"

namespace npp {

// Whether a mask follows the inputs.
enum class Mask { kNone, kGiven };

template <class Kernel, Mask mask>
inline constexpr int kOperandsOf = Kernel::Inputs::kCount +
                                   (mask == Mask::kGiven) + Kernel::Outputs::kCount;

// A bool is read as a number: a byte other than 0 and 1 in a bool would be undefined behavior.
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

// Elements of one memory access.
template <int n_bytes>
struct alignas(n_bytes) Words {
  using Word = uint32;
  Word words[n_bytes / 4];
};
template <>
struct Words<2> {
  using Word = uint16;
  Word words[1];
};
template <>
struct Words<1> {
  using Word = uint8;
  Word words[1];
};

template <class T, int count>
struct Elements {
  T items[count];
};

// A thread's elements of one operand: `count` vectors of `width`, indexed like one array. Narrow
// ones are kept packed as in memory, which saves registers. Accessed by parameter packs rather than
// loops: unrolling loops took the compiler as long as everything else.
template <class T, int width, int count>
struct Items {
  using Vector = Elements<Stored<T>, width>;
  using Raw = Words<sizeof(T) * width>;
  using Word = typename Raw::Word;
  static constexpr bool kIsNarrow = sizeof(T) < 4;
  static constexpr int kPart = sizeof(Word) / sizeof(T);  // elements per word
  static constexpr int kWords = sizeof(Raw) / sizeof(Word);
  using Part = Elements<Stored<T>, kPart>;
  Conditional<kIsNarrow, Raw, Vector> vectors[count];

  NPP_FUNCTION T get(int i) const {
    if constexpr (kIsNarrow)
      return from_stored<T>(bit_cast<Part>(word(i / kPart)).items[i % kPart]);
    else
      return vectors[i / width].items[i % width];
  }
  NPP_FUNCTION void set(int i, T value) {
    if constexpr (kIsNarrow) {
      Part part = bit_cast<Part>(word(i / kPart));
      part.items[i % kPart] = value;
      word(i / kPart) = bit_cast<Word>(part);
    } else {
      vectors[i / width].items[i % width] = value;
    }
  }

  NPP_FUNCTION Word& word(int i) { return vectors[i / kWords].words[i % kWords]; }
  NPP_FUNCTION Word word(int i) const { return vectors[i / kWords].words[i % kWords]; }

  // The vectors are `stride` vectors apart.
  template <int... v>
  NPP_FUNCTION void read(const Vector* first, int stride, Indices<v...>) {
    ((vectors[v] = bit_cast<Conditional<kIsNarrow, Raw, Vector>>(
          reinterpret_cast<const Raw*>(first)[v * stride])),
     ...);
  }
  template <int... v>
  NPP_FUNCTION void write(Vector* first, int stride, Indices<v...>) const {
    ((reinterpret_cast<Raw*>(first)[v * stride] = bit_cast<Raw>(vectors[v])), ...);
  }
  template <int... v>
  NPP_FUNCTION void fill(T value, Indices<v...>) {
    (set(v, value), ...);
  }
};

// The i-th result of a kernel: its only one, or an item of a tuple.
template <int i, class T>
NPP_FUNCTION T result(const T& value) {
  return value;
}
template <int i, class... Ts>
NPP_FUNCTION auto result(const Tuple<Ts...>& values) {
  return get<i>(values);
}

}  // namespace npp
