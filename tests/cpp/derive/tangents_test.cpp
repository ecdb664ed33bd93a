// Every operation has a tangent, or is one of those that are known to have none.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "numpy_plugin/derive/rule.hpp"

namespace numpy_plugin::derive {
namespace {

using declare::Operation;
using declare::OperationResult;

constexpr Operation kOperations[] = {
#define NPP_OPERATION(operation, ...) Operation::operation,
#include "numpy_plugin/kernel/operations.def"
};

using Names = std::set<std::string_view>;

// Of those that compute floating-point numbers from such.
bool is_of_numbers(Operation operation) {
  static const Names of_integers = {
      "shift_left",     "shift_right",   "bitwise_and",  "bitwise_or", "bitwise_xor",
      "invert",         "gcd",           "lcm",          "isqrt",      "factorial",
      "combinations",   "permutations",  "range_length", "iso_year",   "iso_week",
      "months_to_days", "days_to_months"};
  static constexpr std::string_view kOfTimes[] = {"time_", "calendar_", "julian_", "days_"};
  const declare::OperationInfo& info = declare::info(operation);
  for (const std::string_view start : kOfTimes)
    if (info.name.starts_with(start)) return false;
  const bool is_number = info.result == OperationResult::kSame ||
                         info.result == OperationResult::kReal ||
                         info.result == OperationResult::kComplex;
  return is_number && !of_integers.contains(info.name);
}

TEST(Tangents, AreOfAllOperationsButThese) {
  Names without;
  for (const Operation operation : kOperations) {
    const TangentRules& rules = tangent_rules(operation);
    if (is_of_numbers(operation) && !rules.real && !rules.complex)
      without.insert(declare::info(operation).name);
  }
  EXPECT_EQ(without, (Names{"riemann_zeta", "voigt_profile"}));
}

TEST(Tangents, AreOfNoOperationOnIntegersOrTimes) {
  for (const Operation operation : kOperations) {
    const TangentRules& rules = tangent_rules(operation);
    EXPECT_TRUE(is_of_numbers(operation) || (!rules.real && !rules.complex))
        << declare::info(operation).name;
  }
}

int most_operands(const Rule& rule) {
  int most = rule->kind == RuleKind::kOperand || rule->kind == RuleKind::kTangent ||
                     rule->kind == RuleKind::kUnknown
                 ? rule->index + 1
                 : 0;
  for (const Rule& inner : rule->operands) most = std::max(most, most_operands(inner));
  return most;
}

TEST(Tangents, MentionTheOperandsThatThereAre) {
  for (const Operation operation : kOperations) {
    const TangentRules& rules = tangent_rules(operation);
    for (const Rule& rule : {rules.real, rules.complex}) {
      if (!rule) continue;
      EXPECT_LE(most_operands(rule), declare::info(operation).n_arguments)
          << declare::info(operation).name;
    }
  }
}

}  // namespace
}  // namespace numpy_plugin::derive
