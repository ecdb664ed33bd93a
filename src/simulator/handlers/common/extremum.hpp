// Minima and maxima of floats: as they are, of magnitudes, and of three numbers.
#pragma once

#include "simulator/handlers/common/float_bits.hpp"

namespace numpy_plugin::sim::NPP_ISA {

// An integer that orders like the value, -0 below +0; NaN beyond the infinities.
template <class T>
inline auto order_of(T value) {
  using Integer = std::make_signed_t<Bits<T>>;
  const Integer bits = static_cast<Integer>(bits_of(value));
  return static_cast<Integer>(bits < 0 ? bits ^ static_cast<Integer>(kMagnitudeBits<T>) : bits);
}

// The other operand where one is NaN, the canonical NaN where both are; with kPropagatesNan that
// where either is.
template <bool kPropagatesNan, class T>
inline T choose_number(T a, T b, bool is_a_chosen) {
  const T chosen = is_a_chosen ? a : b;
  if constexpr (kPropagatesNan) {
    return is_nan(a) || is_nan(b) ? bit_cast<T>(kCanonicalNan<T>) : chosen;
  }
  const T other = is_nan(a) ? b : chosen;
  const T number = is_nan(b) ? a : other;
  return settle_narrow_nan(number);
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
  return settle_nan(value, b, a);  // ptxas's code passes on the second of two NaNs of f64
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

template <class T>
inline T magnitude_of(T value) {
  return bit_cast<T>(static_cast<Bits<T>>(bits_of(value) & kMagnitudeBits<T>));
}

// .xorsign.abs: of the magnitudes, with the sign of the product.
template <class Extremum>
struct OfMagnitudes {
  template <class T>
  static T apply(T a, T b) {
    const T extreme = Extremum::apply(magnitude_of(a), magnitude_of(b));
    const Bits<T> sign = static_cast<Bits<T>>((bits_of(a) ^ bits_of(b)) & kSignBit<T>);
    return is_nan(extreme) ? extreme : bit_cast<T>(static_cast<Bits<T>>(bits_of(extreme) | sign));
  }
};

template <class Extremum, bool kIsOfMagnitudes>
struct OfThree {
  template <class T>
  static T apply(T a, T b, T c) {
    if constexpr (kIsOfMagnitudes) {
      return OfThree<Extremum, false>::apply(magnitude_of(a), magnitude_of(b), magnitude_of(c));
    }
    return Extremum::apply(Extremum::apply(a, b), c);
  }
};

}  // namespace numpy_plugin::sim::NPP_ISA
