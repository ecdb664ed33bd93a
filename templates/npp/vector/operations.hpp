// Elements that branch-free functions compute together: float or double, or a vector of them (GNU's
// vector_size). The functions are templates of such a V and use only what is here, so that each
// element gets the bits that a number on its own gets.
#pragma once

#include "npp/core/prelude.hpp"
#include "npp/vector/native.hpp"
#include "npp/vector/neon.hpp"

namespace npp::vector {

template <class V>
inline constexpr bool kIsNumber = kIsOneOf<V, float, double, int32, int64>;

#if NPP_DEVICE
template <class T, int n>
struct VectorType;
#else
template <class T, int n>
struct VectorType {
  typedef T Type __attribute__((vector_size(sizeof(T) * n)));
};
#endif
// A vector of n numbers of a type.
template <class T, int n>
using Vector = typename VectorType<T, n>::Type;

template <class V, bool is_number = kIsNumber<V>>
struct ElementType {
  using Type = V;
};
template <class V>
struct ElementType<V, false> {
  using Type = WithoutReference<decltype(static_cast<V*>(nullptr)[0][0])>;
};
template <class V>
using Element = typename ElementType<V>::Type;

template <class V>
inline constexpr int kCount = sizeof(V) / sizeof(Element<V>);

template <class V, class T, bool is_number = kIsNumber<V>>
struct WithElementType {
  using Type = T;
};
template <class V, class T>
struct WithElementType<V, T, false> {
  using Type = Vector<T, kCount<V>>;
};
// As many elements of another type.
template <class V, class T>
using WithElement = typename WithElementType<V, T>::Type;

// Signed integers of the elements' size: their bits, and masks of all ones or zeros.
template <class V>
using Bits = WithElement<V, SignedOfSize<sizeof(Element<V>)>>;
template <class V>
using UnsignedBits = WithElement<V, UnsignedOfSize<sizeof(Element<V>)>>;

template <class V>
NPP_FUNCTION Bits<V> bits_of(V value) {
  return bit_cast<Bits<V>>(value);
}
template <class V>
NPP_FUNCTION V from_bits(Bits<V> bits) {
  return bit_cast<V>(bits);
}

// The same number in all elements.
template <class V>
NPP_FUNCTION V all(Element<V> value) {
  if constexpr (kIsNumber<V>) {
    return value;
  } else {
    return value - V{};
  }
}

// ---- masks

// On integers only: g++ does not vectorize selections by comparisons of numbers that may be NaN.
template <class I>
NPP_FUNCTION I less(I a, I b) {
  if constexpr (kIsNumber<I>) {
    return I(-I(a < b));
  } else {
    return a < b;
  }
}
template <class I>
NPP_FUNCTION I equal(I a, I b) {
  if constexpr (kIsNumber<I>) {
    return I(-I(a == b));
  } else {
    return a == b;
  }
}
// Whether a is in [first, end).
template <class I>
NPP_FUNCTION I within(I a, Element<I> first, Element<I> end) {
  using U = UnsignedBits<I>;
  const U offset = bit_cast<U>(a) - bit_cast<U>(all<I>(first));
  const U length = bit_cast<U>(all<I>(end)) - bit_cast<U>(all<I>(first));
  if constexpr (kIsNumber<I>) {
    return I(-I(offset < length));
  } else {
    return offset < length;
  }
}

template <class I>
NPP_FUNCTION I select(I mask, I a, I b) {
  if constexpr (kIsNumber<I>) {
    return (a & mask) | (b & ~mask);
  } else {
    return mask ? a : b;
  }
}
template <class V>
requires(!kIsSame<V, Bits<V>>) NPP_FUNCTION V select(Bits<V> mask, V a, V b) {
  if constexpr (kIsNumber<V>) {
    return from_bits<V>(select(mask, bits_of(a), bits_of(b)));
  } else {
    return mask ? a : b;
  }
}

// Whether any element's mask is set.
template <class I>
NPP_FUNCTION bool any(I mask) {
  if constexpr (kIsNumber<I>) {
    return mask != 0;
  } else {
#if NPP_NATIVE_VECTOR_BYTES == 64 && !defined(__clang__)
    using Longs = Vector<long long, 8>;
    if constexpr (sizeof(I) == 64) {
      return __builtin_ia32_ptestmq512(bit_cast<Longs>(mask), bit_cast<Longs>(mask), -1) != 0;
    }
#endif
    uint64 words[sizeof(I) / sizeof(uint64)], set = 0;
    __builtin_memcpy(words, &mask, sizeof mask);
    for (const uint64 word : words) set |= word;
    return set != 0;
  }
}

// ---- arithmetic

// clang++ 16 and newer, zig: element by element, its optimizer would join only some of them again.
#if !NPP_DEVICE && defined(__clang__)
#if __has_builtin(__builtin_elementwise_fma)
#define NPP_CLANG_FMA
#endif
#endif

#if NPP_NEON && !defined(NPP_CLANG_FMA)
template <class V>
inline constexpr bool kHasFma = sizeof(V) <= 16;
template <class V>
NPP_FUNCTION V fma_instruction(V a, V b, V c) {
  return neon::fma(a, b, c);
}
#elif !NPP_DEVICE && !defined(__clang__) && NPP_NATIVE_VECTOR_BYTES
// The vectors for which there is an instruction.
template <class V>
inline constexpr bool kHasFma = false;
#define NPP_LANES_FMA(type, n, ...)                                                  \
  template <>                                                                        \
  inline constexpr bool kHasFma<Vector<type, n>> = true;                             \
  NPP_FUNCTION Vector<type, n> fma_instruction(Vector<type, n> a, Vector<type, n> b, \
                                               Vector<type, n> c) {                  \
    return __VA_ARGS__;                                                              \
  }
NPP_LANES_FMA(float, 4, __builtin_ia32_vfmaddps(a, b, c))
NPP_LANES_FMA(double, 2, __builtin_ia32_vfmaddpd(a, b, c))
NPP_LANES_FMA(float, 8, __builtin_ia32_vfmaddps256(a, b, c))
NPP_LANES_FMA(double, 4, __builtin_ia32_vfmaddpd256(a, b, c))
#if NPP_NATIVE_VECTOR_BYTES == 64
// All elements, rounded in the current direction.
NPP_LANES_FMA(float, 16, __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4))
NPP_LANES_FMA(double, 8, __builtin_ia32_vfmaddpd512_mask(a, b, c, -1, 4))
#endif
#undef NPP_LANES_FMA
#elif defined(NPP_CLANG_FMA)
template <class V>
inline constexpr bool kHasFma = true;
template <class V>
NPP_FUNCTION V fma_instruction(V a, V b, V c) {
  return __builtin_elementwise_fma(a, b, c);
}
#else
template <class V>
inline constexpr bool kHasFma = false;
template <class V>
NPP_FUNCTION V fma_instruction(V a, V, V) {
  return a;
}
#endif

// a * b + c, rounded once.
NPP_FUNCTION float fma_of(float a, float b, float c) {
#if NPP_DEVICE
  return ::fmaf(a, b, c);
#else
  return __builtin_fmaf(a, b, c);
#endif
}
NPP_FUNCTION double fma_of(double a, double b, double c) {
#if NPP_DEVICE
  return ::fma(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}
template <class V>
NPP_FUNCTION V fma(V a, V b, V c) {
  if constexpr (kIsNumber<V>) {
    return fma_of(a, b, c);
  } else if constexpr (kHasFma<V>) {
    return fma_instruction(a, b, c);
  } else {
    V result;
    for (int i = 0; i < kCount<V>; ++i) result[i] = fma_of(a[i], b[i], c[i]);
    return result;
  }
}
template <class V>
NPP_FUNCTION V fma(V a, V b, Element<V> c) requires(!kIsNumber<V>) {
  return vector::fma(a, b, all<V>(c));
}

// c0 + c1 x + c2 x**2 + ...
template <class V>
NPP_FUNCTION V polynomial(V, Element<V> constant) {
  return all<V>(constant);
}
template <class V, class... More>
NPP_FUNCTION V polynomial(V x, Element<V> constant, More... more) {
  return vector::fma(x, vector::polynomial(x, more...), all<V>(constant));
}

// The same by pairs of terms, in half the time until the result is there.
template <class V>
NPP_FUNCTION V polynomial_of_pairs(V, V, Element<V> constant) {
  return all<V>(constant);
}
template <class V, class... More>
NPP_FUNCTION V polynomial_of_pairs(V x, V square, Element<V> constant, Element<V> linear,
                                   More... more) {
  const V pair = vector::fma(x, all<V>(linear), all<V>(constant));
  if constexpr (sizeof...(More) == 0) {
    return pair;
  } else {
    return vector::fma(square, vector::polynomial_of_pairs(x, square, more...), pair);
  }
}

template <class V>
NPP_FUNCTION V magnitude(V value) {
  constexpr Bits<Element<V>> kMost = Limits<Bits<Element<V>>>::kMax;
  return from_bits<V>(bits_of(value) & kMost);
}
// The value, negated where `sign` has the sign bit.
template <class V>
NPP_FUNCTION V with_sign_of(V value, Bits<V> sign) {
  constexpr Bits<Element<V>> kSign = Limits<Bits<Element<V>>>::kMin;
  return from_bits<V>(bits_of(value) ^ (sign & kSign));
}

// Added to a number below half of it in magnitude, it leaves the nearest integer in the last bits.
template <class V>
inline constexpr Element<V> kRounder = kIsSame<Element<V>, float> ? Element<V>(0x1.8p23)
                                                                  : Element<V>(0x1.8p52);

// Between integers and numbers of the same size, as the processor does; towards zero.
template <class To, class From>
NPP_FUNCTION To convert(From value) {
#if NPP_DEVICE
  return static_cast<To>(value);
#else
  if constexpr (kIsNumber<From>) {
    return static_cast<To>(value);
  } else {
    return __builtin_convertvector(value, To);
  }
#endif
}

// The number of small integers, at most 2^22 in magnitude; exact.
template <class V>
NPP_FUNCTION V to_number(Bits<V> integers) {
#if NPP_NATIVE_VECTOR_BYTES == 64
  if constexpr (sizeof(V) == 64) return vector::convert<V>(integers);
#endif
  const Element<V> rounder = kRounder<V>;
  return from_bits<V>(integers + bits_of(rounder)) - rounder;
}

// 2^k, for k from the smallest exponent of a normal number to the largest.
template <class V>
NPP_FUNCTION V power_of_two(Bits<V> k) {
  using L = Limits<Element<V>>;
  return from_bits<V>((k + L::kExponentBias) << L::kMantissaBits);
}
// value * 2^k, rounded once if `value` is near 1, for k within twice the range of exponents: in two
// steps, of which only the last overflows or underflows.
template <class V>
NPP_FUNCTION V scale(V value, Bits<V> k) {
  const Bits<V> half = k >> 1;
  return value * power_of_two<V>(half) * power_of_two<V>(k - half);
}

}  // namespace npp::vector
