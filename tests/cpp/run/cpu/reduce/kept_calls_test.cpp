// Kept calls compared with the same calls made at once: results, order, flags, and what is not
// kept.
#include "numpy_plugin/run/cpu/reduce/kept_calls.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

double& at(char* address) { return *reinterpret_cast<double*>(address); }

// out = a / 2 + b: the order of calls counts.
void halve_and_add(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    at(args[2] + i * steps[2]) = at(args[0] + i * steps[0]) / 2 + at(args[1] + i * steps[1]);
  }
}

void multiply(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    at(args[2] + i * steps[2]) = at(args[0] + i * steps[0]) * at(args[1] + i * steps[1]);
  }
}

ParallelLoop binary(LoopFunction* loop) {
  ParallelLoop made{loop, {{8, false, {}}, {8, false, {}}, {8, true, {}}}, 0};
  made.least_work = kLeastWorkOfParallel;
  return made;
}

char* bytes(const double* address) {
  return const_cast<char*>(reinterpret_cast<const char*>(address));
}

constexpr intptr_t kRows = 60, kColumns = 700, kRowBytes = kColumns * 8;

// A table and results, and the calls that NumPy makes for them.
class KeptCallsTest : public testing::Test {
 protected:
  KeptCallsTest() : table_(kRows * kColumns), kept_(memory(), kRows * kColumns) {
    std::iota(table_.begin(), table_.end(), 1.0);
  }
  void SetUp() override {
    system::set_n_threads(3);
    share_short_calls(true);
  }
  void TearDown() override {
    system::set_n_threads(0);
    share_short_calls(false);
  }

  MemoryRange memory() const {
    return {bytes(table_.data()), bytes(table_.data() + table_.size())};
  }
  char* element(intptr_t row, intptr_t column) const {
    return bytes(&table_[static_cast<std::size_t>(row * kColumns + column)]);
  }

  using Calls = std::function<void(double* results, const ParallelLoop& loop, bool is_kept)>;

  void call(char* result, intptr_t distance, char* source, intptr_t n, intptr_t result_step,
            intptr_t source_step, const ParallelLoop& loop, bool is_kept) {
    char* args[] = {result + distance, source, result};
    const intptr_t steps[] = {result_step, source_step, result_step};
    if (is_kept) {
      ASSERT_TRUE(kept_.keep(args, &n, steps, loop));
    } else {
      loop.loop(args, &n, steps, nullptr);
    }
  }

  // Both ways, from the same results.
  void expect_same(const Calls& calls) {
    const ParallelLoop loop = binary(halve_and_add);
    std::vector<double> expected(table_.size(), 0.25), found = expected;
    calls(expected.data(), loop, false);
    calls(found.data(), loop, true);
    EXPECT_TRUE(kept_.are_for({bytes(found.data()), bytes(found.data() + found.size())}));
    EXPECT_FALSE(kept_.are_for({bytes(found.data()), bytes(found.data())}));
    kept_.make();
    EXPECT_TRUE(kept_.is_empty());
    EXPECT_EQ(found, expected);
  }

  std::vector<double> table_;
  KeptCalls kept_;
};

TEST_F(KeptCallsTest, reduces_rows) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t row = 0; row < kRows; ++row) {
      call(bytes(results + row), 0, element(row, 0), kColumns, 0, 8, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, keeps_the_order_of_each_result) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t i = 0; i < 3 * kRows; ++i) {
      const intptr_t row = i * 7 % kRows;
      call(bytes(results + i % 5), 0, element(row, 0), kColumns, 0, 8, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, combines_rows) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t row = 0; row < kRows; ++row) {
      call(bytes(results), 0, element(row, 0), kColumns, 8, 8, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, accumulates_interleaved_columns) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t column = 0; column < kColumns; ++column) {
      call(bytes(results + kColumns + column), -kRowBytes, element(1, column), kRows - 1, kRowBytes,
           kRowBytes, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, makes_calls_whose_results_overlap_in_order) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t row = kRows; row-- > 0;) {
      call(bytes(results + row), 0, element(row, 0), kColumns, 8, 8, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, makes_many_calls_in_between) {
  expect_same([this](double* results, const ParallelLoop& loop, bool is_kept) {
    for (intptr_t i = 0; i < 5000; ++i) {
      call(bytes(results + i % 97), 0, element(i % kRows, 0), 50, 0, 8, loop, is_kept);
    }
  });
}

TEST_F(KeptCallsTest, leaves_other_calls_to_the_caller) {
  const ParallelLoop loop = binary(halve_and_add);
  ParallelLoop of_one_thread = loop;
  of_one_thread.least_work.reset();
  std::vector<double> results(kColumns), other(kColumns);
  const auto is_kept = [&](char* read, char* source, intptr_t n, const ParallelLoop& of) {
    char* args[] = {read, source, bytes(results.data())};
    const intptr_t steps[] = {8, 8, 8};
    return kept_.keep(args, &n, steps, of);
  };
  char* const same = bytes(results.data());
  EXPECT_FALSE(is_kept(same, element(0, 0), 5, loop));
  EXPECT_FALSE(is_kept(same, bytes(other.data()), kColumns, loop));
  EXPECT_FALSE(is_kept(bytes(other.data()), element(0, 0), kColumns, loop));
  EXPECT_FALSE(is_kept(same, element(0, 0), kColumns, of_one_thread));
  EXPECT_TRUE(is_kept(same, element(0, 0), kColumns, loop));
  EXPECT_EQ(results[0], 0);
  EXPECT_FALSE(is_kept(same, element(0, 0), 5, loop));
  EXPECT_EQ(results[0], table_[0]) << "calls that were kept come first";
}

TEST_F(KeptCallsTest, collects_flags) {
  const ParallelLoop loop = binary(multiply);
  std::vector<double> results(kRows, 1e300);
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_DIVBYZERO);
  for (intptr_t row = 0; row < kRows; ++row) {
    call(bytes(&results[static_cast<std::size_t>(row)]), 0, element(row, 0), kColumns, 0, 8, loop,
         true);
  }
  kept_.make();
  EXPECT_EQ(kept_.raised_flags() & FE_OVERFLOW, FE_OVERFLOW);
  EXPECT_EQ(kept_.raised_flags() & FE_DIVBYZERO, 0);
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_DIVBYZERO), FE_DIVBYZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(KeptCallsTest, is_of_one_thread) {
  const ParallelLoop loop = binary(halve_and_add);
  std::vector<double> results(kColumns);
  char* args[] = {bytes(results.data()), element(0, 0), bytes(results.data())};
  const intptr_t n = kColumns, steps[] = {8, 8, 8};
  EXPECT_FALSE(is_call_kept(args, &n, steps, loop));
  {
    const KeepingScope scope(kept_);
    EXPECT_TRUE(is_call_kept(args, &n, steps, loop));
    bool is_kept_elsewhere = true;
    std::thread([&] { is_kept_elsewhere = is_call_kept(args, &n, steps, loop); }).join();
    EXPECT_FALSE(is_kept_elsewhere);
  }
  EXPECT_FALSE(is_call_kept(args, &n, steps, loop));
}

}  // namespace
}  // namespace numpy_plugin::run
