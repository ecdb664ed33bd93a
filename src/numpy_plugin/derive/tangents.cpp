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
  const Rule high = of(kRint, a * 64) / 64;
  const Rule value = of(kExp, -scale * (high * high)) * of(kExp, scale * ((high - a) * (high + a)));
  constexpr double kVanishes = 64;  // exp(-64 * 64 / 2) is 0
  return select(of(kAbsolute, a) < number(kVanishes), value, a - a);
}

Rule normal(const Rule& a) { return gaussian(a, 0.5); }

// The sum of coefficient(k) * x**k for k < n_terms, by Horner's rule.
template <class Coefficient>
Rule power_series(const Rule& x, int n_terms, const Coefficient& coefficient) {
  Rule sum = number(coefficient(n_terms - 1));
  for (int k = n_terms - 2; k >= 0; --k) sum = sum * x + coefficient(k);
  return sum;
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
  return select(of(kAbsolute, x) < number(0.5), kPi * kPi * x * series,
                (of(kCos, kPi * x) - value) / x);
}

// The second derivative of log(gamma): DLMF 25.11 and, below 0, the reflection formula 5.15.6.
Rule trigamma(const Rule& a) {
  const Rule reflected = of(kSquare, kPi / of(kSin, kPi * a));
  return select(0 < a, of(kHurwitzZeta, number(2), a),
                reflected - of(kHurwitzZeta, number(2), 1 - a));
}

// x ** (a - 1) * exp(-x) / gamma(a): DLMF 8.8.13.
Rule gamma_density(const Rule& a, const Rule& x) {
  return of(kExp, of(kXlogy, a - 1, x) - x - of(kLogGamma, a));
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
