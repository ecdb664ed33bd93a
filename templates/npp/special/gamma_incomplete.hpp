// The regularized incomplete gamma functions P(a, x) and Q(a, x). The regions are those of
// W. Gautschi (1979), "A computational procedure for incomplete gamma functions": a power series
// for P, one for Q near x = 0, a continued fraction for Q. Around x = a, where these are slow,
// the uniform expansion of N. Temme (1987) in the form of A. Gil, J. Segura and N. Temme (2012),
// "Efficient and accurate algorithms for the computation and inversion of the incomplete gamma
// function ratios".
#pragma once

#include "npp/special/erf.hpp"
#include "npp/special/gamma.hpp"

namespace npp::special {

// A probability and its complement, the smaller one without cancellation.
struct Shares {
  double below;
  double above;
};
NPP_FUNCTION Shares shares_from_below(double below) { return {below, 1 - below}; }
NPP_FUNCTION Shares shares_from_above(double above) { return {1 - above, above}; }

// The number of known coefficients of a phase's power series.
inline constexpr int kPhaseTerms = 29;

// The integrals of exp(-n z * z / 2) f(z) up to eta and beyond it, over their sum. `series` holds
// f's power series from its first power on, f(0) being 1; half_square is n eta**2 / 2. With
// S(eta) = sum of s_k eta**k the integral beyond eta is erfc(eta sqrt(n / 2)) / 2 +
// exp(-n eta**2 / 2) S(eta) / sqrt(2 pi n), and S follows from a recurrence of its coefficients.
template <int terms>
NPP_FUNCTION Shares shares_by_phase(const double (&series)[terms], double n, double eta,
                                    Pair half_square) {
  double above = 0, value = 0, sum = 0;
  for (int k = terms - 1; k >= 0; --k) {
    const double below = series[k] + (k + 2) * above / n;
    above = value;
    value = below;
    sum = sum * eta + below;
  }
  const double scale = exp_of_pair(negative_pair(half_square));
  // value and above are now the series' coefficients of powers 0 and 1.
  const double rest = sum / (1 + above / n) / builtin::sqrt(2 * kPi * n);
  const double middle = erfcx_of_positive(builtin::sqrt(half_square.high)) / 2;
  return eta < 0 ? shares_from_below(scale * (middle - rest))
                 : shares_from_above(scale * (middle + rest));
}

// z / (t - 1) as a power series of z, where z * z / 2 = t - 1 - log(t).
NPP_FUNCTION Shares gamma_shares_near(double a, double x) {
  constexpr double kSeries[kPhaseTerms] = {
      -0.3333333333333333,     0.08333333333333333,     -0.014814814814814815,
      0.0011574074074074073,   0.0003527336860670194,   -0.0001787551440329218,
      3.919263178522438e-05,   -2.185448510679992e-06,  -1.85406221071516e-06,
      8.296711340953087e-07,   -1.7665952736826078e-07, 6.707853543401498e-09,
      1.0261809784240309e-08,  -4.382036018453353e-09,  9.14769958223679e-10,
      -2.5514193994946248e-11, -5.830772132550426e-11,  2.4361948020667415e-11,
      -5.0276692801141755e-12, 1.1004392031956135e-13,  3.371763262400985e-13,
      -1.392388722418162e-13,  2.8534893807047445e-14,  -5.139111834242572e-16,
      -1.9752288294349442e-15, 8.099521156704561e-16,   -1.6522531216398162e-16,
      2.5305430097478883e-18,  1.1686939738559576e-17};
  const Pair distance = pair_of_quotient(pair_of_sum(x, -a), {a, 0});
  const Pair phase = excess_over_log1p(distance);
  const double eta = builtin::copysign(builtin::sqrt(2 * phase.high), distance.high);
  return shares_by_phase(kSeries, a, eta, pair_of_product({a, 0}, phase));
}

// log(gamma(1 + a)) / a for 0 <= a <= 1, a Chebyshev interpolation computed with 45 digits.
NPP_FUNCTION double slope_of_lgamma1p(double a) {
  return (a - 1) *
         polynomial(2 * a - 1, 0.4831289505409809, -0.07297994795715304, 0.015727850268641236,
                    -0.003913560937626381, 0.0010498186644491822, -0.00029455070151447946,
                    8.510090382103366e-05, -2.509432873095988e-05, 7.511391173966899e-06,
                    -2.2742469968212717e-06, 6.948459477297189e-07, -2.1386491757349785e-07,
                    6.62297969393005e-08, -2.0616623830783594e-08, 6.446639568052886e-09,
                    -2.024496975941913e-09, 6.377132338485378e-10, -2.003090767087296e-10,
                    6.345742123182517e-11, -2.131653473667402e-11, 6.789300083165209e-12,
                    -1.435305802379184e-12, 4.571979384838471e-13, -4.118800422041655e-13,
                    1.3230297820276298e-13);
}

// x**a exp(-x) / gamma(a + 1): by Stirling's formula where gamma would overflow.
NPP_FUNCTION double gamma_density(double a, double x) {
  if (a < 150) {
    if (x > 2000) return 0;
    const double root = library::pow(x, a / 2) * scalar::exp(-x / 2);
    return root * (root / (a < 1 ? scalar::tgamma(1 + a) : a * scalar::tgamma(a)));
  }
  if (x > 1e3 * a) return 0;
  const Pair phase = excess_over_log1p(pair_of_quotient(pair_of_sum(x, -a), {a, 0}));
  const double scale = exp_of_pair(negative_pair(pair_of_product({a, 0}, phase)));
  return scale * scalar::exp(-stirling_rest(a)) / builtin::sqrt(2 * kPi * a);
}

// DLMF 8.7.1.
NPP_FUNCTION double gamma_share_by_series(double a, double x) {
  double term = 1, sum = 1;
  for (int n = 1; term > sum * 1e-17; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return gamma_density(a, x) * sum;
}
// DLMF 8.7.1 in the form for small x <= 1 and a <= 1: 1 - x**a / gamma(a + 1), less the rest.
NPP_FUNCTION double gamma_share_near_zero(double a, double x) {
  double power = 1, sum = 0;
  for (int n = 1; n < 22; ++n) {
    power *= -x / n;
    sum -= power / (a + n);
  }
  const double first = -scalar::expm1(a * (scalar::log(x) - slope_of_lgamma1p(a)));
  return first + (1 - first) * a * sum;
}
// DLMF 8.9.2's even part by Steed's method.
NPP_FUNCTION double gamma_share_by_fraction(double a, double x) {
  double below = x + 1 - a, inverse = 1 / below, step = inverse, sum = step;
  for (int n = 1; n < 1000; ++n) {
    const double above = n * (a - n);
    below += 2;
    inverse = 1 / (below + above * inverse);
    step *= below * inverse - 1;
    sum += step;
    if (builtin::fabs(step) < builtin::fabs(sum) * 1e-17) break;
  }
  return a * gamma_density(a, x) * sum;
}

// At the edges of the domain, and outside it.
NPP_FUNCTION Shares gamma_shares_at_edge(double a, double x) {
  const bool is_far = builtin::same_bits(x, Limits<double>::kInfinity);
  const bool is_nan = !(a >= 0 && x >= 0) || (a == 0 && x == 0) || (is_far && a == x);
  if (is_nan) return {Limits<double>::kNan, Limits<double>::kNan};
  return a == 0 || is_far ? Shares{1, 0} : Shares{0, 1};
}
NPP_LONG_FUNCTION Shares gamma_shares(double a, double x) {
  if (has_nan(a, x)) return {Limits<double>::kNan, Limits<double>::kNan};
  const bool is_inside = a > 0 && x > 0 && a < Limits<double>::kInfinity;
  if (!is_inside || !(x < Limits<double>::kInfinity)) return gamma_shares_at_edge(a, x);
  if (a >= 20 && x > 0.31 * a && x < 2.3 * a) return gamma_shares_near(a, x);
  const double limit = x < 0.5 ? scalar::log(0.5) / scalar::log(x / 2) : x;
  if (a > limit) return shares_from_below(gamma_share_by_series(a, x));
  return shares_from_above(x < 1 ? gamma_share_near_zero(a, x) : gamma_share_by_fraction(a, x));
}

NPP_FUNCTION double gammainc(double a, double x) { return gamma_shares(a, x).below; }
NPP_FUNCTION double gammaincc(double a, double x) { return gamma_shares(a, x).above; }

}  // namespace npp::special

namespace npp {

NPP_SPECIAL_OF_TWO(gammainc)
NPP_SPECIAL_OF_TWO(gammaincc)

}  // namespace npp
