// exp, exp2 and expm1: x = n log(2) + f with log(2) in two parts, after W. J. Cody and W. Waite,
// "Software Manual for the Elementary Functions" (1980), and exp(f) = 1 + f + f**2 q(f). J.-M.
// Muller et al., "Handbook of Floating-Point Arithmetic" (2018), has both, and the minimax
// polynomials q.
#pragma once

#include "npp/vector/scaling.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

using vector::all;
using vector::Bits;
using vector::Element;
using vector::kRounder;
using vector::select;

template <class T>
struct ExponentialParts;
template <>
struct ExponentialParts<float> {
  static constexpr float kLog2E = 0x1.715476p0f, kLog2 = 0x1.62e43p-1f, kRest = -0x1.05c61p-29f;
  // Beyond these sizes results are infinite, zero or -1. For expm1, f is positive at the limit.
  static constexpr float kMost = 104, kMostOfTwo = 152, kMostGrown = 89;
  static constexpr float kLeastGrown = -40;
  template <class V>
  NPP_FUNCTION static V series(V f) {
    return vector::polynomial(f, 0.5f, 0x1.5554bp-3f, 0x1.555486p-5f, 0x1.122804p-7f,
                              0x1.6d98fp-10f);
  }
};
template <>
struct ExponentialParts<double> {
  static constexpr double kLog2E = 0x1.71547652b82fep0;
  static constexpr double kLog2 = 0x1.62e42fefa39efp-1, kRest = 0x1.abc9e3b39803fp-56;
  static constexpr double kMost = 746, kMostOfTwo = 1080, kMostGrown = 710;
  static constexpr double kLeastGrown = -80;
  template <class V>
  NPP_FUNCTION static V series(V f) {
    return vector::polynomial(f, 0x1.0000000000005p-1, 0x1.555555555555cp-3, 0x1.55555555520e9p-5,
                              0x1.111111110e6d1p-7, 0x1.6c16c17f3a5c1p-10, 0x1.a01a01b5d9ccfp-13,
                              0x1.a019a67c87264p-16, 0x1.71ddea017655fp-19, 0x1.28a2b53a25adfp-22,
                              0x1.af76b26e418f8p-26);
  }
};

// exp(x) = 2**n (1 + f + f**2 q): `rounded` is n + kRounder.
template <class V>
struct Exponential {
  V rounded, f, q;
};
// For sizes up to twice kMost.
template <class V>
NPP_FUNCTION Exponential<V> reduced_exponential(V x) {
  using Parts = ExponentialParts<Element<V>>;
  const V rounded = vector::fma(x, all<V>(Parts::kLog2E), all<V>(kRounder<V>));
  const V n = rounded - kRounder<V>;
  const V coarse = vector::fma(n, all<V>(-Parts::kLog2), x);
  const V f = vector::fma(n, all<V>(-Parts::kRest), coarse);
  return {rounded, f, Parts::series(f)};
}
// scale * exp(x) + addend, where `scale` is 2**n times a power of two.
template <class V>
NPP_FUNCTION V raised(Exponential<V> x, V scale, V addend) {
  return vector::fma(scale * x.f, x.f * x.q, vector::fma(scale, x.f, scale + addend));
}

template <class V>
NPP_FUNCTION V exp(V x) {
  const V used = vector::clamp_size(x, ExponentialParts<Element<V>>::kMost);
  const Exponential<V> e = reduced_exponential(used);
  const V mantissa = vector::fma(vector::fma(e.q, e.f, all<V>(1)), e.f, all<V>(1));
  return vector::scale_towards(mantissa, e.rounded, x, used);
}

template <class V>
NPP_FUNCTION V exp2(V x) {
  using Parts = ExponentialParts<Element<V>>;
  const V used = vector::clamp_size(x, Parts::kMostOfTwo);
  const V rounded = used + kRounder<V>;
  const V f = (used - (rounded - kRounder<V>)) * Parts::kLog2;
  const V mantissa = vector::fma(vector::fma(Parts::series(f), f, all<V>(1)), f, all<V>(1));
  return vector::scale_towards(mantissa, rounded, x, used);
}

template <class V>
NPP_FUNCTION V expm1(V x) {
  using Parts = ExponentialParts<Element<V>>;
  const V above = vector::at_least(x, Parts::kLeastGrown);
  const V used = vector::clamp_size(above, Parts::kMostGrown);
  const Exponential<V> e = reduced_exponential(used);
  // A half, as 2**n may overflow where the result does not.
  const V half = vector::scale_towards(all<V>(0.5), e.rounded, above, used);
  return unless_tiny(x, 2 * raised(e, half, all<V>(-0.5)));
}

}  // namespace npp::vector_math
