// Forms of an elementwise call, observed by a kernel that counts its calls. Values of real kernels
// are tested from Python.
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "numpy_plugin/run/cpu/floating_point_flags.hpp"

namespace numpy_plugin::run {
namespace {

struct Calls {
  std::vector<long> run;  // lengths
  int in_order = 0;
  int reduce = 0;
};
Calls calls;

double value_at(const char* address) {
  double value = 0;
  std::memcpy(&value, address, sizeof(value));
  return value;
}

void put(char* address, double value) { std::memcpy(address, &value, sizeof(value)); }

// x + y, which raises a spurious flag in `run` for x == 13, a real one in every form for x == 14.
void add_run(char* const* operands, long n) {
  calls.run.push_back(n);
  for (long i = 0; i < n; ++i) {
    const double x = value_at(operands[0] + 8 * i);
    if (x == 13) write_flags(read_flags() | (kWatchedFlags & 1));
    if (x == 14) write_flags(read_flags() | (kWatchedFlags & 4));
    put(operands[2] + 8 * i, x + value_at(operands[1] + 8 * i));
  }
}

void add_in_order(char* const* operands, const long* steps, long n) {
  ++calls.in_order;
  for (long i = 0; i < n; ++i) {
    const double x = value_at(operands[0] + steps[0] * i);
    if (x == 14) write_flags(read_flags() | (kWatchedFlags & 4));
    put(operands[2] + steps[2] * i, x + value_at(operands[1] + steps[1] * i));
  }
}

void add_reduce(char* const* operands, long step, long n) {
  ++calls.reduce;
  for (long i = 0; i < n; ++i) {
    put(operands[0], value_at(operands[0]) + value_at(operands[1] + i * step));
  }
}

class ElementwiseDriverTest : public testing::Test {
 protected:
  ElementwiseDriverTest() {
    calls = {};
    write_flags(0);
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = 0.5;
  }
  ~ElementwiseDriverTest() override { write_flags(0); }

  // Operands by their first elements in memory_, strides in elements.
  void call(int block, bool searches_flags, const std::vector<long>& starts,
            const std::vector<long>& element_steps, long n) {
    static const unsigned char sizes[] = {8, 8, 8};
    const npp::LoopShape shape = {add_run, add_in_order, add_reduce,    sizes, 2,
                                  3,       block,        searches_flags};
    char* operands[3];
    long steps[3];
    for (std::size_t i = 0; i < 3; ++i) {
      operands[i] = reinterpret_cast<char*>(memory_.data() + starts[i]);
      steps[i] = 8 * element_steps[i];
    }
    elementwise_driver().call(shape, operands, steps, n);
  }

  std::vector<double> memory_ = std::vector<double>(20000);
};

TEST_F(ElementwiseDriverTest, RunsContiguousExactKernelsAtOnce) {
  call(1, false, {0, 5000, 10000}, {1, 1, 1}, 5000);
  EXPECT_EQ(calls.run, std::vector<long>({5000}));
  EXPECT_EQ(memory_[14999], 1.0);
}

TEST_F(ElementwiseDriverTest, RunsBlocksOnlyWhereTheKernelHasBlocks) {
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 2061);
  EXPECT_EQ(calls.run, std::vector<long>({1024, 1024, 8, 8}));
  EXPECT_EQ(memory_[12060], 1.0);
  EXPECT_EQ(memory_[12061], 0.5);
}

TEST_F(ElementwiseDriverTest, KeepsScalarsInABuffer) {
  call(1, false, {0, 5000, 10000}, {0, 1, 1}, 1500);
  EXPECT_EQ(calls.run, std::vector<long>({1024, 476}));
  EXPECT_EQ(memory_[11499], 1.0);
}

TEST_F(ElementwiseDriverTest, KeepsTheOrderOfOverlappingOperands) {
  call(1, false, {0, 5000, 1}, {1, 1, 1}, 100);
  EXPECT_EQ(calls.in_order, 1);
  EXPECT_EQ(memory_[100], 0.5 + 100 * 0.5);
  memory_[200] = 100;
  call(8, true, {200, 5000, 201}, {1, 1, 1}, 100);
  EXPECT_EQ(calls.in_order, 1) << "the scalar function has other values than the vector function";
  EXPECT_EQ(memory_[300], 100 + 100 * 0.5);
}

TEST_F(ElementwiseDriverTest, ReducesInOneGo) {
  call(1, false, {0, 1, 0}, {0, 1, 0}, 100);
  EXPECT_EQ(calls.reduce, 1);
  EXPECT_EQ(memory_[0], 0.5 + 100 * 0.5);
}

TEST_F(ElementwiseDriverTest, DropsFlagsThatTheTextDoesNotRaise) {
  memory_[700] = 13;
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 2000);
  EXPECT_EQ(read_flags() & kWatchedFlags, 0u);
  EXPECT_EQ(calls.in_order, 1) << "one piece of 64 elements";
  EXPECT_EQ(memory_[10700], 13.5);
}

TEST_F(ElementwiseDriverTest, GoesOnInOrderAfterManySpuriousFlags) {
  constexpr int kPieces = 16, kFurtherChunks = 9;
  std::fill_n(memory_.begin(), 10000, 13);
  call(1, true, {0, 0, 10000}, {1, 1, 1}, 10000);
  EXPECT_EQ(calls.run.size(), 1u + kPieces);
  EXPECT_EQ(calls.in_order, kPieces + kFurtherChunks);
  EXPECT_EQ(read_flags() & kWatchedFlags, 0u);
  EXPECT_EQ(memory_[19999], 26);
  calls = {};
  call(8, true, {0, 0, 10000}, {1, 1, 1}, 10000);
  EXPECT_EQ(calls.run.front(), 1024);
  EXPECT_GT(calls.run.size(), 1u + kPieces) << "blocks have values of their own";
}

TEST_F(ElementwiseDriverTest, KeepsFlagsThatTheTextRaises) {
  memory_[3] = 13;
  memory_[700] = 14;
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 2000);
  EXPECT_EQ(read_flags() & kWatchedFlags, kWatchedFlags & 4);
}

TEST_F(ElementwiseDriverTest, SearchesNoFlagTwiceOnceItIsReal) {
  for (std::size_t i = 0; i < 5000; ++i) memory_[i] = 14;
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 4096);
  EXPECT_EQ(calls.in_order, 1);
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 4096);
  EXPECT_EQ(calls.in_order, 1) << "the flag was set before the call";
}

TEST_F(ElementwiseDriverTest, SearchesFlagsInPlace) {
  memory_[5] = 13;
  memory_[6] = 12.5;  // becomes 13, which the search must not read
  call(8, true, {0, 5000, 0}, {1, 1, 1}, 64);
  EXPECT_EQ(read_flags() & kWatchedFlags, 0u);
  EXPECT_EQ(memory_[5], 13.5);
  EXPECT_EQ(memory_[6], 13.0);
}

// Lines of the cache begin at these elements of memory_.
long first_line(const std::vector<double>& memory) {
  return static_cast<long>(-reinterpret_cast<std::uintptr_t>(memory.data()) % 64 / 8);
}

#if defined(__x86_64__)
constexpr bool kStreams = true;
#else
constexpr bool kStreams = false;
#endif

TEST_F(ElementwiseDriverTest, StreamsResultsOfLargeCalls) {
  if (!kStreams) GTEST_SKIP() << "results are streamed on x86-64 only";
  constexpr long n = 5000;
  memory_.assign(3 * n + 100, 0.5);
  const LargeCallScope large(true);
  const long to = 2 * n + first_line(memory_) + 3;
  call(1, false, {0, n, to}, {1, 1, 1}, n);
  EXPECT_EQ(calls.run.front(), 5);  // up to the first line
  EXPECT_EQ(calls.run[1], 64);
  EXPECT_EQ(calls.run.back(), (n - 5) % 64);
  for (long i = 0; i < n; ++i) ASSERT_EQ(memory_[static_cast<std::size_t>(to + i)], 1.0) << i;
  EXPECT_EQ(memory_[static_cast<std::size_t>(to - 1)], 0.5);
  EXPECT_EQ(memory_[static_cast<std::size_t>(to + n)], 0.5);
}

TEST_F(ElementwiseDriverTest, StreamsNoResultsThatAreReadOrShort) {
  if (!kStreams) GTEST_SKIP() << "results are streamed on x86-64 only";
  constexpr long n = 5000;
  memory_.assign(3 * n, 0.5);
  const auto lengths = [&](long to, long count) {
    calls = {};
    call(1, false, {0, n, to}, {1, 1, 1}, count);
    return calls.run;
  };
  EXPECT_EQ(lengths(2 * n, n), std::vector<long>{n});  // no large call
  const LargeCallScope large(true);
  EXPECT_GT(lengths(2 * n, n).size(), 1u);
  EXPECT_EQ(lengths(0, n), std::vector<long>{n});
  EXPECT_EQ(lengths(n, n), std::vector<long>{n});
  EXPECT_EQ(lengths(2 * n, 1000), std::vector<long>{1000});
}

TEST_F(ElementwiseDriverTest, DoesNothingForNoElements) {
  call(1, false, {0, 5000, 10000}, {1, 1, 1}, 0);
  call(8, true, {0, 5000, 10000}, {1, 1, 1}, 0);
  EXPECT_EQ(memory_[10000], 0.5);
}

}  // namespace
}  // namespace numpy_plugin::run
