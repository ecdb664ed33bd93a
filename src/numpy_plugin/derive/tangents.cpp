// The table of tangents, and the longer formulas that its rows name.
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "numpy_plugin/derive/rule.hpp"
#include "numpy_plugin/system/fork.hpp"

namespace numpy_plugin::derive {
namespace {

using enum declare::Operation;

constexpr double kPi = std::numbers::pi;
constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kLn2 = std::numbers::ln2;
constexpr double kLn10 = std::numbers::ln10;
constexpr double kRootHalf = 1 / std::numbers::sqrt2;
constexpr double kRootTwo = std::numbers::sqrt2;
constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;
constexpr double kOneOverRootTwoPi = 0.39894228040143267794;
constexpr double kRootTwoOverPi = 0.79788456080286535588;

Rule unknown(const Rule& tangent, std::string_view what) {
  return leaf(RuleKind::kUnknown, tangent->index, what);
}

// The derivative of 0 ** b by its base.
Rule power_slope_at_zero(const Rule& b) {
  const Rule below_one = select(equal(b, 0), zero(), b / zero());
  return select(1 < b, zero(), select(equal(b, 1), number(1), below_one));
}

// exp(-scale * a * a), whose rounded square would cost digits: a is split into a part of few bits,
// whose square is exact, and the rest.
Rule gaussian(const Rule& a, double scale = 1) {
  constexpr double kVanishes = 64;  // exp(-64 * 64 / 2) is 0
  const Rule size = of(kMinimum, of(kAbsolute, a), number(kVanishes));
  const Rule high = of(kRint, size * 64) / 64;
  return of(kExp, -scale * (high * high)) * of(kExp, scale * ((high - size) * (high + size)));
}

Rule normal(const Rule& a) { return gaussian(a, 0.5); }

// Of the product as if it had not been rounded.
Rule normal_of_product(const Rule& a, const Rule& b) {
  const Rule product = a * b;
  return normal(product) * (1 - product * of(kFma, a, b, -product));
}

// Of tanh, from exp(-2 * abs(a)).
Rule tanh_slope(const Rule& decay) { return 4 * decay / of(kSquare, 1 + decay); }

// Of 1 - m * sin(angle)**2 for m up to 1, without a difference of numbers next to 1.
Rule elliptic_root(const Rule& angle, const Rule& m) {
  return of(kSqrt, of(kSquare, of(kCos, angle)) + (1 - m) * of(kSquare, of(kSin, angle)));
}

// The sum of coefficient(k) * x**k for k < n_terms, by Horner's rule.
template <class Coefficient>
Rule power_series(const Rule& x, int n_terms, const Coefficient& coefficient) {
  Rule sum = number(coefficient(n_terms - 1));
  for (int k = n_terms - 2; k >= 0; --k) sum = sum * x + coefficient(k);
  return sum;
}

// Angles keep the digits of x beside the zeros.
Rule cos_pi(const Rule& x) {
  return of(kSin, kPi * (0.5 - of(kAbsolute, x - 2 * of(kRint, x / 2))));
}

double factorial(int n) { return std::tgamma(n + 1); }

// Of (exp(x) - 1) / x, by its power series beside 0.
Rule exprel_slope(const Rule& x, const Rule& value) {
  constexpr int kTerms = 18;  // 1 / 18! is below a rounding
  const Rule series = power_series(x, kTerms, [](int k) { return (k + 1) / factorial(k + 2); });
  return select(of(kAbsolute, x) < number(1), series, (of(kExp, x) - value) / x);
}

// Of (exp(b * logarithm) - 1) / b by b.
Rule boxcox_slope(const Rule& logarithm, const Rule& b) {
  const Rule product = b * logarithm;
  return logarithm * logarithm * exprel_slope(product, of(kExprel, product));
}

// Of a * a * (sqrt(1 + q * q) - 1) by a, where q = b / a.
Rule pseudo_huber_slope(const Rule& a, const Rule& q) {
  const Rule root = of(kHypot, number(1), q);
  return a * of(kSquare, q * q / (root + 1)) / root;
}

// Of sin(pi x) / (pi x), by its power series beside 0.
Rule sinc_slope(const Rule& x, const Rule& value) {
  constexpr int kTerms = 12;  // in (pi / 2) ** 2
  const Rule series = power_series(of(kSquare, kPi * x), kTerms, [](int k) {
    return (k % 2 == 0 ? -1 : 1) * (2 * k + 2) / factorial(2 * k + 3);
  });
  return select(of(kAbsolute, x) < number(0.5), kPi * kPi * x * series, (cos_pi(x) - value) / x);
}

// The second derivative of log(gamma): DLMF 25.11 and, below 0, the reflection formula 5.15.6.
Rule trigamma(const Rule& a) {
  const Rule reflected = of(kSquare, kPi / of(kSin, kPi * (a - of(kRint, a))));
  return select(0 < a, of(kHurwitzZeta, number(2), a),
                reflected - of(kHurwitzZeta, number(2), 1 - a));
}

// Of 1 / gamma(a): below 0 by the reflection formula DLMF 5.5.3, without its factors' poles.
Rule reciprocal_gamma_slope(const Rule& a, const Rule& value) {
  const Rule reflected = of(kGamma, 1 - a) * cos_pi(a) - of(kDigamma, 1 - a) * value;
  return select(0.5 < a, -(of(kDigamma, a) * value), reflected);
}

// Bernoulli numbers B_2k / 2k.
constexpr std::array kBernoulli = {1. / 12,       -1. / 120, 1. / 252,      -1. / 240,     1. / 132,
                                   -691. / 32760, 1. / 12,   -3617. / 8160, 43867. / 14364};

// digamma(a + b) - digamma(a), which keeps its digits where it is small: by the recurrence and the
// differences of the terms of the asymptotic series, DLMF 5.5.2 and 5.11.2.
Rule digamma_step(const Rule& a, const Rule& b) {
  constexpr int kSteps = 10;
  const Rule end = a + b;
  Rule recurrence = b / a / end;
  for (int k = 1; k < kSteps; ++k) recurrence = recurrence + b / ((a + k) * (end + k));
  const Rule x = 1 / (a + kSteps), y = 1 / (end + kSteps);
  const Rule u = x * x, v = y * y;
  // The sum of coefficient * (u**k - v**k) / (u - v).
  Rule quotient = number(kBernoulli.back()), power = quotient;
  for (std::size_t k = kBernoulli.size() - 1; k-- > 0;) {
    power = power * u + kBernoulli[k];
    quotient = quotient * v + power;
  }
  const Rule smooth = of(kLog1p, b * x) + b * x * y * (0.5 + (x + y) * quotient);
  const Rule is_positive = of(kMinimum, a, end);
  return select(0 < is_positive, recurrence + smooth, of(kDigamma, end) - of(kDigamma, a));
}

// 2 * a * erfcx(a) - 2 / sqrt(pi), whose terms cancel above 0: by the midpoint rule for the
// integral of exp(-t * t) * t * t / (a * a + t * t), DLMF 7.7.1, whose error is known exactly.
Rule erfcx_slope(const Rule& a, const Rule& value) {
  constexpr double kStep = 0.47;
  constexpr int kPoints = 14;
  Rule sum = zero();
  for (int k = kPoints - 1; k >= 0; --k) {
    const double t = (k + 0.5) * kStep;
    sum = sum + 4 * kStep / kPi * t * t * std::exp(-t * t) / (a * a + t * t);
  }
  constexpr double kPeriod = kTwoPi / kStep;
  const Rule pole = 4 * a * of(kExp, a * (a - kPeriod)) / (1 + of(kExp, -kPeriod * a));
  const Rule above = select(a < number(6), pole, zero()) - sum;
  return select(a < number(0), 2 * a * value - kTwoOverRootPi, above);
}

// Of the inverse of erfc at `tail`, but for its sign: exp(value ** 2) is erfcx(value) / tail.
Rule inverse_slope(const Rule& tail, const Rule& value) {
  return select(equal(tail, 0), 1 / tail,
                1 / kTwoOverRootPi * of(kErfcx, of(kAbsolute, value)) / tail);
}

// log(gamma(a)) - (a - 0.5) * log(a) + a - log(2 * pi) / 2 for a of at least 10: DLMF 5.11.1.
Rule stirling(const Rule& a) {
  const Rule inverse = 1 / a;
  return inverse * power_series(inverse * inverse, static_cast<int>(kBernoulli.size()), [](int k) {
           return kBernoulli[static_cast<std::size_t>(k)] / (2 * k + 1);
         });
}

constexpr double kLarge = 10;  // parameters for which `stirling` has all digits

// x ** (a - 1) * exp(-x) / gamma(a), DLMF 8.8.13; for large a by the distance of x from it.
Rule gamma_density(const Rule& a, const Rule& x) {
  const Rule small =
      of(kPower, of(kMinimum, x, number(1000)), a - 1) * of(kExp, -x) / of(kGamma, a);
  const Rule away = of(kExp, -of(kKlDiv, a, x) - stirling(a));
  const Rule large = away * of(kSqrt, a / kTwoPi) / x;
  return select(equal(x, 0), small, select(a < number(kLarge), small, large));
}

// x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b), DLMF 8.17.1; for large a and b likewise.
Rule beta_density(const Rule& a, const Rule& b, const Rule& x) {
  const Rule sum = a + b;
  const Rule small = of(kExp, of(kXlogy, a - 1, x) + of(kXlog1py, b - 1, -x) - of(kLogBeta, a, b));
  const Rule distance = of(kKlDiv, a, sum * x) + of(kKlDiv, b, sum * (1 - x));
  const Rule away = of(kExp, stirling(sum) - stirling(a) - stirling(b) - distance);
  const Rule ends = x * (1 - x);
  const Rule large = away * of(kSqrt, a / kTwoPi * (b / sum)) / ends;
  return select(equal(ends, 0), small, select(of(kMinimum, a, b) < number(kLarge), small, large));
}

// The sum of (a_k(1) - a_k(0)) * x**-k of DLMF 10.40.1 for k > 0, where x is large.
constexpr double kAsymptotic = 18;
Rule hankel_difference(const Rule& x, double sign) {
  constexpr int kTerms = 30;
  std::array<double, kTerms> differences;
  double of_zero = 1, of_one = 1;
  for (int k = 0; k < kTerms; ++k) {
    const double odd = 2 * k + 1, divisor = sign * 8 * (k + 1);
    of_zero *= -odd * odd / divisor;
    of_one *= (4 - odd * odd) / divisor;
    differences[static_cast<std::size_t>(k)] = of_one - of_zero;
  }
  const Rule inverse = 1 / x;
  return inverse * power_series(inverse, kTerms,
                                [&](int k) { return differences[static_cast<std::size_t>(k)]; });
}

// Differences of scaled functions of order 1 and 0, whose terms cancel far from 0.
Rule i1e_less_i0e(const Rule& a, const Rule& i0e, const Rule& i1e) {
  const Rule x = of(kAbsolute, a);
  const Rule far = hankel_difference(x, -1) / of(kSqrt, kTwoPi * x);
  return select(x < number(kAsymptotic), i1e - i0e, far);
}

Rule k1e_less_k0e(const Rule& a, const Rule& k0e, const Rule& k1e) {
  const Rule far = hankel_difference(a, 1) / of(kSqrt, 2 / kPi * a);
  return select(a < number(kAsymptotic), k1e - k0e, far);
}

Rule i1e_slope(const Rule& a, const Rule& value) {
  const Rule size = of(kAbsolute, value);
  const Rule x = of(kAbsolute, a);
  const Rule slope = -i1e_less_i0e(a, of(kBesselI0e, a), size) - size / x;
  return select(equal(a, 0), number(0.5), slope);
}

constexpr std::size_t kOperations = 0
#define NPP_OPERATION(...) +1
#include "numpy_plugin/kernel/operations.def"
    ;

std::array<TangentRules, kOperations> make_rules() {
  const Rule a = leaf(RuleKind::kOperand, 0), b = leaf(RuleKind::kOperand, 1);
  const Rule c = leaf(RuleKind::kOperand, 2), d = leaf(RuleKind::kOperand, 3);
  const Rule da = leaf(RuleKind::kTangent, 0), db = leaf(RuleKind::kTangent, 1);
  const Rule dc = leaf(RuleKind::kTangent, 2), dd = leaf(RuleKind::kTangent, 3);
  const Rule r = leaf(RuleKind::kResult, 0);
  std::array<TangentRules, kOperations> rules;
  const auto row = [&rules](declare::Operation operation) -> TangentRules& {
    return rules[static_cast<std::size_t>(operation)];
  };
#define NPP_TANGENT(operation, rule) row(operation).real = row(operation).complex = rule;
#define NPP_REAL_TANGENT(operation, rule) row(operation).real = rule;
#define NPP_COMPLEX_TANGENT(operation, rule) row(operation).complex = rule;
#define NPP_PARTS_TANGENT(operation, rule) \
  row(operation).complex = rule;           \
  row(operation).has_parts = true;
#include "numpy_plugin/derive/tangents.def"
  return rules;
}

}  // namespace

const TangentRules& tangent_rules(declare::Operation operation) {
  return system::made_once<make_rules>()[static_cast<std::size_t>(operation)];
}

}  // namespace numpy_plugin::derive
