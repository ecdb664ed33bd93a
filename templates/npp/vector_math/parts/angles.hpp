// Parts of sin, cos and tan: x is reduced by a multiple of pi in three parts, after W. J. Cody and
// W. Waite, "Software Manual for the Elementary Functions" (1980), with fused multiply-adds.
#pragma once

#include "npp/vector_math/parts/huge_angles.hpp"
#include "npp/vector_math/parts/tiny.hpp"

namespace npp::vector_math {

template <class T>
struct AngleParts;
template <>
struct AngleParts<float> {
  // From here on n pi is not exact enough.
  static constexpr float kHuge = 0x1p17f;
  static constexpr float kInverse = 0x1.45f306p-2f;
  static constexpr float kPi = 0x1.921fb6p1f, kMore = -0x1.777a5cp-24f, kRest = -0x1.ee59dap-49f;
  // (sin(x) - x) / x**3 up to pi / 2 and up to pi / 4; (cos(x) - 1 + x**2 / 2) / x**4.
  template <class V>
  NPP_FUNCTION static V sine(V square) {
    return vector::polynomial(square, -0x1.55554ap-3f, 0x1.110e86p-7f, -0x1.9f612cp-13f,
                              0x1.5ce4f8p-19f);
  }
  template <class V>
  NPP_FUNCTION static V short_sine(V square) {
    return vector::polynomial(square, -0x1.555544p-3f, 0x1.1106c2p-7f, -0x1.9919cep-13f);
  }
  template <class V>
  NPP_FUNCTION static V short_cosine(V square) {
    return vector::polynomial(square, 0x1.55554ap-5f, -0x1.6c0c0ep-10f, 0x1.99db8ap-16f);
  }
};
template <>
struct AngleParts<double> {
  static constexpr double kHuge = 0x1p30;
  static constexpr double kInverse = 0x1.45f306dc9c883p-2;
  static constexpr double kPi = 0x1.921fb54442d18p1, kMore = 0x1.1a62633145c07p-53;
  static constexpr double kRest = -0x1.f1976b7ed8fbcp-109;
  template <class V>
  NPP_FUNCTION static V sine(V square) {
    return vector::polynomial(square, -0x1.5555555555555p-3, 0x1.11111111110c8p-7,
                              -0x1.a01a01a014e0ap-13, 0x1.71de3a52a5dc1p-19, -0x1.ae6454d727ed6p-26,
                              0x1.6123cdc5dd969p-33, -0x1.ae43b995e538ap-41, 0x1.883890248f8d8p-49);
  }
  template <class V>
  NPP_FUNCTION static V short_sine(V square) {
    return vector::polynomial(square, -0x1.5555555555549p-3, 0x1.111111110f881p-7,
                              -0x1.a01a019c126e5p-13, 0x1.71de35787669cp-19, -0x1.ae5e66d5fa6aap-26,
                              0x1.5d932f7b8d9ebp-33);
  }
  template <class V>
  NPP_FUNCTION static V short_cosine(V square) {
    return vector::polynomial(square, 0x1.555555555554cp-5, -0x1.6c16c16c15184p-10,
                              0x1.a01a019cb2700p-16, -0x1.27e4f80a76a85p-22, 0x1.1ee9ec47b09a0p-29,
                              -0x1.8faecf1859c34p-37);
  }
};

// x - n pi, for n that is an integer or half of one: the first product is exact, the sum of three
// nearly so.
template <class V>
NPP_FUNCTION Angle<V> reduce_by(V x, V n, Bits<V> quadrant) {
  using Parts = AngleParts<Element<V>>;
  const V coarse = vector::fma(n, all<V>(-Parts::kPi), x);
  const V product = n * Parts::kMore;
  const V high = coarse - product;
  const V taken = high - coarse;
  const V lost = (coarse - (high - taken)) - (product + taken);
  const V rest = vector::fma(n, all<V>(Parts::kMore), -product);
  return {quadrant, high, lost - vector::fma(n, all<V>(Parts::kRest), rest)};
}

// Of angles up to pi / 2, where the cosine is about 1 - (2 x / pi)**2, and up to pi / 4.
template <class V>
NPP_FUNCTION V sine_of_rest(Angle<V> angle) {
  const V x = angle.high, square = x * x;
  const V rest = vector::fma(square, angle.low * -0.40625f, angle.low);
  return x + vector::fma(square * x, AngleParts<Element<V>>::sine(square), rest);
}
template <class V>
NPP_FUNCTION V short_sine(Angle<V> angle) {
  const V x = angle.high, square = x * x;
  const V rest = vector::fma(square, angle.low * -0.5f, angle.low);
  return x + vector::fma(square * x, AngleParts<Element<V>>::short_sine(square), rest);
}
template <class V>
NPP_FUNCTION V short_cosine(Angle<V> angle) {
  const V x = angle.high, square = x * x, half = square * 0.5f;
  const V start = 1 - half;
  const V rest = ((1 - start) - half) - x * angle.low;
  return start + vector::fma(square * square, AngleParts<Element<V>>::short_cosine(square), rest);
}

}  // namespace npp::vector_math
