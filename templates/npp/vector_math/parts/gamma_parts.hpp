// Parts of gamma and its logarithm, in double: Stirling's series from 7.5 on; below, the recurrence
// gamma(x + 8) = x (x + 1) ... (x + 7) gamma(x); and for negative numbers the reflection
// gamma(-x) = -pi / (x sin(pi x) gamma(x)). M. Abramowitz and I. A. Stegun, "Handbook of
// Mathematical Functions" (1964), 6.1, has all three. They are pairs of numbers, so that neither
// function loses digits.
#pragma once

#include "npp/vector/scaling.hpp"
#include "npp/vector_math/parts/angles.hpp"
#include "npp/vector_math/parts/pairs.hpp"
#include "npp/vector_math/power_double.hpp"

namespace npp::vector_math {

// Integers next to |x|: |x| - 2 n is `odd`, between -1 and 1, and `distance` is that from the
// nearest one. From 2**52 on all numbers count as even.
template <class V>
struct Neighbours {
  V odd, distance;
};
template <class V>
NPP_FUNCTION Neighbours<V> neighbours_of(V x) {
  const V size = vector::shorter(vector::magnitude(x), 0x1p52), turns = size * 0.5;
  const V odd = size - 2 * ((turns + kRounder<V>)-kRounder<V>), share = vector::magnitude(odd);
  return {odd, select(vector::is_size_below(share, 0.5), share, 1 - share)};
}

// sin(pi x) for x from 0 to 1/2; above 1/4 it is cos(pi (1/2 - x)).
template <class V>
NPP_FUNCTION Pair<V> sine_of_half_turns(V x) {
  using Parts = AngleParts<double>;
  const Bits<V> is_sine = ~vector::less(vector::bits_of(all<V>(0.25)), vector::bits_of(x));
  const Pair<V> y =
      product_of(Pair<V>{all<V>(Parts::kPi), all<V>(Parts::kMore)}, select(is_sine, x, 0.5 - x));
  const V square = y.high * y.high;
  const V more = vector::fma(square, y.low * -0.5, y.low);
  const V sine = vector::fma(square * y.high, Parts::short_sine(square), more);
  const V start = 1 - square * 0.5;
  const V lost = vector::fma(y.high, y.high, -square) * 0.5 + y.high * y.low;
  const V rest = ((1 - start) - square * 0.5) - lost;
  const V cosine = vector::fma(square * square, Parts::short_cosine(square), rest);
  return sum_of_sorted(select(is_sine, y.high, start), select(is_sine, sine, cosine));
}

// (z + 1) (z + 2) ... (z + 7), from (z + 7) and u = z (z + 7), for z from -1/2 to 8.
template <class V>
NPP_FUNCTION Pair<V> rising_factors(V z) {
  const Pair<V> last = sum_of(z, all<V>(7)), u = product_of(last, z);
  const Pair<V> outer = product_of(last, sum_of(u, 6));
  return product_of(outer, product_of(sum_of(u, 10), sum_of(u, 12)));
}

// log(gamma(z + rest)) for z from 7.5 on and a tiny rest, times y / (z - 1/2): from 2**1000 on y
// may be less, for a product that does not overflow.
template <class V>
NPP_FUNCTION Pair<V> stirling(V z, V rest, V y) {
  const Logarithm<V> log = PowerParts<double>::logarithm(z, Bits<V>{});
  const V inverse = 1 / vector::shorter(z, 0x1p200), square = inverse * inverse;
  // The rest of (z - 1/2) (log(z) - 1) + (log(2 pi) - 1) / 2 + ..., whose second term is a pair.
  const V series = inverse * vector::polynomial(square, 0x1.5555555555555p-4, -0x1.6c16c16c165cap-9,
                                                0x1.a01a019b21041p-11, -0x1.38137a2efa518p-11,
                                                0x1.b94c96e82d702p-11, -0x1.f586f22f1f5edp-10,
                                                0x1.91cf0ea9c27c6p-8, -0x1.4012318cb4ac8p-6);
  const V slope = vector::fma(inverse, all<V>(-0.5), log.high) - square * (1.0 / 12);
  const V small = vector::fma(rest, slope, series + 0x1.3494bc9001442p-56);
  const V size = log.high - 1, product = y * size, high = product + 0x1.acfe390c97d69p-2;
  const V lost = (product - high) + 0x1.acfe390c97d69p-2;
  return {high, vector::fma(y, log.low, vector::fma(y, size, -product)) + (lost + small)};
}

// x is above -1/2 and gamma(x) = exp(logarithm) / factor, or it `is_reflected` and gamma(x) is
// factor / exp(logarithm) in size. The factor is a quotient.
template <class V>
struct GammaParts {
  Pair<V> logarithm, numerator, denominator;
  V growth;  // what the logarithm is to be multiplied by: not 1 where this may overflow
  Bits<V> is_reflected;
};
// For finite x, no poles, of at least 2**-60 in size; greater ones than `most` count as this.
template <class V>
NPP_FUNCTION GammaParts<V> gamma_parts(V x, V distance, double most) {
  const V size = vector::shorter(vector::magnitude(x), most), one = all<V>(1);
  const Bits<V> is_negative = vector::is_negative(x);
  const Bits<V> is_reflected = is_negative & ~vector::is_size_below(size, 0.5);
  const V z = select(is_negative & ~is_reflected, x, size);
  const Bits<V> is_short = vector::is_size_below(vector::magnitude(z), 8);
  const V above = z + 8, w = select(is_short, above, z);
  const Bits<V> is_huge = ~vector::is_size_below(w, 0x1p1000);
  const V growth = select(is_huge, all<V>(0x1p10), one);
  const V y = (w - 0.5) * select(is_huge, all<V>(0x1p-10), one);
  const Pair<V> logarithm = stirling(w, select(is_short, z - (above - 8), V{}), y);

  // Not a selection, which clang would find needless: the product is not to overflow.
  const V kept = vector::clamp_size(z, 9);
  const Pair<V> rising = either(is_short, rising_factors(kept), Pair<V>{one, V{}});
  const Pair<V> pi{all<V>(AngleParts<double>::kPi), all<V>(AngleParts<double>::kMore)};
  const Pair<V> first = either(is_reflected, pi, Pair<V>{select(is_short, z, one), V{}});
  const Pair<V> sine = sine_of_half_turns(select(is_reflected, distance, all<V>(0.5)));
  const V second = select(is_reflected & ~is_short, z, one);
  return {logarithm, product_of(rising, first), product_of(sine, second), growth, is_reflected};
}

}  // namespace npp::vector_math
