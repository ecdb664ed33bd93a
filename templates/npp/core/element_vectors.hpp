// Numbers side by side in vectors, on hosts.
#pragma once

#include "npp/core/element_blocks.hpp"
#include "npp/vector/operations.hpp"

namespace npp::blocks {

inline constexpr int kVectorBytes = NPP_NATIVE_VECTOR_BYTES == 0 ? 16 : NPP_NATIVE_VECTOR_BYTES;
inline constexpr int kVectors = 4;  // whose operations overlap in time

// bool and the 16-bit floating-point types by their bits.
template <class T>
using Item = Conditional<kIsBool<T>, uint8, Conditional<kIsHalf<T>, int16, T>>;
template <class T>
NPP_FUNCTION const Item<T>* items(const T* numbers) {
  return reinterpret_cast<const Item<T>*>(numbers);
}

template <class T>
using Items = vector::Vector<T, kVectorBytes / sizeof(T)>;
template <class T>
inline constexpr intp kLanes = vector::kCount<Items<T>>;
template <class T>
inline constexpr intp kTogether = kVectors* kLanes<T>;

template <class T>
NPP_FUNCTION Items<T> load(const T* items) {
  Items<T> loaded;
  __builtin_memcpy(&loaded, items, sizeof loaded);
  return loaded;
}

// A bit for each byte of a mask, whose bytes are all ones or zeros.
template <class Mask>
NPP_FUNCTION uint64 bits_of_bytes(const Mask& mask) {
#if defined(__AVX2__)
  constexpr int kPart = 32;
#elif defined(__SSE2__)
  constexpr int kPart = 16;
#else
  constexpr int kPart = sizeof(uint64);
#endif
  vector::Vector<char, kPart> parts[sizeof(Mask) / kPart];
  __builtin_memcpy(parts, &mask, sizeof mask);
  uint64 bits = 0;
  for (int k = 0; k < int(sizeof(Mask) / kPart); ++k) {
#if defined(__AVX2__)
    const auto part = static_cast<uint32>(__builtin_ia32_pmovmskb256(parts[k]));
#elif defined(__SSE2__)
    const auto part = static_cast<uint32>(__builtin_ia32_pmovmskb128(parts[k]));
#else
    const uint64 part =
        (bit_cast<uint64>(parts[k]) & 0x8040201008040201ul) * 0x0101010101010101ul >> 56;
#endif
    bits |= uint64(part) << (k * kPart);
  }
  return bits;
}
template <class Mask>
NPP_FUNCTION bool any(const Mask& mask) {
  return bits_of_bytes(mask) != 0;
}

// Where the k-th of several vectors begins. One that would reach beyond the end of n items, which
// are at least a vector's, overlaps those before.
template <class T>
NPP_FUNCTION intp start_of(intp first, int k, intp n) {
  const intp start = first + k * kLanes<T>, last = n - kLanes<T>;
  return start < last ? start : last;
}

// The lanes in which a test holds for one of several vectors.
template <class V, class Test>
NPP_FUNCTION auto lanes_of_any(const V (&vectors)[kVectors], const Test& test) {
  return (test(vectors[0]) | test(vectors[1])) | (test(vectors[2]) | test(vectors[3]));
}

template <class T>
struct Several {
  Items<T> vectors[kVectors];
  NPP_FUNCTION Several(const T* items, intp first, intp n) {
    NPP_UNROLLED
    for (int k = 0; k < kVectors; ++k) vectors[k] = load(items + start_of<T>(first, k, n));
  }
};

// The index of the first item for which a test holds; n where there is none.
template <class T, class Test>
NPP_FUNCTION intp first_where(const T* items, intp n, const Test& test) {
  if (n < kLanes<T>) {
    intp i = 0;
    while (i < n && !test(items[i])) ++i;
    return i;
  }
  for (intp first = 0; first < n; first += kTogether<T>) {
    const Several<T> several(items, first, n);
    if (!any(lanes_of_any(several.vectors, test))) continue;
    // From the last one on: without branches that depend on the items.
    intp found = n;
    NPP_UNROLLED
    for (int k = kVectors - 1; k >= 0; --k) {
      const uint64 bits = bits_of_bytes(test(several.vectors[k]));
      const intp lane = __builtin_ctzl(bits | uint64(1) << 63) / intp(sizeof(T));
      found = bits != 0 ? start_of<T>(first, k, n) + lane : found;
    }
    return found;
  }
  return n;
}

}  // namespace npp::blocks
