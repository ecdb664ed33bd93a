// Bessel functions of orders 0 and 1 in double-double numbers, for recurrence to higher orders:
// beside their zeros these would show the rounding errors of its start. By Hankel's formula, as in
// bessel_jy.hpp, for x from 4 up to a few periods.
#pragma once

#include "npp/special/bessel_jy.hpp"
#include "npp/special/bessel_recurrence.hpp"

namespace npp::special {

// sin and cos of a rest of up to an eighth turn by Taylor's series, of which the first terms are
// double-double numbers.
NPP_FUNCTION Pair sine_of_pair(Pair x) {
  const double z = x.high * x.high;
  const double rest = x.high * z * z *
                      polynomial(z, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
                                 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000);
  return pair_of_sum(difference_of(x, scaled_pair(third_of_cube(x), 0.5)), {rest, 0});
}
NPP_FUNCTION Pair cosine_of_pair(Pair x) {
  const double z = x.high * x.high;
  const double rest =
      z * z *
      polynomial(z, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
                 -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000);
  const Pair half_square = scaled_pair(pair_of_product(x, x), 0.5);
  return pair_of_sum(difference_of({1, 0}, half_square), {rest, 0});
}

// sin(x) + cos(x) and sin(x) - cos(x).
struct PairOfWaves {
  Pair sum;
  Pair difference;
};
NPP_FUNCTION PairOfWaves waves_of_pair(double x) {
  const double count = builtin::rint(x * kTwoByPi);
  const Pair turn = scaled_pair({1.5707963267948966, 6.123233995736766e-17}, count);
  const Pair rest = difference_of({x, 0}, turn);
  const Pair sine = sine_of_pair(rest), cosine = cosine_of_pair(rest);
  const Pair sum = pair_of_sum(sine, cosine), difference = difference_of(sine, cosine);
  // A quarter turn makes cos of sin, and -sin of cos.
  const int quarters = static_cast<int>(count);
  const bool is_odd = (quarters & 1) != 0, is_negative = (quarters & 2) != 0;
  const PairOfWaves turned =
      is_odd ? PairOfWaves{negative_pair(difference), sum} : PairOfWaves{sum, difference};
  if (!is_negative) return turned;
  return {negative_pair(turned.sum), negative_pair(turned.difference)};
}

// (even a + odd b) / sqrt(pi x).
NPP_FUNCTION Pair combined_waves(Slow slow, Pair a, Pair b, double x) {
  const Pair square = scaled_pair({3.141592653589793, 1.2246467991473532e-16}, x);
  const double root = builtin::sqrt(square.high);
  const double rest = library::fma(-root, root, square.high) + square.low;
  const Pair sum = pair_of_sum(pair_of_product(slow.even, a), scaled_pair(b, slow.odd));
  return pair_of_quotient(sum, {root, rest / (2 * root)});
}
NPP_LONG_FUNCTION PairOfNeighbours j_of_small_orders(double x) {
  const PairOfWaves wave = waves_of_pair(x);
  return {combined_waves(slow_factors_0(x), wave.sum, negative_pair(wave.difference), x),
          combined_waves(slow_factors_1(x), wave.difference, wave.sum, x)};
}
NPP_LONG_FUNCTION PairOfNeighbours y_of_small_orders(double x) {
  const PairOfWaves wave = waves_of_pair(x);
  return {combined_waves(slow_factors_0(x), wave.difference, wave.sum, x),
          combined_waves(slow_factors_1(x), negative_pair(wave.sum), wave.difference, x)};
}

}  // namespace npp::special
