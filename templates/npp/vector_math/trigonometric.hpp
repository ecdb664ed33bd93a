// sin, cos and tan: the angle is reduced to one of at most pi / 4, W. J. Cody and W. Waite,
// "Software Manual for the Elementary Functions" (1980), with fused multiply-adds.
#pragma once

#include "npp/vector_math/huge_angles.hpp"
#include "npp/vector_math/power_parts.hpp"
#include "npp/vector_math/special_cases.hpp"

namespace npp::vector_math {

using lanes::select;

// For |x| below 2**30: the first product is exact, the sum of three parts of pi / 2 nearly so.
template <class V>
NPP_FUNCTION Angle<V> reduce_ordinary(V x) {
  const V rounded = lanes::fma(x, all<V>(0x1.45f306dc9c883p-1), all<V>(kRounder<V>));
  const V n = rounded - kRounder<V>;
  const V coarse = lanes::fma(n, all<V>(-0x1.921fb54442d18p0), x);
  const V product = n * 0x1.1a62633145c07p-54;
  const V high = coarse - product;
  const V taken = high - coarse;
  const V lost = (coarse - (high - taken)) - (product + taken);
  const V rest = lanes::fma(n, all<V>(0x1.1a62633145c07p-54), -product);
  return {lanes::bits_of(rounded), high,
          lost - lanes::fma(n, all<V>(-0x1.f1976b7ed8fbcp-110), rest)};
}

// For all finite x.
template <class V>
NPP_FUNCTION Angle<V> reduce(V x) {
  const Bits<V> is_huge = ~lanes::is_size_below(lanes::magnitude(x), 0x1p30);
  Angle<V> angle = reduce_ordinary(select(is_huge, V{}, x));
  if (!lanes::any(is_huge)) return angle;
  if constexpr (lanes::kIsNumber<V>) {
    return reduce_huge(x);
  } else {
    for (int i = 0; i < lanes::kCount<V>; ++i) {
      if (is_huge[i] == 0) continue;
      const Angle<double> one = reduce_huge(x[i]);
      angle.quadrant[i] = one.quadrant;
      angle.high[i] = one.high;
      angle.low[i] = one.low;
    }
    return angle;
  }
}

// Of angles up to pi / 4, relative error 2**-53.
template <class V>
NPP_FUNCTION V short_sin(Angle<V> angle) {
  const V x = angle.high, square = x * x;
  const V series =
      lanes::polynomial(square, -0x1.5555555555549p-3, 0x1.111111110f881p-7, -0x1.a01a019c126e5p-13,
                        0x1.71de35787669cp-19, -0x1.ae5e66d5fa6aap-26, 0x1.5d932f7b8d9ebp-33);
  const V rest = lanes::fma(square, angle.low * -0.5, angle.low);
  return x + lanes::fma(square * x, series, rest);
}
template <class V>
NPP_FUNCTION V short_cos(Angle<V> angle) {
  const V x = angle.high, square = x * x, half = square * 0.5;
  const V series =
      lanes::polynomial(square, 0x1.555555555554cp-5, -0x1.6c16c16c15184p-10, 0x1.a01a019cb2700p-16,
                        -0x1.27e4f80a76a85p-22, 0x1.1ee9ec47b09a0p-29, -0x1.8faecf1859c34p-37);
  const V start = 1 - half;
  const V rest = ((1 - start) - half) - x * angle.low;
  return start + lanes::fma(square * square, series, rest);
}

// Numbers with a sine: 1 for infinities and NaN.
template <class V>
NPP_FUNCTION V with_angle(V x) {
  return select(lanes::is_size_below(lanes::magnitude(x), Limits<double>::kInfinity), x, all<V>(1));
}
// The result, or NaN for infinities and NaN.
template <class V>
NPP_FUNCTION V with_invalid(V x, V result) {
  const V value = result * lanes::flagged<V>(lanes::is_infinite(x), Bits<V>{});
  return select(lanes::is_nan(x), lanes::quiet(x), value);
}

// The sine of an angle that is `more` quarters of a turn larger.
template <class V>
NPP_FUNCTION V sine_of(Angle<V> angle, int more) {
  const Bits<V> quadrant = angle.quadrant + more;
  const Bits<V> is_odd = lanes::equal(quadrant & 1, all<Bits<V>>(1));
  const V value = select(is_odd, short_cos(angle), short_sin(angle));
  return lanes::with_sign_of(value, quadrant << 62);
}

template <class V>
NPP_FUNCTION V sin(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::sin(y); }, x);
  } else {
    const Bits<V> is_tiny = lanes::is_size_below(lanes::magnitude(x), 0x1p-30);
    const V used = select(is_tiny, all<V>(1), with_angle(x));
    return with_invalid(x, select(is_tiny, x, sine_of(reduce(used), 0)));
  }
}
template <class V>
NPP_FUNCTION V cos(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::cos(y); }, x);
  } else {
    const Bits<V> is_tiny = lanes::is_size_below(lanes::magnitude(x), 0x1p-30);
    const V used = select(is_tiny, V{}, with_angle(x));
    return with_invalid(x, sine_of(reduce(used), 1));
  }
}
template <class V>
NPP_FUNCTION V tan(V x) {
  if constexpr (lanes::kIsFloat<V>) {
    return lanes::by_double([](auto y) { return vector_math::tan(y); }, x);
  } else {
    const Bits<V> is_tiny = lanes::is_size_below(lanes::magnitude(x), 0x1p-30);
    const Angle<V> angle = reduce(select(is_tiny, all<V>(1), with_angle(x)));
    const V value = sine_of(angle, 0) / sine_of(angle, 1);
    return with_invalid(x, select(is_tiny, x, value));
  }
}

}  // namespace npp::vector_math
