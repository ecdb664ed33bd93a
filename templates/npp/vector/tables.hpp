// Tables of 32 floats or 16 doubles, which AVX-512 keeps in two registers.
#pragma once

#include "npp/vector/operations.hpp"

#if NPP_DEVICE
#define NPP_TABLE static __constant__ const
#else
#define NPP_TABLE alignas(64) static constexpr
#endif

namespace npp::vector {

template <class T>
inline constexpr int kTableLength = 128 / sizeof(T);

#if NPP_NATIVE_VECTOR_BYTES == 64
// The elements of two vectors at the lowest bits of each index.
template <class V>
NPP_FUNCTION V shuffled(V low, V high, Bits<V> index) {
#if !defined(__clang__)
  return __builtin_shuffle(low, high, index);
#else
  if constexpr (sizeof(Element<V>) == 4) {
    return __builtin_ia32_vpermi2varps512(low, index, high);
  } else {
    return __builtin_ia32_vpermi2varpd512(low, bit_cast<Vector<long long, 8>>(index), high);
  }
#endif
}
#endif

// The entries at the lowest bits of each index.
template <class V>
NPP_FUNCTION V lookup(const Element<V>* table, Bits<V> index) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  if constexpr (sizeof(V) == 64) {
    V low, high;
    __builtin_memcpy(&low, table, sizeof low);
    __builtin_memcpy(&high, table + kCount<V>, sizeof high);
    return shuffled(low, high, index);
  }
#elif NPP_NATIVE_VECTOR_BYTES == 32 && !defined(__clang__)
  if constexpr (kIsSame<V, Vector<float, 8>>) {
    return __builtin_ia32_gathersiv8sf(V{}, table, index & 31, from_bits<V>(~Bits<V>{}), 4);
  }
  if constexpr (kIsSame<V, Vector<double, 4>>) {
    using Index = Vector<long long, 4>;
    return __builtin_ia32_gatherdiv4df(V{}, table, bit_cast<Index>(index & 15),
                                       from_bits<V>(~Bits<V>{}), 8);
  }
#endif
  index = index & (kTableLength<Element<V>> - 1);
  if constexpr (kIsNumber<V>) {
    return table[index];
  } else {
    V found;
    for (int i = 0; i < kCount<V>; ++i) found[i] = table[index[i]];
    return found;
  }
}

}  // namespace npp::vector
