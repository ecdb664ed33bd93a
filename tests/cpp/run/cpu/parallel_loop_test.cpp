// Split calls compared with one call of the plain loop: values, flags, and overlaps that forbid
// splitting.
#include "numpy_plugin/run/cpu/parallel_loop.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

constexpr intptr_t kManyElements = 200'000;

std::atomic<int> n_calls = 0;

template <typename T>
T& at(char* address) {
  return *reinterpret_cast<T*>(address);
}

// out = 3 a + b, element by element in order.
void saxpy(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  ++n_calls;
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    at<double>(args[2] + i * steps[2]) =
        3 * at<double>(args[0] + i * steps[0]) + at<double>(args[1] + i * steps[1]);
  }
}

void divide(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  ++n_calls;
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    at<double>(args[2] + i * steps[2]) =
        at<double>(args[0] + i * steps[0]) / at<double>(args[1] + i * steps[1]);
  }
}

// (n)->(n): prefix sums.
void sums(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  ++n_calls;
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    double sum = 0;
    for (intptr_t j = 0; j < dimensions[1]; ++j) {
      sum += at<double>(args[0] + i * steps[0] + j * steps[2]);
      at<double>(args[1] + i * steps[1] + j * steps[3]) = sum;
    }
  }
}

ParallelLoop shared(LoopFunction* loop, std::vector<LoopOperand> operands,
                    std::size_t n_names = 0) {
  ParallelLoop made{loop, std::move(operands), n_names};
  made.least_work = kLeastWorkOfParallel;
  return made;
}

const ParallelLoop kSaxpy = shared(saxpy, {{8, false, {}}, {8, false, {}}, {8, true, {}}});
const ParallelLoop kDivide = shared(divide, {{8, false, {}}, {8, false, {}}, {8, true, {}}});
const ParallelLoop kSums = shared(sums, {{8, false, {0}}, {8, true, {0}}}, 1);

// Nanoseconds of an element that make every call worth sharing, or none.
constexpr double kMuchWork = 1e6;
constexpr double kLittleWork = 1e-6;

class ParallelLoopTest : public testing::Test {
 protected:
  void SetUp() override { system::set_n_threads(3); }
  void TearDown() override { system::set_n_threads(0); }
};

char* bytes(const double* address) {
  return const_cast<char*>(reinterpret_cast<const char*>(address));
}

std::vector<double> ramp(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

// Number of loop calls made by one parallel call.
int calls_made(const ParallelLoop& loop, std::vector<char*> args, std::vector<intptr_t> dimensions,
               const std::vector<intptr_t>& steps, double cost = kMuchWork) {
  n_calls = 0;
  loop.cost.note(cost, {});
  run_parallel_loop(args.data(), dimensions.data(), steps.data(), loop);
  return n_calls;
}

TEST_F(ParallelLoopTest, GivesTheValuesOfOneCall) {
  for (std::size_t n_threads : {1u, 2u, 3u}) {
    system::set_n_threads(n_threads);
    for (std::size_t size : {0u, 1u, 63u, 64u, 65u, 66u, 67u, 68u, 69u, 70u, 32'767u, 32'768u,
                             32'769u, 49'153u, 200'000u, 200'001u}) {
      const std::vector<double> a = ramp(size);
      std::vector<double> out(size + 1, -1);
      const double b = 0.5;
      calls_made(kSaxpy, {bytes(a.data()), bytes(&b), bytes(out.data())},
                 {static_cast<intptr_t>(size)}, {8, 0, 8});
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], 3 * a[i] + 0.5) << size << " " << i;
      ASSERT_EQ(out[size], -1) << size;
    }
  }
}

TEST_F(ParallelLoopTest, SplitsOnlyMuchWork) {
  const std::vector<double> a = ramp(kManyElements);
  std::vector<double> out(kManyElements);
  const std::vector<char*> args = {bytes(a.data()), bytes(a.data()), bytes(out.data())};
  EXPECT_EQ(calls_made(kSaxpy, args, {0}, {8, 8, 8}), 1);
  EXPECT_EQ(calls_made(kSaxpy, args, {127}, {8, 8, 8}), 1);
  EXPECT_EQ(calls_made(kSaxpy, args, {128}, {8, 8, 8}), 2);
  EXPECT_GT(calls_made(kSaxpy, args, {kManyElements}, {8, 8, 8}), 12);
  EXPECT_EQ(calls_made(kSaxpy, args, {kManyElements}, {8, 8, 8}, kLittleWork), 1);
  system::set_n_threads(1);
  EXPECT_EQ(calls_made(kSaxpy, args, {kManyElements}, {8, 8, 8}), 1);
}

TEST_F(ParallelLoopTest, LeavesLoopsOfOneThreadWhole) {
  const std::vector<double> a = ramp(kManyElements);
  std::vector<double> out(kManyElements);
  const std::vector<char*> args = {bytes(a.data()), bytes(a.data()), bytes(out.data())};
  ParallelLoop alone = kSaxpy;
  alone.least_work.reset();
  EXPECT_EQ(calls_made(alone, args, {kManyElements}, {8, 8, 8}), 1);
  ParallelLoop printing = kSaxpy;
  printing.prints = true;
  EXPECT_EQ(calls_made(printing, args, {kManyElements}, {8, 8, 8}), 1);
}

// Elements as slow as the one before them was fast.
void sleep_late(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  ++n_calls;
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    const bool is_slow = at<double>(args[0] + i * steps[0]) > 1000;
    if (is_slow && i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

TEST_F(ParallelLoopTest, MeasuresElementsOfUnknownCost) {
  const std::vector<double> a = ramp(10'000);
  const ParallelLoop loop = shared(sleep_late, {{8, false, {}}});
  EXPECT_GT(calls_made(loop, {bytes(a.data())}, {10'000}, {8}, 0.0), 4);
  EXPECT_GT(loop.cost.ns(), 100.0);
}

std::atomic<bool> is_every_start_a_block = true;
char* first_byte = nullptr;

void note_start(char** args, const intptr_t*, const intptr_t*, void*) {
  if ((args[0] - first_byte) % (64 * 8) != 0) is_every_start_a_block = false;
}

TEST_F(ParallelLoopTest, BeginsPiecesAtWholeBlocks) {
  const std::vector<double> a = ramp(kManyElements);
  std::vector<double> out(kManyElements);
  first_byte = bytes(a.data());
  const ParallelLoop loop = shared(note_start, {{8, false, {}}, {8, true, {}}});
  for (intptr_t size : {32'769, 50'001, 199'999}) {
    calls_made(loop, {bytes(a.data()), bytes(out.data())}, {size}, {8, 8});
  }
  EXPECT_TRUE(is_every_start_a_block);
}

TEST_F(ParallelLoopTest, SplitsStridedAndReversedOperands) {
  const std::vector<double> a = ramp(2 * kManyElements);
  std::vector<double> out(3 * kManyElements);
  EXPECT_GT(
      calls_made(kSaxpy, {bytes(a.data()), bytes(&a.back()), bytes(&out[3 * kManyElements - 3])},
                 {kManyElements}, {16, -8, -24}),
      1);
  for (std::size_t i = 0; i < kManyElements; ++i) {
    ASSERT_EQ(out[3 * (kManyElements - 1 - i)], 3 * a[2 * i] + a[2 * kManyElements - 1 - i]) << i;
  }
}

TEST_F(ParallelLoopTest, SplitsWhereTheOutputIsAnInput) {
  std::vector<double> x = ramp(kManyElements);
  EXPECT_GT(calls_made(kSaxpy, {bytes(x.data()), bytes(x.data()), bytes(x.data())}, {kManyElements},
                       {8, 8, 8}),
            1);
  for (std::size_t i = 0; i < kManyElements; ++i) {
    ASSERT_EQ(x[i], 4.0 * static_cast<double>(i + 1)) << i;
  }
}

TEST_F(ParallelLoopTest, SplitsFieldsOfTheSameRecords) {
  std::vector<double> records = ramp(3 * kManyElements);
  EXPECT_GT(calls_made(kSaxpy, {bytes(&records[0]), bytes(&records[1]), bytes(&records[2])},
                       {kManyElements}, {24, 24, 24}),
            1);
  EXPECT_EQ(records[2], 3 * 1.0 + 2.0);
}

// As in accumulate and f(x[1:], out=x[:-1]).
TEST_F(ParallelLoopTest, KeepsShiftedOperandsInOrder) {
  for (int shift : {-1, 1, -64, 64}) {
    std::vector<double> split(kManyElements + 128, 1.0);
    std::vector<double> whole = split;
    const double zero = 0.25;
    const auto args = [&](std::vector<double>& x) {
      return std::vector<char*>{bytes(&x[64]), bytes(&zero), bytes(&x[64] + shift)};
    };
    EXPECT_EQ(calls_made(kSaxpy, args(split), {kManyElements}, {8, 0, 8}), 1) << shift;
    std::vector<char*> plain = args(whole);
    const intptr_t size = kManyElements;
    const std::array<intptr_t, 3> steps = {8, 0, 8};
    saxpy(plain.data(), &size, steps.data(), nullptr);
    EXPECT_EQ(split, whole) << shift;
  }
}

TEST_F(ParallelLoopTest, RefusesOverlapsThatAreNotElementByElement) {
  std::vector<double> x = ramp(2 * kManyElements + 2);
  const double b = 1;
  char* const base = bytes(x.data());
  // Same start, different stride; the same elements reversed; half an element apart.
  EXPECT_EQ(calls_made(kSaxpy, {base, bytes(&b), base}, {kManyElements}, {16, 0, 8}), 1);
  EXPECT_EQ(calls_made(kSaxpy, {bytes(&x[kManyElements - 1]), bytes(&b), base}, {kManyElements},
                       {-8, 0, 8}),
            1);
  EXPECT_EQ(calls_made(kSaxpy, {bytes(&x[kManyElements / 2]), bytes(&b), base}, {kManyElements},
                       {8, 0, 8}),
            1);
  // An input read for every element, inside the output.
  EXPECT_EQ(calls_made(kSaxpy, {bytes(&x[kManyElements]), bytes(&x[5]), base}, {kManyElements},
                       {8, 0, 8}),
            1);
  // Only the second input overlaps.
  EXPECT_EQ(calls_made(kSaxpy, {bytes(&b), bytes(&x[1]), base}, {kManyElements}, {0, 8, 8}), 1);
}

TEST_F(ParallelLoopTest, RefusesAnOutputThatIsOneElement) {
  const std::vector<double> a = ramp(kManyElements);
  double sum = 0;
  EXPECT_EQ(
      calls_made(kSaxpy, {bytes(a.data()), bytes(&sum), bytes(&sum)}, {kManyElements}, {8, 0, 0}),
      1);
  EXPECT_EQ(calls_made(kSaxpy, {bytes(a.data()), bytes(a.data()), bytes(&sum)}, {kManyElements},
                       {8, 8, 0}),
            1);
}

void copy_twice(char** args, const intptr_t* dimensions, const intptr_t* steps, void*) {
  ++n_calls;
  for (intptr_t i = 0; i < dimensions[0]; ++i) {
    at<double>(args[1] + i * steps[1]) = at<double>(args[0] + i * steps[0]);
    at<double>(args[2] + i * steps[2]) = -at<double>(args[0] + i * steps[0]);
  }
}

TEST_F(ParallelLoopTest, RefusesOutputsThatOverlapOneAnother) {
  const ParallelLoop loop = shared(copy_twice, {{8, false, {}}, {8, true, {}}, {8, true, {}}});
  const std::vector<double> a = ramp(kManyElements);
  std::vector<double> out(3 * kManyElements);
  const auto calls = [&](double* first, double* second, intptr_t step) {
    return calls_made(loop, {bytes(a.data()), bytes(first), bytes(second)}, {kManyElements},
                      {8, step, step});
  };
  EXPECT_EQ(calls(&out[0], &out[1], 8), 1);
  EXPECT_EQ(calls(&out[0], &out[kManyElements - 1], 8), 1);
  EXPECT_GT(calls(&out[0], &out[kManyElements], 8), 1);
  EXPECT_GT(calls(&out[0], &out[1], 16), 1);  // interleaved
  EXPECT_EQ(out[2 * 77], 78.0);
  EXPECT_EQ(out[2 * 77 + 1], -78.0);
}

TEST_F(ParallelLoopTest, RefusesAnOutputWhoseElementsOverlap) {
  const ParallelLoop counted =
      shared([](char**, const intptr_t*, const intptr_t*, void*) { ++n_calls; },
             {{8, false, {}}, {16, true, {}}});
  std::vector<double> a(kManyElements);
  std::vector<double> out(2 * kManyElements);
  EXPECT_EQ(calls_made(counted, {bytes(a.data()), bytes(out.data())}, {kManyElements}, {8, 8}), 1);
  EXPECT_GT(calls_made(counted, {bytes(a.data()), bytes(out.data())}, {kManyElements}, {8, 16}), 1);
}

TEST_F(ParallelLoopTest, HandsTheFlagsOfAllPiecesToTheCaller) {
  for (std::size_t zero_at : {0, 100'000, 199'999}) {
    const std::vector<double> a(kManyElements, 1.0);
    std::vector<double> b(kManyElements, 2.0);
    std::vector<double> out(kManyElements);
    b[zero_at] = 0;
    std::feclearexcept(FE_ALL_EXCEPT);
    EXPECT_GT(calls_made(kDivide, {bytes(a.data()), bytes(b.data()), bytes(out.data())},
                         {kManyElements}, {8, 8, 8}),
              1);
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), FE_DIVBYZERO) << zero_at;
  }
}

TEST_F(ParallelLoopTest, RaisesNoFlagOfItsOwnAndKeepsTheCallers) {
  const std::vector<double> a(kManyElements, 1.0);
  std::vector<double> out(kManyElements);
  const std::vector<char*> args = {bytes(a.data()), bytes(a.data()), bytes(out.data())};
  std::feclearexcept(FE_ALL_EXCEPT);
  calls_made(kDivide, args, {kManyElements}, {8, 8, 8});
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), 0);
  std::feraiseexcept(FE_OVERFLOW);
  calls_made(kDivide, args, {kManyElements}, {8, 8, 8});
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT), FE_OVERFLOW);
  std::feclearexcept(FE_ALL_EXCEPT);
}

TEST_F(ParallelLoopTest, ComputesInTheCallersRoundingMode) {
  const std::vector<double> a(kManyElements, 1.0);
  const std::vector<double> b(kManyElements, 3.0);
  std::vector<double> out(kManyElements);
  std::fesetround(FE_UPWARD);
  calls_made(kDivide, {bytes(a.data()), bytes(b.data()), bytes(out.data())}, {kManyElements},
             {8, 8, 8});
  std::fesetround(FE_TONEAREST);
  volatile double three = 3.0;
  const double nearest = 1.0 / three;
  for (std::size_t i = 0; i < kManyElements; ++i) ASSERT_GT(out[i], nearest) << i;
}

TEST_F(ParallelLoopTest, SplitsTheOuterDimensionOfGeneralizedLoops) {
  const std::vector<double> a = ramp(40'000);
  std::vector<double> out(40'000);
  const std::vector<char*> args = {bytes(a.data()), bytes(out.data())};
  EXPECT_EQ(calls_made(kSums, args, {2, 20'000}, {160'000, 160'000, 8, 8}), 2);
  EXPECT_EQ(out[20'000], 20'001.0);
  EXPECT_EQ(out[20'001], 40'003.0);
  EXPECT_EQ(calls_made(kSums, args, {1, 40'000}, {320'000, 320'000, 8, 8}), 1);
  EXPECT_EQ(calls_made(kSums, args, {1000, 30}, {240, 240, 8, 8}, kLittleWork), 1);
  EXPECT_EQ(calls_made(kSums, args, {1000, 40}, {320, 320, 8, 8}), 1000);
  EXPECT_EQ(calls_made(kSums, args, {0, 40}, {320, 320, 8, 8}), 1);
}

TEST_F(ParallelLoopTest, SplitsGeneralizedOutputsThatAreInterleaved) {
  const std::vector<double> a(40'000, 1.0);
  std::vector<double> out(40'000);
  // Core dimension 40 with a stride over 1000 outer elements: out in Fortran order.
  EXPECT_EQ(calls_made(kSums, {bytes(a.data()), bytes(out.data())}, {1000, 40}, {320, 8, 8, 8000}),
            1000);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], static_cast<double>(i / 1000 + 1)) << i;
  }
}

TEST_F(ParallelLoopTest, CountsCoreDimensionsAsPartOfTheOperand) {
  std::vector<double> x(80'000, 1.0);
  const auto calls = [&](double* in, double* out, std::vector<intptr_t> steps) {
    return calls_made(kSums, {bytes(in), bytes(out)}, {1000, 40}, steps);
  };
  EXPECT_GT(calls(&x[0], &x[0], {320, 320, 8, 8}), 1);       // in place
  EXPECT_GT(calls(&x[0], &x[40'000], {320, 320, 8, 8}), 1);  // disjoint
  EXPECT_EQ(calls(&x[0], &x[39'999], {320, 320, 8, 8}), 1);  // one element shared, by core size
  EXPECT_GT(calls(&x[39], &x[0], {320, 320, -8, 8}), 1);     // in place, reversed
  EXPECT_EQ(calls(&x[40], &x[0], {320, 320, -8, 8}), 1);     // likewise, but into the next row
  EXPECT_EQ(calls(&x[0], &x[40'000], {320, 312, 8, 8}), 1);  // rows of the output overlap
  EXPECT_EQ(calls(&x[0], &x[40'000], {320, 0, 8, 8}), 1);    // the same row for all
  EXPECT_GT(calls(&x[0], &x[40'000], {8, 320, 8, 8}), 1);    // windows of an input may overlap
}

TEST_F(ParallelLoopTest, KnowsTheOperandsOfAKernel) {
  declare::TypedKernel kernel;
  kernel.signature.inputs = {{base::DType::kFloat32, 2}, {base::DType::kComplex128, 0}};
  kernel.signature.outputs = {{base::DType::kInt16, 1}};
  kernel.layout =
      declare::CoreSignature{"(m,n),()->(n)", {{"m"}, {"n"}}, {{{0}, {1}}, {}, {{1}}}, 2, {}};
  const ParallelLoop made = make_parallel_loop(saxpy, kernel);
  EXPECT_EQ(made.loop, saxpy);
  EXPECT_EQ(made.n_names, 2u);
  ASSERT_EQ(made.operands.size(), 3u);
  EXPECT_EQ(made.operands[0].n_bytes, 4);
  EXPECT_EQ(made.operands[0].core_names, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(made.operands[1].n_bytes, 16);
  EXPECT_TRUE(made.operands[1].core_names.empty());
  EXPECT_FALSE(made.operands[1].is_output);
  EXPECT_EQ(made.operands[2].n_bytes, 2);
  EXPECT_EQ(made.operands[2].core_names, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(made.operands[2].is_output);
  kernel.layout.reset();
  EXPECT_EQ(make_parallel_loop(saxpy, kernel).n_names, 0u);
}

}  // namespace
}  // namespace numpy_plugin::run
