// Special functions composed of a few elementary ones, in the type of their arguments: logistic
// functions, entropies, losses, angles in degrees. kl_div and the Box-Cox transforms, which
// multiply rounding errors, are computed in double.
#pragma once

#include "npp/core/floating.hpp"
#include "npp/special/pairs.hpp"

namespace npp::library {

#if NPP_DEVICE
template <class T>
NPP_FUNCTION T exp10(T value) {
  return ::exp10(value);
}
#else
// glibc's exp10 is inexact for powers of 10 where its pow is exact.
double scalar_pow(double, double) __asm__("pow") NPP_SCALAR;
float scalar_pow(float, float) __asm__("powf") NPP_SCALAR;
template <class T>
NPP_FUNCTION T exp10(T value) {
  return library::scalar_pow(T(10), value);
}
#endif

}  // namespace npp::library

namespace npp {

template <class T>
NPP_FUNCTION T exp10(T x) {
  return library::exp10(x);
}

template <class T>
NPP_FUNCTION T expit(T x) {
  const T small = library::exp(-builtin::fabs(x));
  return (x < 0 ? small : T(1)) / (1 + small);
}
// In the middle, where a logarithm of the quotient would lose digits, log1p of its distance from 1.
template <class T>
NPP_FUNCTION T logit(T p) {
  const bool is_near_half = p > T(0.25) && p < T(0.75);
  return is_near_half ? library::log1p((2 * p - 1) / (1 - p)) : library::log(p / (1 - p));
}
template <class T>
NPP_FUNCTION T log_expit(T x) {
  return (x < 0 ? x : T(0)) - library::log1p(library::exp(-builtin::fabs(x)));
}

template <class T>
NPP_FUNCTION T xlogy(T x, T y) {
  return x == 0 && !builtin::isnan(y) ? T(0) : x * library::log(y);
}
template <class T>
NPP_FUNCTION T xlog1py(T x, T y) {
  return x == 0 && !builtin::isnan(y) ? T(0) : x * library::log1p(y);
}

// (exp(x) - 1) / x, which is finite slightly beyond the largest exp(x).
template <class T>
NPP_FUNCTION T exprel(T x) {
  if (x == 0) return 1;
  if (x < 80) return library::expm1(x) / x;
  if (builtin::same_bits(x, Limits<T>::kInfinity)) return x;
  const T half = library::exp(x / 2);
  return half / x * half;
}

template <class T>
NPP_FUNCTION T entr(T x) {
  if (x == 0) return 0;
  return x < 0 ? -Limits<T>::kInfinity : -x * library::log(x);
}

// x log(x / y); with a quotient near 1 by the exact difference, with an overflowing one by two
// logarithms.
template <class T>
NPP_FUNCTION T rel_entr(T x, T y) {
  if (builtin::isnan(x) || builtin::isnan(y)) return Limits<T>::kNan;
  if (x == 0 && y >= 0) return 0;
  if (!(x > 0 && y > 0)) return Limits<T>::kInfinity;
  const T quotient = x / y;
  if (quotient > T(0.5) && quotient < 2) return x * library::log1p((x - y) / y);
  const T least = T(16) / Limits<T>::kMax;
  if (quotient > least && quotient < Limits<T>::kInfinity) return x * library::log(quotient);
  return x * (library::log(x) - library::log(y));
}
template <class T>
NPP_FUNCTION T huber(T delta, T r) {
  const T size = builtin::fabs(r);
  if (delta < 0) return Limits<T>::kInfinity;
  return size <= delta ? T(0.5) * r * r : delta * (size - T(0.5) * delta);
}
// delta**2 (sqrt(1 + (r / delta)**2) - 1), with the difference written as a quotient.
template <class T>
NPP_FUNCTION T pseudo_huber(T delta, T r) {
  if (delta < 0) return Limits<T>::kInfinity;
  if (delta == 0 || r == 0) return 0;
  const T part = r / delta;
  return r * (r / (builtin::sqrt(1 + part * part) + 1));
}

template <class T>
NPP_FUNCTION T cosm1(T x) {
  const T sine = library::sin(x / 2);
  return -2 * sine * sine;
}

// An angle in degrees as quarter turns and a remainder of up to 45, both exact.
template <class T>
struct Quarters {
  int count;
  T rest;

  NPP_FUNCTION T radians() const { return rest * T(0.01745329251994329577); }
};
template <class T>
NPP_FUNCTION Quarters<T> quarters_of(T degrees) {
  const T inside = library::fmod(degrees, T(360));
  const T count = builtin::rint(inside / 90);
  const bool is_number = inside == inside;
  return {is_number ? static_cast<int>(count) & 3 : 0, inside - count * 90};
}
template <class T>
NPP_FUNCTION T sine_of_quarters(Quarters<T> angle) {
  const bool is_odd = (angle.count & 1) != 0;
  const T size = is_odd                               ? library::cos(angle.radians())
                 : builtin::fabs(angle.rest) == T(30) ? angle.rest / 60
                                                      : library::sin(angle.radians());
  return (angle.count & 2) != 0 ? -size : size;
}
template <class T>
NPP_FUNCTION T sindg(T degrees) {
  return sine_of_quarters(quarters_of(degrees)) + T(0);
}
template <class T>
NPP_FUNCTION T cosdg(T degrees) {
  Quarters<T> angle = quarters_of(degrees);
  angle.count = (angle.count + 1) & 3;
  return sine_of_quarters(angle) + T(0);
}
template <class T>
NPP_FUNCTION T tandg(T degrees) {
  const Quarters<T> angle = quarters_of(degrees);
  const bool is_one = builtin::fabs(angle.rest) == T(45);
  const T tangent = is_one ? angle.rest / 45 : library::tan(angle.radians());
  if ((angle.count & 1) == 0) return tangent + T(0);
  return tangent == 0 ? Limits<T>::kInfinity : -1 / tangent;
}

}  // namespace npp

namespace npp::special {

// x log(x / y) - x + y of positive numbers that are close, without cancellation: with u = (x - y) /
// (x + y) it is (x - y) u + 2 x (u**3 / 3 + u**5 / 5 + ...).
NPP_FUNCTION double kl_div_of_close(double x, double difference, double u) {
  double series = 0;
  for (int k = 35; k >= 3; k -= 2) series = series * (u * u) + 1 / static_cast<double>(k);
  return difference * u + 2 * x * (u * u * u) * series;
}
// Of others. The terms cancel, so that the rounding errors of the quotient, the product and the
// difference count.
NPP_FUNCTION double kl_div_of_distant(double x, double y, double difference) {
  const double quotient = x / y;
  if (!(quotient > 16 / Limits<double>::kMax && quotient < Limits<double>::kInfinity)) {
    return rel_entr(x, y) - x + y;
  }
  const double lost = library::fma(-quotient, y, x) - library::lost_in_sum(x, -y, difference);
  return library::fma(x, scalar::log(quotient), -difference) + lost;
}
NPP_FUNCTION double kl_div(double x, double y) {
  if (has_nan(x, y)) return Limits<double>::kNan;
  if (x == 0 && y >= 0) return y;
  if (!(x > 0 && y > 0)) return Limits<double>::kInfinity;
  const double difference = x - y, sum = x + y, u = difference / sum;
  const bool is_close = builtin::fabs(u) < 0.3 && sum < Limits<double>::kInfinity;
  return is_close ? kl_div_of_close(x, difference, u) : kl_div_of_distant(x, y, difference);
}

// (x**lambda - 1) / lambda, by the power where it is far from 1: exp multiplies the error of a
// logarithm.
NPP_FUNCTION bool is_far_power(double power) { return power > 2 || power < 0.5; }
NPP_FUNCTION double boxcox_of_logarithm(double logarithm, double lambda) {
  if (builtin::fabs(lambda) < 1e-19) return logarithm;
  return scalar::expm1(lambda * logarithm) / lambda;
}
NPP_FUNCTION double boxcox(double x, double lambda) {
  const double power = library::pow(builtin::fabs(x), lambda);
  if (x >= 0 && is_far_power(power)) return (power - 1) / lambda;
  return boxcox_of_logarithm(scalar::log(x), lambda);
}
NPP_FUNCTION double boxcox1p(double x, double lambda) {
  const double sum = 1 + x, power = library::pow(builtin::fabs(sum), lambda);
  if (!(sum >= 0 && is_far_power(power))) return boxcox_of_logarithm(scalar::log1p(x), lambda);
  const double more = lambda * (library::lost_in_sum(1.0, x, sum) / sum);
  const bool is_number = builtin::fabs(more) < Limits<double>::kInfinity;
  return (power * (is_number ? scalar::exp(more) : 1) - 1) / lambda;
}

// log(1 + lambda x) / lambda, and what its rounding lost.
NPP_FUNCTION Pair logarithm_of_boxcox(double x, double lambda) {
  if (lambda == 0) return {x, 0};
  const double product = lambda * x, logarithm = scalar::log1p(product), high = logarithm / lambda;
  const double lost = library::fma(lambda, x, -product) / (1 + product);
  const double low = (library::fma(-high, lambda, logarithm) + lost) / lambda;
  return {high, builtin::fabs(low) < 1 ? low : 0};
}
NPP_FUNCTION double inv_boxcox(double x, double lambda) {
  return exp_of_pair(logarithm_of_boxcox(x, lambda));
}
NPP_FUNCTION double inv_boxcox1p(double x, double lambda) {
  const Pair logarithm = logarithm_of_boxcox(x, lambda);
  const double value = scalar::expm1(logarithm.high);
  const bool is_exact = logarithm.low == 0 || builtin::same_bits(value, Limits<double>::kInfinity);
  return is_exact ? value : value + (1 + value) * logarithm.low;
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(kl_div)
NPP_SPECIAL_OF_TWO(boxcox)
NPP_SPECIAL_OF_TWO(boxcox1p)
NPP_SPECIAL_OF_TWO(inv_boxcox)
NPP_SPECIAL_OF_TWO(inv_boxcox1p)

}  // namespace npp
