// Shared by floating-point handlers: flushing of subnormals, ordering of values.
#pragma once

#include "simulator/handlers/common/elements.hpp"

namespace numpy_plugin::sim::NPP_ISA {

template <class T>
struct FloatLayout;
template <>
struct FloatLayout<Half> {
  static constexpr std::uint16_t kInfinity = 0x7c00;
  static constexpr std::uint16_t kOne = 0x3c00;
};
template <>
struct FloatLayout<BFloat16> {
  static constexpr std::uint16_t kInfinity = 0x7f80;
  static constexpr std::uint16_t kOne = 0x3f80;
};
template <>
struct FloatLayout<float> {
  static constexpr std::uint32_t kInfinity = 0x7f80'0000;
  static constexpr std::uint32_t kOne = 0x3f80'0000;
};
template <>
struct FloatLayout<double> {
  static constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
  static constexpr std::uint64_t kOne = 0x3ff0'0000'0000'0000;
};

template <class T>
constexpr Bits<T> kSignBit = static_cast<Bits<T>>(Bits<T>{1} << (8 * sizeof(T) - 1));
template <class T>
constexpr Bits<T> kMagnitudeBits = static_cast<Bits<T>>(~kSignBit<T>);
template <class T>
constexpr Bits<T> kCanonicalNan = kMagnitudeBits<T>;

template <class T>
inline Bits<T> bits_of(T value) {
  return bit_cast<Bits<T>>(value);
}

template <class T>
inline bool is_nan(T value) {
  return static_cast<Bits<T>>(bits_of(value) & kMagnitudeBits<T>) > FloatLayout<T>::kInfinity;
}

// .ftz: subnormals become zeros of their sign.
inline float flush(float value) {
  const std::uint32_t bits = bits_of(value);
  return bit_cast<float>((bits & FloatLayout<float>::kInfinity) == 0 ? bits & kSignBit<float>
                                                                     : bits);
}

template <bool kFlush>
inline float flush_if(float value) {
  if constexpr (kFlush) return flush(value);
  return value;
}

// .sat: NaN becomes zero.
template <class T>
inline T saturate(T value) {
  const T above = value > T{0} ? value : T{0};
  return above < T{1} ? above : T{1};
}

// An integer that orders like the value, -0 below +0; NaN beyond the infinities.
template <class T>
inline auto order_of(T value) {
  using Integer = std::make_signed_t<Bits<T>>;
  const Integer bits = static_cast<Integer>(bits_of(value));
  return static_cast<Integer>(bits < 0 ? bits ^ static_cast<Integer>(kMagnitudeBits<T>) : bits);
}

// The other operand where one is NaN; with kPropagatesNan the canonical NaN.
template <bool kPropagatesNan, class T>
inline T choose_number(T a, T b, bool is_a_chosen) {
  const T chosen = is_a_chosen ? a : b;
  if constexpr (kPropagatesNan) {
    return is_nan(a) || is_nan(b) ? bit_cast<T>(kCanonicalNan<T>) : chosen;
  }
  const T other = is_nan(a) ? b : chosen;
  return is_nan(b) ? a : other;
}

// The sign for two zeros: negative for a minimum if either is, for a maximum if both are.
template <bool kIsMinimum, class T>
inline T join_signs(T a, T b) {
  const Bits<T> bits = kIsMinimum ? bits_of(a) | bits_of(b) : bits_of(a) & bits_of(b);
  return bit_cast<T>(bits);
}

// Uses the processor's comparisons, for types that have them: b where a is NaN, a where b is.
template <bool kIsMinimum, bool kPropagatesNan, class T>
inline T extreme_value(T a, T b) {
  const bool is_before = kIsMinimum ? a < b : a > b;
  const T number = is_before || b != b ? a : b;
  const T value = a == b ? join_signs<kIsMinimum>(a, b) : number;
  if constexpr (kPropagatesNan) {
    return a != a || b != b ? bit_cast<T>(kCanonicalNan<T>) : value;
  }
  return value;
}

template <bool kPropagatesNan>
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return choose_number<kPropagatesNan>(a, b, order_of(a) < order_of(b));
  }
  static float apply(float a, float b) { return extreme_value<true, kPropagatesNan>(a, b); }
  static double apply(double a, double b) { return extreme_value<true, kPropagatesNan>(a, b); }
};

template <bool kPropagatesNan>
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return choose_number<kPropagatesNan>(a, b, order_of(a) > order_of(b));
  }
  static float apply(float a, float b) { return extreme_value<false, kPropagatesNan>(a, b); }
  static double apply(double a, double b) { return extreme_value<false, kPropagatesNan>(a, b); }
};

}  // namespace numpy_plugin::sim::NPP_ISA
