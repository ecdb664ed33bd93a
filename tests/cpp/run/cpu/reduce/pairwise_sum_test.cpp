// Sums of parts, and sums that end early.
#include "numpy_plugin/run/cpu/reduce/number_reductions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "numpy_plugin/run/cpu/reduce/pairwise_tree.hpp"

namespace numpy_plugin::run {
namespace {

// A sum as text: "(1+2)".
struct Term {
  std::string text;
};
Term operator+(const Term& left, const Term& right) {
  return {"(" + left.text + "+" + right.text + ")"};
}

std::string tree(long n, long n_most) {
  return add_parts<Term>(n, n_most,
                         [](long first, long count) {
                           return Term{std::to_string(first) + ":" + std::to_string(count)};
                         })
      .text;
}

bool never() { return false; }

int n_left = 0;
bool after_some() { return n_left-- == 0; }

TEST(PairwiseTreeTest, BeginsHalvesAtMultiplesOfTheAccumulators) {
  EXPECT_EQ(tree(128, 128), "0:128");
  EXPECT_EQ(tree(129, 128), "(0:64+64:65)");
  EXPECT_EQ(tree(300, 128), "((0:72+72:72)+(144:72+216:84))");
}

TEST(PairwiseTreeTest, HasPartsThatAreItsOwnBranches) {
  EXPECT_EQ(tree(300, 200), "(0:144+144:156)");
  EXPECT_EQ(tree(156, 128), "(0:72+72:84)");
}

TEST(PairwiseSumTest, EndsEarly) {
  const std::vector<double> ones(1'000'000, 1.0);
  const auto* const data = reinterpret_cast<const char*>(ones.data());
  double total = 1;
  add_pairwise(Summand::kFloat64, reinterpret_cast<char*>(&total), data, 8, 1'000'000, never);
  EXPECT_EQ(total, 1'000'001);
  total = 0;
  n_left = 2;
  add_pairwise(Summand::kFloat64, reinterpret_cast<char*>(&total), data, 8, 1'000'000, after_some);
  EXPECT_LT(total, 1'000'000);
}

}  // namespace
}  // namespace numpy_plugin::run
