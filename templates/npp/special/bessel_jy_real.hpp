// Bessel functions of real order. Y of an order in [-1/2, 1/2] by the series of N. Temme (1976),
// "On the numerical evaluation of the ordinary Bessel function of the second kind", for x < 2; J
// and Y of an order up to x by the two continued fractions of A. Barnett (1982), "The calculation
// of spherical Bessel and Coulomb functions" (DLMF 10.74(v)), for x < 25; then by Hankel's
// expansions (DLMF 10.17.3), and by recurrence from orders that they reach. Orders above x by
// recurrence of Y; J by its continued fraction (DLMF 10.10.1) and the Wronskian.
#pragma once

#include "npp/math/complex.hpp"
#include "npp/special/bessel_recurrence.hpp"
#include "npp/special/temme.hpp"

namespace npp::special {

// Of continued fractions and recurrences.
inline constexpr int kMostSteps = 200000;
// Where Hankel's expansions are exact for small orders.
inline constexpr double kFarArgument = 25;

struct BothKinds {
  double first;
  double second;
  double second_above;  // Y of the next order
};

NPP_FUNCTION BothKinds y_by_series(double order, double x) {
  const TemmeTerms start = temme_terms(order, x);
  const double sine = order == 0 ? 1 : scalar::sin(kPi * order / 2) / (kPi * order / 2);
  const double bend = kPi * kPi * order / 2 * sine * sine;
  double middle = 2 / kPi * start.middle, above = start.above / kPi, below = start.below / kPi;
  double factor = 1, sum = middle + bend * below, next = above;
  for (int k = 1; k < 30; ++k) {
    middle = (k * middle + above + below) / ((k - order) * (k + order));
    above /= k - order;
    below /= k + order;
    factor *= -x * x / 4 / k;
    const double term = factor * (middle + bend * below);
    sum += term;
    next += factor * above - k * term;
    if (builtin::fabs(term) < builtin::fabs(sum) * 1e-18) break;
  }
  return {0, -sum, -next * (2 / x)};
}

// J'(order, x) / J(order, x) by Lentz's method, and the sign of J, which is positive for far higher
// orders. Takes about x steps.
struct Slope {
  double value;
  double sign;
};
NPP_FUNCTION Slope slope_of_j(double order, double x) {
  constexpr double kTiny = 1e-300;
  double value = order > 0 ? order / x : kTiny, upper = value, below = 0, sign = 1;
  for (int k = 1; k < kMostSteps; ++k) {
    const double term = 2 * (order + k) / x, inverse = term - below;
    below = 1 / (inverse == 0 ? kTiny : inverse);
    upper = term - 1 / upper;
    if (upper == 0) upper = kTiny;
    const double factor = upper * below;
    value *= factor;
    if (below < 0) sign = -sign;
    if (builtin::fabs(factor - 1) < 2e-16) break;
  }
  return {value, sign};
}
// J(order + 1, x) / J(order, x) below the first zero.
NPP_FUNCTION double ratio_of_j(double order, double x) {
  double inverse = x / (2 * (order + 1)), step = inverse, sum = inverse;
  for (int k = 2; k < kMostSteps; ++k) {
    const double below = 2 * (order + k) / x;
    inverse = 1 / (below - inverse);
    step *= below * inverse - 1;
    sum += step;
    if (builtin::fabs(step) < sum * 1e-17) break;
  }
  return sum;
}

// p + i q = (J' + i Y') / (J + i Y) by Steed's method.
NPP_FUNCTION complex128 slope_of_hankel(double order, double x) {
  const complex128 one{1, 0};
  complex128 below{2 * x, 2};
  complex128 inverse = complex_reciprocal(below), step = inverse, sum{0, 0};
  double above = 0.25 - order * order;
  step = {step.real * above, step.imag * above};
  sum = step;
  for (int k = 2; k < 100000; ++k) {
    const double odd = k - 0.5;
    above = (odd - order) * (odd + order);
    below.imag += 2;
    inverse = complex_reciprocal(below + complex128{above * inverse.real, above * inverse.imag});
    step = step * (below * inverse - one);
    sum = sum + step;
    if (builtin::fabs(step.real) + builtin::fabs(step.imag) < 1e-17 * x) break;
  }
  // -1 / (2 x) + i + i sum / x.
  return {-(0.5 + sum.imag) / x, 1 + sum.real / x};
}
// For x >= 2 and an order up to x.
NPP_FUNCTION BothKinds jy_by_fractions(double order, double x) {
  const Slope of_first = slope_of_j(order, x);
  const complex128 slope = slope_of_hankel(order, x);
  const double part = slope.real - of_first.value, angle = part / slope.imag;
  // The Wronskian J Y' - J' Y = 2 / (pi x).
  const double size = builtin::sqrt(2 / (kPi * x) / (part * angle + slope.imag));
  const double first = of_first.sign * size, second = angle * first;
  const double derivative = slope.real * second + slope.imag * first;
  return {first, second, order / x * second - derivative};
}

NPP_FUNCTION BothKinds jy_of_large(double order, double x) {
  double term = 1, even = 1, odd = 0;
  for (int k = 1; k < 60; ++k) {
    const double distance = 2 * k - 1;
    term *= (2 * order - distance) * (2 * order + distance) / (8 * x * k);
    if (k % 2 == 1) {
      odd += k % 4 == 1 ? term : -term;
    } else {
      even += k % 4 == 0 ? term : -term;
    }
    if (builtin::fabs(term) < 1e-18) break;
  }
  // The phase x - (order / 2 + 1 / 4) pi, its second part without rounding errors of large orders.
  const double whole = builtin::rint(order / 2), turn = order / 2 - whole + 0.25;
  const bool flips = whole / 2 != builtin::rint(whole / 2);
  const double sine = scalar::sin(x), cosine = scalar::cos(x);
  const double far = sine_of_half_turns(turn), near = cosine_of_half_turns(turn);
  const double wave = cosine * near + sine * far, other = sine * near - cosine * far;
  const double root = builtin::sqrt(2 / kPi) / builtin::sqrt(x), size = flips ? -root : root;
  return {size * (even * wave - odd * other), size * (even * other + odd * wave), 0};
}

// By recurrence from the highest orders that Hankel's expansions reach.
NPP_FUNCTION BothKinds jy_from_large(double order, double x) {
  const double steps = builtin::ceil(order + 1 - builtin::sqrt(2 * x)), start = order - steps;
  const BothKinds low = jy_of_large(start, x), high = jy_of_large(start + 1, x);
  const Neighbours second = raised({{low.second, 0}, {high.second, 0}}, start, steps, x);
  const double first =
      order > x ? 0 : raised({{low.first, 0}, {high.first, 0}}, start, steps, x).value;
  return {first, second.value, second.above};
}
NPP_FUNCTION BothKinds jy_from_small(double order, double x) {
  const double missing = x < 2 ? builtin::rint(order) : builtin::ceil(order - x);
  const double steps = missing > 0 ? missing : 0, start = order - steps;
  BothKinds result = x < 2 ? y_by_series(start, x) : jy_by_fractions(start, x);
  if (steps == 0) return result;
  const Neighbours second = raised({{result.second, 0}, {result.second_above, 0}}, start, steps, x);
  return {0, second.value, second.above};
}
// The power series, for x so small that only few terms matter.
NPP_FUNCTION double j_of_small(double order, double x) {
  const double z = x * x / 4;
  double term = 1, sum = 1;
  for (int k = 1; k < 20; ++k) {
    term *= -z / (k * (order + k));
    sum += term;
  }
  return power_of_half(x, order) * rgamma(order + 1) * sum;
}

// For order >= 0 and x > 0.
NPP_LONG_FUNCTION BothKinds jy_of_positive(double order, double x) {
  if (x > kFarArgument && x > order * order / 2) return jy_of_large(order, x);
  const bool is_far = x > kFarArgument;
  if (x > kMostSteps && order > kMostSteps) return {Limits<double>::kNan, Limits<double>::kNan, 0};
  BothKinds result = is_far ? jy_from_large(order, x) : jy_from_small(order, x);
  if (x >= 2 && order <= x) return result;
  // Where the next Y overflows, x is small compared with the order.
  const bool is_tiny = !(result.second_above > -Limits<double>::kInfinity);
  if (is_tiny || x * x < 1e-16 * (order + 1)) {
    result.first = j_of_small(order, x);
    return result;
  }
  const double sum = ratio_of_j(order, x) * result.second - result.second_above;
  result.first = 2 / kPi / x / sum;
  return result;
}

// The value at 0, at infinities and outside the domain.
NPP_FUNCTION double jv_at_edge(double order, double x) {
  const double size = builtin::fabs(order);
  if (size == Limits<double>::kInfinity || x < 0) return Limits<double>::kNan;
  if (x != 0) return 0;
  if (order == 0) return 1;
  const bool is_small = order > 0 || builtin::floor(order) == order;
  return is_small ? 0 : Limits<double>::kInfinity * -sine_of_half_turns(order);
}
// Negative orders by DLMF 10.2.3 and 10.4.1, negative x of whole orders by symmetry.
NPP_LONG_FUNCTION double jv(double order, double x) {
  if (has_nan(order, x)) return Limits<double>::kNan;
  const double size = builtin::fabs(order), distance = builtin::fabs(x);
  const bool is_whole = builtin::floor(order) == order;
  const bool is_odd = is_whole && builtin::rint(order / 2) != order / 2;
  const bool is_inside = size < Limits<double>::kInfinity && distance < Limits<double>::kInfinity;
  if (!is_inside || x == 0 || (x < 0 && !is_whole))
    return jv_at_edge(order, is_whole ? distance : x);
  const BothKinds both = jy_of_positive(size, distance);
  if (is_whole) return is_odd && (order < 0) != (x < 0) ? -both.first : both.first;
  if (order > 0) return both.first;
  return cosine_of_half_turns(size) * both.first - sine_of_half_turns(size) * both.second;
}
NPP_FUNCTION double yv_at_zero(double order) {
  const double cosine = cosine_of_half_turns(order), whole = builtin::floor(-order);
  const bool flips = cosine < 0 || (cosine == 0 && builtin::rint(whole / 2) != whole / 2);
  return order < 0 && flips ? Limits<double>::kInfinity : -Limits<double>::kInfinity;
}
NPP_LONG_FUNCTION double yv(double order, double x) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  const double size = builtin::fabs(order);
  if (has_nan(order, x) || x < 0 || size == kInfinity) return Limits<double>::kNan;
  if (x == kInfinity) return 0;
  if (x == 0) return yv_at_zero(order);
  const BothKinds both = jy_of_positive(size, x);
  if (order >= 0) return both.second;
  const double cosine = cosine_of_half_turns(size), sine = sine_of_half_turns(size);
  const double part = cosine == 0 ? 0 : cosine * both.second;
  return sine == 0 ? part : part + sine * both.first;
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(jv)
NPP_SPECIAL_OF_TWO(yv)

}  // namespace npp
