// erf and erfc: a polynomial up to 1, and beyond exp(-x**2) r(q) / (1 + 2 x) with q = (x - a) /
// (x + a), after M. M. Shepherd and J. G. Laframboise, "Chebyshev approximation of (1 + 2x)
// exp(x**2) erfc x in 0 <= x < oo", Mathematics of Computation 36 (1981).
#pragma once

#include "npp/vector_math/exponential.hpp"

namespace npp::vector_math {

template <class T>
struct ErrorParts;
template <>
struct ErrorParts<float> {
  // From here on erfc is 0.
  static constexpr float kMost = 10.5f, kCenter = 2;
  // erf(x) / x - 1.
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f,
                              -0x1.b7f71ap-6f, 0x1.53f224p-8f, -0x1.a3515ap-11f, 0x1.4771dap-14f);
  }
  template <class V>
  NPP_FUNCTION static V tail(V q) {
    return vector::polynomial(q, 0x1.46e80ep0f, -0x1.7bf5e8p-4f, -0x1.5407a2p-3f, 0x1.4ff986p-3f,
                              -0x1.bc36f4p-5f, -0x1.068c66p-7f, 0x1.1f2566p-7f, 0x1.220fdap-10f,
                              -0x1.8c770ep-10f);
  }
};
template <>
struct ErrorParts<double> {
  static constexpr double kMost = 27.5, kCenter = 3;
  template <class V>
  NPP_FUNCTION static V series(V square) {
    return vector::polynomial(square, 0x1.06eba8214db68p-3, -0x1.812746b0379bdp-2,
                              0x1.ce2f21a040d15p-4, -0x1.b82ce311fa932p-6, 0x1.565bccf92b31cp-8,
                              -0x1.c02db03dd8c63p-11, 0x1.f9a2baa92d20cp-14, -0x1.f4ca4d71c920ap-17,
                              0x1.b97fd3ee44b31p-20, -0x1.5c07275310e72p-23, 0x1.d71b1121368aap-27,
                              -0x1.abae4db86fac7p-31);
  }
  template <class V>
  NPP_FUNCTION static V tail(V q) {
    return vector::polynomial(q, 0x1.40c522d7e4987p0, -0x1.15c084bb9e905p-3, -0x1.85a15c58aa55bp-5,
                              0x1.098366a5b5189p-3, -0x1.e88b803a4ac9p-4, 0x1.17ca2877b49d3p-4,
                              -0x1.8574c40aab441p-6, 0x1.4b884edc8f408p-9, 0x1.ef1bdbae0c0cdp-10,
                              -0x1.98db6a972d379p-11, -0x1.b9113ad414f42p-14, 0x1.065ca0470e207p-13,
                              0x1.4b9aae754f6a9p-18, -0x1.517c46a025b7fp-16, -0x1.76a0790128726p-21,
                              0x1.d55a1d730fa1fp-19, 0x1.2b60da935f6cp-22, -0x1.4e930232018c7p-21,
                              -0x1.b170f52917aefp-25, 0x1.4c4acf0a8681fp-24);
  }
};

// erf(x) - x for sizes up to 1.
template <class V>
NPP_FUNCTION V short_erf(V x) {
  return x * ErrorParts<Element<V>>::series(x * x);
}

// erfc of sizes from 1 to kMost.
template <class V>
NPP_FUNCTION V tail_of_erfc(V size) {
  using Exp = ExponentialParts<Element<V>>;
  using Parts = ErrorParts<Element<V>>;
  const V square = size * size, rest = vector::fma(size, size, -square);
  const V rounded = vector::fma(square, all<V>(-Exp::kLog2E), all<V>(kRounder<V>));
  const V n = rounded - kRounder<V>;
  const V coarse = vector::fma(n, all<V>(-Exp::kLog2), -square);
  const V f = vector::fma(n, all<V>(-Exp::kRest), coarse) - rest;
  const V mantissa = vector::fma(vector::fma(Exp::series(f), f, all<V>(1)), f, all<V>(1));
  const V tail = Parts::tail((size - Parts::kCenter) / (size + Parts::kCenter));
  return vector::scale_towards(mantissa * tail / vector::fma(size, all<V>(2), all<V>(1)), rounded,
                               square, square);
}

// Sizes between the limits, also for NaN.
template <class V>
NPP_FUNCTION V clamped_size(V size, Element<V> least, Element<V> most) {
  return vector::longer(vector::shorter(size, most), least);
}

template <class V>
NPP_FUNCTION V erf(V x) {
  // From 6 on doubles are 1.
  const V size = vector::magnitude(x);
  const Bits<V> is_short = vector::is_size_below(size, Element<V>(1));
  const V inside = clamped_size(size, kTiny<V>, 1);
  const V large = 1 - tail_of_erfc(clamped_size(size, 1, 6));
  const V value = select(is_short, inside + short_erf(inside), large);
  // Not unless_tiny(): near 0 erf(x) is 2 x / sqrt(pi).
  const V tiny = vector::shorter(size, kTiny<V>);
  const V near_zero = vector::fma(tiny, ErrorParts<Element<V>>::series(V{}), tiny);
  const V other = select(vector::is_size_below(size, kTiny<V>), near_zero, value);
  return select(vector::is_nan(x), vector::quiet(x), signed_as(other, x));
}

template <class V>
NPP_FUNCTION V erfc(V x) {
  const V size = vector::magnitude(x);
  const Bits<V> is_short = vector::is_size_below(size, Element<V>(1));
  const V inside = signed_as(clamped_size(size, kTiny<V>, 1), x);
  const V tail = tail_of_erfc(clamped_size(size, 1, ErrorParts<Element<V>>::kMost));
  const V large = select(vector::is_negative(x), 2 - tail, tail);
  const V value = select(is_short, (1 - inside) - short_erf(inside), large);
  return select(vector::is_nan(x), vector::quiet(x), value);
}

}  // namespace npp::vector_math
