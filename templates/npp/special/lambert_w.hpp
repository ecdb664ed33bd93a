// Lambert's W function (DLMF 4.13): all branches, of complex numbers. Its power series around the
// branch point -1/e, where Newton's method loses digits; for real results the iteration of
// R. Iacono and J. Boyd (2017), "New approximations to the principal real-valued branch of the
// Lambert W-function"; otherwise Halley's method after R. Corless, G. Gonnet, D. Hare, D. Jeffrey
// and D. Knuth (1996), "On the Lambert W function".
#pragma once

#include "npp/math/complex_math.hpp"
#include "npp/special/pairs.hpp"

namespace npp::special {

// W as a power series of p = sqrt(2 (e z + 1)), a number of either kind.
template <class T>
NPP_FUNCTION T lambert_series(T p) {
  constexpr double kTerms[] = {-1.0,
                               1.0,
                               -0.3333333333333333,
                               0.1527777777777778,
                               -0.07962962962962963,
                               0.044502314814814814,
                               -0.02598471487360376,
                               0.01563563253233392,
                               -0.009616892024299432,
                               0.006014543252956118,
                               -0.0038112980348919993,
                               0.0024408779911439826,
                               -0.0015769303446867841,
                               0.0010262633205076071,
                               -0.0006720616311561362,
                               0.0004424730618146209,
                               -0.00029267722472962746,
                               0.00019438727605453933,
                               -0.00012957426685274883,
                               8.665035805208128e-05,
                               -5.811360750441382e-05,
                               3.907668486743905e-05,
                               -2.63380647472311e-05,
                               1.7790345805079586e-05,
                               -1.2040352739559977e-05,
                               8.163531982496613e-06,
                               -5.544203208567359e-06,
                               3.7710949611072535e-06};
  T sum = kTerms[27];
  for (int k = 26; k >= 0; --k) sum = sum * p + T(kTerms[k]);
  return sum;
}
// e x + 1 without cancellation.
NPP_FUNCTION double distance_from_branch(double x) {
  return library::fma(2.7182818284590450908, x, 1.0) + 1.4456468917292502e-16 * x;
}

NPP_FUNCTION double lambert_start(double x, double p, bool is_lower) {
  if (is_lower) {
    if (x < -0.2) return lambert_series(-p);
    const double first = scalar::log(-x), second = scalar::log(-first);
    return first - second + second / first;
  }
  if (x < -0.2) return lambert_series(p);
  if (x < 0.2) return x * (1 - x * (1 - x * (1.5 - x * 2.6666666666666667)));
  const double logarithm = scalar::log1p(x);
  return logarithm * (1 - scalar::log1p(logarithm) / (2 + logarithm));
}
// For x >= -1/e, and x < 0 on the lower branch, -1.
NPP_LONG_FUNCTION double lambert_of_real(double x, bool is_lower) {
  if (x == 0) return is_lower ? -Limits<double>::kInfinity : x;
  if (x == Limits<double>::kInfinity) return x;
  const double p = builtin::sqrt(2 * distance_from_branch(x));
  if (p < 0.3) return lambert_series(is_lower ? -p : p);
  double w = lambert_start(x, p, is_lower);
  for (int i = 0; i < 8; ++i) {
    const double next = w / (1 + w) * (1 + scalar::log(x / w)), change = next - w;
    w = next;
    if (builtin::fabs(change) < 1e-9 * builtin::fabs(w)) break;
  }
  return w;
}

NPP_FUNCTION double largest_part(complex128 z) {
  const double real = builtin::fabs(z.real), imag = builtin::fabs(z.imag);
  return real > imag ? real : imag;
}
NPP_FUNCTION complex128 lambert_start(complex128 z, int64 branch) {
  const complex128 distance{distance_from_branch(z.real), 2.7182818284590450908 * z.imag};
  if ((branch == 0 || branch == -1) && largest_part(distance) < 0.7) {
    const complex128 p = library::sqrt(distance + distance);
    return lambert_series(branch == 0 ? p : complex128{-p.real, -p.imag});
  }
  const complex128 one{1, 0};
  if (branch == 0 && largest_part(z) < 3) {
    if (largest_part(z + one) < 0.7) return {-0.31813150520476413, 1.3372357014306894};
    const complex128 logarithm = library::log(z + one), two{2, 0};
    return logarithm * (one - library::log(logarithm + one) / (logarithm + two));
  }
  complex128 first = library::log(z);
  first.imag += 6.28318530717958647693 * static_cast<double>(branch);
  const complex128 second = library::log(first);
  return first - second + second / first;
}
// Beside the branch point, Newton's step for u = w + 1: a power series has (u - 1) exp(u) + 1,
// which is e z + 1, without cancellation.
NPP_LONG_FUNCTION complex128 lambert_beside_branch(complex128 w, complex128 distance) {
  const complex128 u = w + complex128{1, 0};
  double factorial = 6402373705728000.0;  // of 18
  complex128 sum{17 / factorial, 0};
  for (int k = 17; k >= 2; --k) {
    factorial /= k + 1;
    sum = sum * u + complex128{(k - 1) / factorial, 0};
  }
  return w - (sum * u - distance / u) / library::exp(u);
}
// Where W of a real number is nearly imaginary, Newton's step for w + log(w) = log(z), of which all
// terms are small: they keep the digits of the real part.
NPP_LONG_FUNCTION complex128 lambert_beside_axis(complex128 w, double x, int64 branch) {
  const double quarters = 4.0 * static_cast<double>(branch) + (x < 0 ? 2 : 0);
  const double count = quarters - (w.imag > 0 ? 1 : -1);
  const Pair angle = scaled_pair({1.5707963267948966, 6.123233995736766e-17}, count);
  const double size = builtin::fabs(x), imag = builtin::fabs(w.imag);
  const double excess = ((imag - size) * (imag + size) + w.real * w.real) / (size * size);
  const complex128 rest{w.real + scalar::log1p(excess) / 2,
                        (w.imag - angle.high) - angle.low - library::atan(w.real / w.imag)};
  return w - rest * w / (w + complex128{1, 0});
}
// For numbers above the real axis, or on its upper side.
NPP_LONG_FUNCTION complex128 lambert_of_complex(complex128 z, int64 branch) {
  const complex128 one{1, 0}, two{2, 0}, half{0.5, 0};
  complex128 w = lambert_start(z, branch);
  const complex128 distance{distance_from_branch(z.real), 2.7182818284590450908 * z.imag};
  const double from_branch = branch == 0 || branch == -1 ? largest_part(distance) : 1;
  if (from_branch < 0.03) return w;
  for (int i = 0; i < 40; ++i) {
    complex128 rest, slope;
    if (w.real >= 0) {
      rest = w - z * library::exp(complex128{-w.real, -w.imag});
      slope = w + one;
    } else {
      const complex128 power = library::exp(w);
      rest = w * power - z;
      slope = w * power + power;
    }
    const complex128 change = rest / (slope - (w + two) * rest * half / (w + one));
    w = w - change;
    if (largest_part(change) < 1e-7 * largest_part(w)) break;
  }
  if (from_branch < 0.4) return lambert_beside_branch(w, distance);
  if (z.imag != 0 || builtin::fabs(w.real) > 0.5) return w;
  return lambert_beside_axis(w, z.real, branch);
}

NPP_FUNCTION complex128 lambert_above(complex128 z, int64 branch) {
  constexpr double kInfinity = Limits<double>::kInfinity, kPi = 3.14159265358979323846;
  if (has_nan(z.real, z.imag))
    return {Limits<double>::kNan, z.imag == 0 ? 0 : Limits<double>::kNan};
  const double turns = 2 * kPi * static_cast<double>(branch);
  if (z.real == kInfinity) return {kInfinity, z.imag + turns};
  if (z.real == -kInfinity) return {kInfinity, -z.imag + turns + kPi};
  if (z.real == 0 && z.imag == 0) {
    return branch == 0 ? z : complex128{-kInfinity, 0};
  }
  if (z.imag == 0 && distance_from_branch(z.real) >= 0) {
    if (branch == 0) return {lambert_of_real(z.real, false), 0};
    if (branch == -1 && z.real < 0) return {lambert_of_real(z.real, true), 0};
  }
  return lambert_of_complex(z, branch);
}
// The branches' values below the real axis are conjugates.
NPP_LONG_FUNCTION complex128 lambertw(complex128 z, int64 branch) {
  if (!builtin::signbit(z.imag)) return lambert_above(z, branch);
  const complex128 above = lambert_above({z.real, -z.imag}, -branch);
  return {above.real, -above.imag};
}

}  // namespace npp::special

namespace npp {

template <class T, class Branch>
NPP_FUNCTION T lambertw(T z, Branch branch) {
  using Part = Real<T>;
  const complex128 result = special::lambertw(
      {static_cast<double>(z.real), static_cast<double>(z.imag)}, static_cast<int64>(branch));
  return {static_cast<Part>(result.real), static_cast<Part>(result.imag)};
}

}  // namespace npp
