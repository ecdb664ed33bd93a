// Legendre's elliptic integrals of a parameter m = k * k: complete ones by the arithmetic-geometric
// mean (DLMF 19.8.5 and 19.8.6), incomplete ones by Carlson's symmetric integrals (DLMF 19.25),
// computed by duplication after B. Carlson (1995), "Numerical computation of real or complex
// elliptic integrals".
#pragma once

#include "npp/special/pairs.hpp"

namespace npp::special {

inline constexpr double kHalfPi = 1.57079632679489661923;

// K(m) and E(m), of 1 - m > 0.
struct Complete {
  double first;
  double second;
};
NPP_FUNCTION Complete complete_elliptic(double complement) {
  const double start = builtin::sqrt(complement);
  double large = (1 + start) / 2, small = builtin::sqrt(start);
  double half = (large - small) / 2, weight = 1, rest = large * large;
  for (int n = 0; n < 40 && builtin::fabs(half) > large * 0.01; ++n) {
    small = builtin::sqrt(large * small);
    large -= half;
    weight *= 2;
    rest -= weight * half * half;
    half = (large - small) / 2;
  }
  // The inverse mean of 1 + s and 1 - s is 1 + s**2 / 4 + ..., as K(s**2); their next half
  // difference is s**2 / 4 + s**4 / 16 + ...
  const double middle = large - half, square = half / middle * (half / middle);
  const double next = middle * square * (0.25 + square / 16);
  rest -= 2 * weight * (half * half + 2 * next * next);
  const double share = square * polynomial(square, 0.25, 0.140625, 0.09765625);
  const double quotient = kHalfPi / middle;
  const double rounded = library::fma(-quotient, middle, kHalfPi) + 6.123233995736766e-17;
  const double first = quotient + (quotient * share + rounded / middle);
  return {first, first * rest};
}

NPP_LONG_FUNCTION double ellipk(double m) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(m) || m > 1) return Limits<double>::kNan;
  if (m == 1) return kInfinity;
  return m == -kInfinity ? 0 : complete_elliptic(1 - m).first;
}
NPP_LONG_FUNCTION double ellipe(double m) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(m) || m > 1) return Limits<double>::kNan;
  if (m == 1) return 1;
  return m == -kInfinity ? kInfinity : complete_elliptic(1 - m).second;
}

// (x + y + z - xy - yz - zx) / 4 of the roots x, y, z of numbers that differ from their mean by
// dx, dy, dz: (a - b)**2 / 2 of each two.
NPP_FUNCTION double loss_of_mean(double x, double y, double z, double dx, double dy) {
  const double dz = -dx - dy;
  const double xy = (dy - dx) / (x + y), yz = (dz - dy) / (y + z), zx = (dx - dz) / (z + x);
  return (xy * xy + yz * yz + zx * zx) / 8;
}
// number * (1 + share) / sqrt(mean), rounded once for a small share.
NPP_FUNCTION double over_root(double number, double share, double mean) {
  const double root = builtin::sqrt(mean), quotient = number / root;
  const double of_root = library::fma(-root, root, mean) / (2 * mean);
  const double rest = library::fma(-quotient, root, number) / root;
  return quotient + (quotient * (share - of_root) + rest);
}
// Carlson's R_F(x, y, z), times a number, and R_D(x, y, z).
NPP_FUNCTION double carlson_f(double x, double y, double z, double number = 1) {
  double mean = (x + y + z) / 3;
  double far = builtin::fabs(mean - x);
  far = far > builtin::fabs(mean - y) ? far : builtin::fabs(mean - y);
  far = far > builtin::fabs(mean - z) ? far : builtin::fabs(mean - z);
  double dx = mean - x, dy = mean - y;
  // The deviations shrink by 4 each time; the series' first neglected term is of degree 8.
  for (; far > 0.005 * mean; far /= 4, dx /= 4, dy /= 4) {
    const double rx = builtin::sqrt(x), ry = builtin::sqrt(y), rz = builtin::sqrt(z);
    const double step = rx * (ry + rz) + ry * rz;
    x = (x + step) / 4, y = (y + step) / 4, z = (z + step) / 4;
    // The rounding errors of a small loss count less than those of the step.
    mean = far > 0.5 * mean ? (mean + step) / 4 : mean - loss_of_mean(rx, ry, rz, dx, dy);
  }
  dx /= mean, dy /= mean;
  const double dz = -dx - dy, e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
  const double series = e3 / 14 - e2 / 10 + e2 * e2 / 24 - 3 * e2 * e3 / 44 -
                        5 * e2 * e2 * e2 / 208 + 3 * e3 * e3 / 104 + e2 * e2 * e3 / 16;
  return over_root(number, series, mean);
}
NPP_FUNCTION double carlson_d(double x, double y, double z) {
  double mean = (x + y + 3 * z) / 5, sum = 0, factor = 1;
  double dx = mean - x, dy = mean - y;
  double far = builtin::fabs(dx);
  far = far > builtin::fabs(dy) ? far : builtin::fabs(dy);
  far = far > builtin::fabs(mean - z) ? far : builtin::fabs(mean - z);
  for (; far > 0.002 * mean; far /= 4, dx /= 4, dy /= 4, factor /= 4) {
    const double rx = builtin::sqrt(x), ry = builtin::sqrt(y), rz = builtin::sqrt(z);
    const double step = rx * (ry + rz) + ry * rz;
    sum += factor / (rz * (z + step));
    x = (x + step) / 4, y = (y + step) / 4, z = (z + step) / 4;
    mean = (mean + step) / 4;
  }
  dx /= mean, dy /= mean;
  const double dz = -(dx + dy) / 3, product = dx * dy, square = dz * dz;
  const double e2 = product - 6 * square, e3 = (3 * product - 8 * square) * dz,
               e4 = 3 * (product - square) * square, e5 = product * square * dz;
  const double series = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 -
                        9 * e2 * e3 / 52 + 3 * e5 / 26 - e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 +
                        3 * e2 * e4 / 20;
  return factor * series / (mean * builtin::sqrt(mean)) + 3 * sum;
}

// An angle as half turns and a remainder of up to a quarter turn.
struct HalfTurns {
  double count;
  double rest;
  double lost;  // of the remainder, by rounding
};
NPP_FUNCTION HalfTurns half_turns_of(double angle) {
  const double count = builtin::rint(angle / (2 * kHalfPi));
  const Pair whole = pair_of_product({count, 0}, {2 * kHalfPi, 1.2246467991473531772e-16});
  const double near = angle - whole.high, rest = near - whole.low;
  return {count, rest, (near - rest) - whole.low};
}

NPP_LONG_FUNCTION double ellipkinc(double phi, double m) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(phi, m) || m > 1) return Limits<double>::kNan;
  const bool is_far = builtin::fabs(phi) == kInfinity;
  if (m == -kInfinity) return is_far ? Limits<double>::kNan : 0;
  if (is_far || phi == 0) return phi;
  const HalfTurns angle = half_turns_of(phi);
  if (m == 1 && builtin::fabs(phi) >= kHalfPi) return builtin::copysign(kInfinity, phi);
  const double sine = scalar::sin(angle.rest), cosine = scalar::cos(angle.rest);
  const double other = m > 0.5 ? cosine * cosine + (1 - m) * sine * sine : 1 - m * sine * sine;
  const double part = carlson_f(cosine * cosine, other, 1, sine);
  if (angle.count == 0) return part;
  // Beside a quarter turn the integral is steep where m is near 1.
  return part + angle.lost / builtin::sqrt(other) +
         2 * angle.count * complete_elliptic(1 - m).first;
}

// DLMF 19.25.9 for m < 0, 19.25.10 otherwise: no term is negative.
NPP_FUNCTION double incomplete_of_second_kind(double sine, double cosine, double m) {
  const double x = cosine * cosine, square = sine * sine;
  if (m < 0) {
    const double y = 1 - m * square;
    return sine * (carlson_f(x, y, 1) - m / 3 * square * carlson_d(x, y, 1));
  }
  const double complement = 1 - m, y = x + complement * square;
  const double rest = carlson_f(x, y, 1) + m / 3 * square * carlson_d(x, 1, y);
  return sine * (complement * rest + m * builtin::sqrt(x / y));
}
NPP_LONG_FUNCTION double ellipeinc(double phi, double m) {
  constexpr double kInfinity = Limits<double>::kInfinity;
  if (has_nan(phi, m) || m > 1) return Limits<double>::kNan;
  if (phi == 0) return phi;
  if (m == -kInfinity) return builtin::copysign(kInfinity, phi);
  if (builtin::fabs(phi) == kInfinity) return phi;
  const HalfTurns angle = half_turns_of(phi);
  const double sine = scalar::sin(angle.rest), cosine = scalar::cos(angle.rest);
  const double part = m == 1 ? sine : incomplete_of_second_kind(sine, cosine, m);
  if (angle.count == 0) return part;
  return part + 2 * angle.count * (m == 1 ? 1 : complete_elliptic(1 - m).second);
}

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_ONE(ellipk)
NPP_SPECIAL_OF_ONE(ellipe)
NPP_SPECIAL_OF_TWO(ellipkinc)
NPP_SPECIAL_OF_TWO(ellipeinc)

}  // namespace npp
