#include "numpy_plugin/run/cpu/parallel_loop.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>
#include <vector>

#include "numpy_plugin/run/cpu/reduce/pairwise_tree.hpp"
#include "numpy_plugin/run/cpu/sharing.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"

namespace numpy_plugin::run {
namespace {

using std::intptr_t;

// Time of one thread for a contiguous byte, at least.
constexpr double kNsOfByte = 0.015;
constexpr long kPartsOfThread = 4;

struct SumPart {
  long first, n;
};

template <class Value>
void add_shared(char* const* args, long n, const intptr_t* steps, const ParallelLoop& loop) {
  const long n_most =
      n / (kPartsOfThread * static_cast<long>(system::n_threads())) + kSumBlockElements<Value>;
  std::vector<SumPart> parts;
  add_parts<Value>(n, n_most, [&parts](long first, long n_part) {
    parts.push_back({first, n_part});
    return Value();
  });
  std::vector<Value> sums(parts.size(), negative_zero<Value>());
  run_parallel_pieces(system::n_threads(), parts.size(), [&](std::size_t i) {
    char* const sum = reinterpret_cast<char*>(&sums[i]);
    char* operands[] = {sum, args[1] + parts[i].first * steps[1], sum};
    const intptr_t n_part = parts[i].n;
    loop.loop(operands, &n_part, steps, loop.data);
  });
  const Value* next = sums.data();
  const Value all = add_parts<Value>(n, n_most, [&next](long, long) { return *next++; });
  const Value total = load_item<Value>(args[0]) + all;
  std::memcpy(args[0], &total, sizeof total);
}

// Whether the accumulator is no element.
bool is_accumulator_apart(char* const* args, intptr_t n, intptr_t step, intptr_t n_bytes) {
  const intptr_t first = std::min<intptr_t>(0, (n - 1) * step);
  const intptr_t last = std::max<intptr_t>(0, (n - 1) * step);
  return args[0] + n_bytes <= args[1] + first || args[1] + last + n_bytes <= args[0];
}

}  // namespace

bool is_reduced_sum(char* const* args, const intptr_t* steps, const ParallelLoop& loop) {
  return loop.summand && steps[0] == 0 && steps[2] == 0 && args[0] == args[2];
}

bool is_shared_sum(char* const* args, const intptr_t* dimensions, const intptr_t* steps,
                   const ParallelLoop& loop) {
  if (!loop.least_work || !is_reduced_sum(args, steps, loop)) return false;
  const intptr_t n_bytes = loop.operands[0].n_bytes;
  const double ns = static_cast<double>(dimensions[0] * n_bytes) * kNsOfByte;
  return ns >= loop.least_work->asleep_ns && system::n_threads() > 1 &&
         is_accumulator_apart(args, dimensions[0], steps[1], n_bytes);
}

void run_shared_sum(char* const* args, const intptr_t* dimensions, const intptr_t* steps,
                    const ParallelLoop& loop) {
  switch (*loop.summand) {
    case Summand::kFloat32:
      return add_shared<float>(args, dimensions[0], steps, loop);
    case Summand::kFloat64:
      return add_shared<double>(args, dimensions[0], steps, loop);
    case Summand::kComplex64:
      return add_shared<std::complex<float>>(args, dimensions[0], steps, loop);
    case Summand::kComplex128:
      return add_shared<std::complex<double>>(args, dimensions[0], steps, loop);
  }
}

}  // namespace numpy_plugin::run
