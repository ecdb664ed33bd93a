// Double-double numbers after T. Dekker (1971), "A floating-point technique for extending the
// available precision": about 100 bits, for exponents and differences that would lose digits.
#pragma once

#include "npp/math/squares.hpp"
#include "npp/special/scalar_math.hpp"

namespace npp::special {

// The second part is too small to change the first.
struct Pair {
  double high;
  double low;
};
NPP_FUNCTION Pair pair_of_sum(double a, double b) {
  const double sum = a + b;
  return {sum, library::lost_in_sum(a, b, sum)};
}
NPP_FUNCTION Pair pair_of_sum(Pair a, Pair b) {
  const Pair sum = pair_of_sum(a.high, b.high);
  return pair_of_sum(sum.high, sum.low + (a.low + b.low));
}
NPP_FUNCTION Pair negative_pair(Pair a) { return {-a.high, -a.low}; }
NPP_FUNCTION Pair difference_of(Pair a, Pair b) { return pair_of_sum(a, negative_pair(b)); }
NPP_FUNCTION Pair pair_of_product(Pair a, Pair b) {
  const double high = a.high * b.high;
  const double low = library::fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
  const double sum = high + low;
  return {sum, low - (sum - high)};
}
NPP_FUNCTION Pair scaled_pair(Pair a, double factor) { return pair_of_product(a, {factor, 0}); }
NPP_FUNCTION Pair pair_of_quotient(Pair a, Pair b) {
  const double high = a.high / b.high;
  const double rest = library::fma(-high, b.high, a.high) + (a.low - high * b.low);
  const double low = rest / b.high, sum = high + low;
  return {sum, low - (sum - high)};
}
NPP_FUNCTION double exp_of_pair(Pair a) { return scalar::exp(a.high) * (1 + a.low); }

NPP_FUNCTION double power_of_pair(Pair x, double exponent) {
  return library::pow(x.high, exponent) * scalar::exp(exponent * (x.low / x.high));
}

// artanh(s) - s - s**3 / 3 for |s| < 0.18, from its power series.
NPP_FUNCTION double rest_of_artanh(double s) {
  const double z = s * s;
  return s * z * z *
         polynomial(z, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                    1.0 / 21, 1.0 / 23, 1.0 / 25);
}
NPP_FUNCTION Pair third_of_cube(Pair s) {
  const Pair third{0.33333333333333331483, 1.8503717077085942e-17};
  return pair_of_product(third, pair_of_product(s, pair_of_product(s, s)));
}

// log(x) for x > 0: the logarithm of the power of 2, and twice the artanh of (m - 1) / (m + 1).
NPP_LONG_FUNCTION Pair log_of_pair(Pair x) {
  constexpr double kScale = 0x1p54;
  int exponent = 0;
  if (x.high < 0x1p-1000) {
    x = {x.high * kScale, x.low * kScale};
    exponent = -54;
  }
  const int64 bits = bit_cast<int64>(x.high) - bit_cast<int64>(0.70710678118654752440);
  const int shift = static_cast<int>(bits >> 52);
  const double scale = bit_cast<double>(static_cast<int64>(1023 - shift / 2) << 52),
               other = bit_cast<double>(static_cast<int64>(1023 - (shift - shift / 2)) << 52);
  const Pair mantissa{x.high * scale * other, x.low * scale * other};
  const Pair above = pair_of_sum(mantissa, {-1, 0}), below = pair_of_sum(mantissa, {1, 0});
  const Pair s = pair_of_quotient(above, below);
  const Pair artanh = pair_of_sum(pair_of_sum(s, third_of_cube(s)), {rest_of_artanh(s.high), 0});
  const double power = exponent + shift;
  const Pair log_of_power =
      pair_of_product({power, 0}, {0.69314718055994528623, 2.3190468138462995584e-17});
  return pair_of_sum(log_of_power, {2 * artanh.high, 2 * artanh.low});
}

// x - log(1 + x) for x > -1, without cancellation near 0: x s - 2 (artanh(s) - s), s = x / (2 + x).
NPP_LONG_FUNCTION Pair excess_over_log1p(Pair x) {
  if (builtin::fabs(x.high) > 0.3) {
    return pair_of_sum(x, negative_pair(log_of_pair(pair_of_sum({1, 0}, x))));
  }
  const Pair s = pair_of_quotient(x, pair_of_sum({2, 0}, x));
  const Pair cubic = third_of_cube(s);
  const Pair rest = pair_of_sum(cubic, {rest_of_artanh(s.high), 0});
  return pair_of_sum(pair_of_product(x, s), {-2 * rest.high, -2 * rest.low});
}

}  // namespace npp::special
