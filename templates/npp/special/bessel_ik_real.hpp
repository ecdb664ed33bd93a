// Modified Bessel functions of real order. K of an order in [-1/2, 1/2] by the series of N. Temme
// (1975), "On the numerical evaluation of the modified Bessel function of the third kind", for
// x < 1; otherwise by the trapezoidal rule for its integral (DLMF 10.32.9), which converges
// exponentially: L. Trefethen and J. Weideman (2014). Other orders by recurrence. I from its
// continued fraction (DLMF 10.33.1) and the Wronskian (DLMF 10.28.2), by Hankel's expansion (DLMF
// 10.40.1) for large x. No difference cancels.
#pragma once

#include "npp/special/pairs.hpp"
#include "npp/special/temme.hpp"

namespace npp::special {

// K of an order and of the next one, times 2**power exp(-shift).
struct TwoOrders {
  double value;
  double next;
  double shift;
  int power;
};
NPP_FUNCTION TwoOrders k_by_series(double order, double x) {
  const TemmeTerms start = temme_terms(order, x);
  double middle = start.middle, above = start.above / 2, below = start.below / 2;
  double factor = 1, sum = middle, next = above;
  for (int k = 1; k < 30; ++k) {
    middle = (k * middle + above + below) / ((k - order) * (k + order));
    above /= k - order;
    below /= k + order;
    factor *= x * x / 4 / k;
    sum += factor * middle;
    next += factor * (above - k * middle);
    if (factor * middle < sum * 1e-18) break;
  }
  return {sum, next * (2 / x), 0, 0};
}
NPP_FUNCTION TwoOrders k_by_integral(double order, double x) {
  const double width = 0.7 / builtin::sqrt(x), step = width < 0.2 ? width : 0.2;
  double sum = 0.5, next = 0.5;
  for (int k = 1; k < 200; ++k) {
    const double t = k * step, half = (scalar::expm1(t / 2) - scalar::expm1(-t / 2)) / 2;
    const double weight = scalar::exp(-2 * x * half * half) / 2;
    const double power = scalar::exp(order * t), growth = scalar::exp(t);
    sum += weight * (power + 1 / power);
    next += weight * (power * growth + 1 / (power * growth));
    if (weight < 1e-20) break;
  }
  return {step * sum, step * next, x, 0};
}
// By recurrence in double-double numbers, scaled down together where they would overflow.
NPP_LONG_FUNCTION TwoOrders k_of_orders(double order, double x) {
  constexpr double kScale = 0x1p-900, kInfinity = Limits<double>::kInfinity;
  const SplitOrder split = split_order(order);
  TwoOrders start = x < 1 ? k_by_series(split.rest, x) : k_by_integral(split.rest, x);
  const Pair inverse = pair_of_quotient({2, 0}, {x, 0});
  Pair value{start.value, 0}, next{start.next, 0};
  for (int k = 1; k <= split.whole; ++k) {
    const Pair growth = pair_of_product(inverse, {split.rest + k, 0});
    const Pair above = pair_of_sum(value, pair_of_product(growth, next));
    value = next;
    next = above;
    if (!(above.high < kInfinity)) {
      return {k < split.whole ? kInfinity : value.high, kInfinity, start.shift, start.power};
    }
    if (above.high > 0x1p900) {
      value = scaled_pair(value, kScale), next = scaled_pair(next, kScale);
      start.power += 900;
    }
  }
  return {value.high, next.high, start.shift, start.power};
}

// value * 2**power * exp(exponent), each of which may be out of range where the product is not.
NPP_FUNCTION double scaled(double value, int power, double exponent) {
  if (builtin::fabs(exponent) > 1e6) return exponent < 0 ? 0 : value * Limits<double>::kInfinity;
  const double whole = builtin::rint(exponent * 1.44269504088896340736);
  const Pair logarithm =
      pair_of_product({whole, 0}, {0.69314718055994528623, 2.3190468138462995584e-17});
  value *= scalar::exp((exponent - logarithm.high) - logarithm.low);
  power += static_cast<int>(whole);
  for (; power > 1000 && value < Limits<double>::kInfinity; power -= 1000) value *= 0x1p1000;
  for (; power < -1000 && value > 0; power += 1000) value *= 0x1p-1000;
  if (power > 1000 || power < -1000) return value;
  return value * bit_cast<double>(static_cast<int64>(1023 + power) << 52);
}
// Orders beyond this are out of range of the results for nearly every x.
inline constexpr double kLargeOrder = 1e4;
// Roughly log(I) = -log(K) of a large order (DLMF 10.41.3).
NPP_FUNCTION double growth_of_large_order(double order, double x) {
  const double z = x / order, root = builtin::sqrt(1 + z * z);
  return order * (root + scalar::log(z / (1 + root)));
}
// Outside this range the sign of the growth tells the limit.
NPP_FUNCTION bool is_beyond_range(double order, double x) {
  return order > kLargeOrder && builtin::fabs(growth_of_large_order(order, x)) > 800;
}

NPP_LONG_FUNCTION double kv(double order, double x) {
  const double size = builtin::fabs(order);
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(order, x) || x < 0) return Limits<double>::kNan;
  if (x == 0 || (size == kInfinity && x < kInfinity)) return kInfinity;
  if (x == kInfinity) return 0;
  if (is_beyond_range(size, x)) return growth_of_large_order(size, x) < 0 ? kInfinity : 0;
  const TwoOrders result = k_of_orders(size, x);
  return scaled(result.value, result.power, -result.shift);
}

// I(order + 1, x) / I(order, x).
NPP_FUNCTION double ratio_of_i(double order, double x) {
  double inverse = x / (2 * (order + 1)), step = inverse, sum = inverse;
  for (int k = 2; k < 100000; ++k) {
    const double below = 2 * (order + k) / x;
    inverse = 1 / (below + inverse);
    step *= below * inverse - 1;
    sum += step;
    if (builtin::fabs(step) < sum * 1e-17) break;
  }
  return sum;
}
NPP_FUNCTION double i_of_large(double order, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1;
    term *= -(2 * order - odd) * (2 * order + odd) / (8 * x * k);
    sum += term;
    if (builtin::fabs(term) < 1e-18) break;
  }
  return scaled(sum / builtin::sqrt(2 * kPi * x), 0, x);
}
NPP_FUNCTION double i_of_positive(double order, double x) {
  if (x > 30 && x > order * order / 2) return i_of_large(order, x);
  // The first term of the power series.
  if (x * x < 1e-16 * (order + 1)) return power_of_half(x, order) * rgamma(order + 1);
  if (is_beyond_range(order, x)) {
    return growth_of_large_order(order, x) < 0 ? 0 : Limits<double>::kInfinity;
  }
  const TwoOrders second = k_of_orders(order, x);
  const double sum = second.next + ratio_of_i(order, x) * second.value;
  return scaled(1 / x / sum, -second.power, second.shift);
}
NPP_FUNCTION double i_at_zero(double order) {
  if (order == 0) return 1;
  const bool is_small = order > 0 || builtin::floor(order) == order;
  return is_small ? 0 : Limits<double>::kInfinity * -sine_of_half_turns(order);
}
NPP_LONG_FUNCTION double iv(double order, double x) {
  if (has_nan(order, x)) return Limits<double>::kNan;
  const double size = builtin::fabs(order), distance = builtin::fabs(x);
  const bool is_whole = builtin::floor(order) == order;
  if (x < 0 && !is_whole) return Limits<double>::kNan;
  const bool flips = x < 0 && builtin::rint(order / 2) != order / 2;
  if (x == 0) return i_at_zero(order);
  double value = distance;
  if (size == Limits<double>::kInfinity) {
    value = distance == size ? Limits<double>::kNan : 0;
  } else if (distance < Limits<double>::kInfinity) {
    value = i_of_positive(size, distance);
    // DLMF 10.27.2.
    if (order < 0 && !is_whole) {
      value += 2 / kPi * sine_of_half_turns(size) * kv(size, distance);
    }
  }
  return flips ? -value : value;
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(iv)
NPP_SPECIAL_OF_TWO(kv)

}  // namespace npp
