// Which calls count towards a version for their sizes, and which take it. Versions are empty loops.
#include "numpy_plugin/run/cpu/sized_variants.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "numpy_plugin/run/cpu/parallel_loop.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

constexpr intptr_t kEnough = SizedVariants::kManyElements;
const std::vector<intptr_t> kContiguousSteps = {0, 0, 32, 8};
const std::vector<intptr_t> kTransposedSteps = {0, 0, 8, 32};

// (m,n)->() of numbers.
class SizedVariantsTest : public testing::Test {
 protected:
  const ParallelLoop* find(intptr_t n_outer, intptr_t m, intptr_t n,
                           const std::vector<intptr_t>& steps = kContiguousSteps) {
    const intptr_t dimensions[] = {n_outer, m, n};
    return variants_->find(general_, dimensions, steps.data());
  }
  // Whether there is a version soon.
  bool finds_soon(intptr_t m, intptr_t n) {
    for (int i = 0; i < 1000 && find(0, m, n) == nullptr; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return find(0, m, n) != nullptr;
  }

  std::atomic<int> n_compiled_ = 0;
  SizedVariants::Sizes sizes_;
  ParallelLoop general_{nullptr, {{8, false, {0, 1}}, {8, true, {}}}, 2};
  std::shared_ptr<SizedVariants> variants_ =
      std::make_shared<SizedVariants>([this](const SizedVariants::Sizes& sizes) {
        ++n_compiled_;
        sizes_ = sizes;
        return std::make_shared<const ParallelLoop>();
      });
};

TEST_F(SizedVariantsTest, compiles_sizes_that_were_used_much) {
  EXPECT_EQ(find(kEnough / 24, 3, 4), nullptr);
  EXPECT_EQ(n_compiled_, 0);
  find(kEnough / 24 + 24, 3, 4);
  EXPECT_TRUE(finds_soon(3, 4));
  EXPECT_EQ(n_compiled_, 1);
  EXPECT_EQ(sizes_, (SizedVariants::Sizes{3, 4}));
}

TEST_F(SizedVariantsTest, leaves_other_calls_to_the_general_loop) {
  find(kEnough, 4, 4);
  ASSERT_TRUE(finds_soon(4, 4));
  EXPECT_EQ(find(1, 3, 4), nullptr);
  EXPECT_EQ(find(1, 4, 4, kTransposedSteps), nullptr);
}

TEST_F(SizedVariantsTest, does_not_count_large_or_strided_cores) {
  const intptr_t large = SizedVariants::kLargestSize + 1;
  find(kEnough, 4, large, {0, 0, 8 * large, 8});
  find(kEnough, 0, 4);
  find(kEnough, 4, 4, kTransposedSteps);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(n_compiled_, 0);
}

TEST_F(SizedVariantsTest, continues_where_compilations_fail) {
  variants_ = std::make_shared<SizedVariants>(
      [this](const SizedVariants::Sizes&) -> std::shared_ptr<const ParallelLoop> {
        ++n_compiled_;
        throw std::runtime_error("no compiler");
      });
  find(kEnough, 4, 4);
  for (int i = 0; i < 1000 && n_compiled_ == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(find(kEnough, 4, 4), nullptr);
  EXPECT_EQ(n_compiled_, 1);
}

}  // namespace
}  // namespace numpy_plugin::run
