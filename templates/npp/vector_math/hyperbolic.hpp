// tanh by exp(f) = (1 + u) / (1 - u) with u = tanh(f / 2), an odd function whose polynomial has
// half as many terms as one for exp(f); sinh and cosh from the parts of exp(|x|) and expm1(|x|).
#pragma once

#include "npp/vector_math/exponential.hpp"

namespace npp::vector_math {

template <class T>
struct HyperbolicParts;
template <>
struct HyperbolicParts<float> {
  // Beyond kMostOfTanh tanh is 1; at kMost sinh and cosh are infinite, and f is positive.
  static constexpr float kMostOfTanh = 9.02f, kMost = 89.6f;
  // (tanh(f) - f) / f**3 for sizes up to log(2) / 4.
  template <class V>
  NPP_FUNCTION static V tanh(V square) {
    return vector::polynomial(square, -0x1.55554ep-2f, 0x1.1105cep-3f, -0x1.aff1a6p-5f);
  }
};
template <>
struct HyperbolicParts<double> {
  static constexpr double kMostOfTanh = 19.1, kMost = 710.7;
  template <class V>
  NPP_FUNCTION static V tanh(V square) {
    return vector::polynomial(square, -0x1.55555555554bdp-2, 0x1.11111110e0df3p-3,
                              -0x1.ba1ba1176400dp-5, 0x1.664eca2605932p-6, -0x1.223c859a1caf0p-7,
                              0x1.c386c675eceb6p-9);
  }
};

// 2**n where `rounded` is n + kRounder.
template <class V>
NPP_FUNCTION V power_of(V rounded) {
  constexpr int kShift = Limits<Element<V>>::kMantissaBits;
  return vector::from_bits<V>((vector::bits_of(rounded) << kShift) + vector::bits_of(all<V>(1)));
}

template <class V>
NPP_FUNCTION V tanh(V x) {
  using Exp = ExponentialParts<Element<V>>;
  using Parts = HyperbolicParts<Element<V>>;
  // |x| = n log(2) / 2 + f / 2.
  const V size = vector::clamp_size(vector::magnitude(x), Parts::kMostOfTanh);
  const V rounded = vector::fma(size, all<V>(2 * Exp::kLog2E), all<V>(kRounder<V>));
  const V n = rounded - kRounder<V>;
  const V coarse = vector::fma(n, all<V>(-Exp::kLog2 / 2), size);
  const V half = vector::fma(n, all<V>(-Exp::kRest / 2), coarse);
  // The square, and a number that only matters to underflow.
  const V square = vector::fma(half, half, all<V>(kTiny<V> * kTiny<V>));
  const V u = vector::fma(half, square * Parts::tanh(square), half);
  const V scale = power_of(rounded), less = scale - 1, more = scale + 1;
  const V value = vector::fma(more, u, less) / vector::fma(less, u, more);
  // The quotient is positive.
  return vector::unless_nan(x, vector::from_bits<V>(vector::bits_of(value) | vector::sign_of(x)));
}

// exp(size) / 4 and expm1(size) / 4, as exp may overflow where a result does not.
template <class V>
struct Quarters {
  V exponential, grown;
};
template <class V>
NPP_FUNCTION Quarters<V> quarters(V size) {
  const V used = vector::clamp_size(size, HyperbolicParts<Element<V>>::kMost);
  const Exponential<V> e = reduced_exponential(used);
  const V quarter = vector::scale_towards(all<V>(0.25), e.rounded, size, used);
  return {raised(e, quarter, V{}), raised(e, quarter, all<V>(-0.25))};
}

template <class V>
NPP_FUNCTION V sinh(V x) {
  const V grown = quarters(vector::magnitude(x)).grown;
  const V finite = vector::shorter(grown, 0x1p60f);
  const V rest = 0.5f * finite / (finite + 0.25f);
  return unless_tiny(x, signed_as(vector::fma(grown, all<V>(2), rest), x));
}

template <class V>
NPP_FUNCTION V cosh(V x) {
  const V quarter = quarters(vector::magnitude(x)).exponential;
  // No quotient underflows.
  const V shorter = vector::shorter(quarter, 0x1p60f);
  return vector::fma(quarter, all<V>(2), 0.125f / shorter);
}

}  // namespace npp::vector_math
