// Forms of a call: the kernel's own contiguous loop; chunks, where operands are strided, broadcast
// or too short for a block, or flags are verified; one element at a time, where operands overlap;
// reductions, with the accumulator in a register, as pairwise sums or extrema of vectors.
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

#include <algorithm>
#include <chrono>

#include "numpy_plugin/run/cpu/chunk_buffers.hpp"
#include "numpy_plugin/run/cpu/floating_point_flags.hpp"
#include "numpy_plugin/run/cpu/reduce/number_reductions.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/system/interruption.hpp"

namespace numpy_plugin::run {
namespace {

// Flags are verified in pieces of this many elements, a multiple of every block size.
constexpr long kSearchPiece = npp::kLargestBlock;

// After a chunk with as many spurious flags as searching pays for, so many are computed in order.
constexpr int kChunksInOrder = 15;

// Distinguishes real flags, which the kernel's source raises element by element, from spurious
// ones. Flags set before the call count as real, so that nothing is searched twice.
class FlagSearch {
 public:
  explicit FlagSearch(const npp::LoopShape& shape)
      : shape_(shape), real_(shape.searches_flags ? read_flags() & kWatchedFlags : 0) {}

  void run(char* const* operands, long n, long n_padded) {
    if (n_in_order_ > 0 && shape_.block == 1) {
      --n_in_order_;
      return run_in_order(operands, n);
    }
    shape_.run(operands, n_padded);
    if (shape_.searches_flags && unknown(read_flags())) search(operands, n, n_padded);
  }

 private:
  unsigned unknown(unsigned flags) const { return flags & kWatchedFlags & ~real_; }
  void search(char* const* operands, long n, long n_padded);
  void run_reference(char* const* piece, long n) const;
  void run_in_order(char* const* operands, long n) const;

  const npp::LoopShape& shape_;
  unsigned real_;
  int n_in_order_ = 0;  // further chunks
};

// Recomputes the chunk piece by piece, with identical values: where a flag appears that is not
// known to be real, the reference loop decides.
void FlagSearch::search(char* const* operands, long n, long n_padded) {
  const unsigned raised = read_flags();
  long n_spurious = 0;
  char* piece[npp::kMaxOperands];
  for (long start = 0; start < n && unknown(raised); start += kSearchPiece) {
    for (int operand = 0; operand < shape_.n_operands; ++operand) {
      piece[operand] = operands[operand] + start * shape_.sizes[operand];
    }
    write_flags(0);
    shape_.run(piece, std::min(n_padded - start, kSearchPiece));
    if (!unknown(read_flags())) continue;
    write_flags(0);
    run_reference(piece, std::min(n - start, kSearchPiece));
    n_spurious += unknown(read_flags()) ? 0 : kSearchPiece;
    real_ |= read_flags() & kWatchedFlags;
  }
  if (n_spurious > n / 2) n_in_order_ = kChunksInOrder;
  write_flags((raised & ~kWatchedFlags) | real_);
}

// Only for its flags: the values remain those of the vectorized run.
void FlagSearch::run_reference(char* const* piece, long n) const {
  char sink[kMaxElementSize];
  char* operands[npp::kMaxOperands];
  long steps[npp::kMaxOperands];
  for (int operand = 0; operand < shape_.n_operands; ++operand) {
    const bool is_input = operand < shape_.n_inputs;
    operands[operand] = is_input ? piece[operand] : sink;
    steps[operand] = is_input ? shape_.sizes[operand] : 0;
  }
  shape_.in_order(operands, steps, n);
}

// Values are the same where a block is one element.
void FlagSearch::run_in_order(char* const* operands, long n) const {
  long steps[npp::kMaxOperands];
  std::copy_n(shape_.sizes, shape_.n_operands, steps);
  shape_.in_order(operands, steps, n);
}

void run_chunks(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  ChunkBuffers buffers(shape, operands, steps);
  FlagSearch flags(shape);
  while (n > 0) {
    long count = std::min(n, buffers.chunk());
    if (count >= shape.block) count -= count % shape.block;
    const long n_padded = std::max<long>(count, shape.block);
    flags.run(buffers.load(count, n_padded), count, n_padded);
    buffers.store(count, n_padded);
    n -= count;
  }
}

// A block of elements of each operand.
struct Blocks {
  alignas(64) char memory[npp::kMaxOperands][npp::kLargestBlockBytes];
};

// Reads each element after those before it have been written. Each fills a block of its own.
void run_one_by_one(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  Blocks blocks;
  char* pointers[npp::kMaxOperands];
  char* next[npp::kMaxOperands];
  for (int operand = 0; operand < shape.n_operands; ++operand) {
    pointers[operand] = blocks.memory[operand];
    next[operand] = operands[operand];
  }
  FlagSearch flags(shape);
  for (long i = 0; i < n; ++i) {
    for (int input = 0; input < shape.n_inputs; ++input) {
      fill_buffer(pointers[input], next[input], shape.sizes[input], shape.block);
      next[input] += steps[input];
    }
    flags.run(pointers, 1, shape.block);
    for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
      copy_elements(next[output], 0, pointers[output], 0, shape.sizes[output], 1);
      next[output] += steps[output];
    }
  }
}

void run_short_block(const npp::LoopShape& shape, char* const* operands, long n, long length) {
  Blocks blocks;
  char* pointers[npp::kMaxOperands];
  for (int operand = 0; operand < shape.n_operands; ++operand) {
    const long size = shape.sizes[operand];
    char* const block = pointers[operand] = blocks.memory[operand];
    if (operand >= shape.n_inputs) continue;
    copy_elements(block, size, operands[operand], size, size, n);
    copy_elements(block + n * size, size, block + (n - 1) * size, 0, size, length - n);
  }
  shape.run(pointers, length);
  for (int output = shape.n_inputs; output < shape.n_operands; ++output) {
    const long size = shape.sizes[output];
    copy_elements(operands[output], size, pointers[output], size, size, n);
  }
}

bool is_reduction(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  return steps[0] == 0 && steps[2] == 0 && operands[0] == operands[2] &&
         is_apart(operands[0], std::max(shape.sizes[0], shape.sizes[1]), operands[1], steps[1], n);
}

struct Contiguity {
  bool is_contiguous = true;
  bool is_contiguous_or_scalar = true;

  Contiguity(const npp::LoopShape& shape, const long* steps) {
    for (int operand = 0; operand < shape.n_operands; ++operand) {
      const bool is_scalar = operand < shape.n_inputs && steps[operand] == 0;
      const bool contiguous = steps[operand] == shape.sizes[operand];
      is_contiguous &= contiguous;
      is_contiguous_or_scalar &= contiguous || is_scalar;
    }
  }
};

// Piece by piece; the kernel decides about pieces where the order counts.
void reduce_to_extremum(const npp::LoopShape& shape, char* const* operands, long step, long n) {
  constexpr long kBufferBytes = 4096, kContiguousBytes = 16 * kBufferBytes;
  alignas(64) char buffer[kBufferBytes];
  const long size = shape.sizes[0];
  const long n_most = (step == size ? kContiguousBytes : kBufferBytes) / size;
  const Extremum extremum{shape.sizes[0], shape.reduction == npp::Reduction::kLeast};
  const char* next = operands[1];
  for (long n_left = n; n_left > 0; n_left -= n_most) {
    const long count = std::min(n_left, n_most);
    const char* numbers = next;
    if (step != size) {
      copy_elements(buffer, size, next, step, shape.sizes[0], count);
      numbers = buffer;
    }
    const unsigned flags = read_flags();
    if (!update_extremum(extremum, operands[0], numbers, count)) {
      write_flags(flags);
      char* const piece[] = {operands[0], const_cast<char*>(numbers), operands[2]};
      const long steps[] = {0, size, 0};
      shape.in_order(piece, steps, count);
    }
    next += count * step;
  }
}

Summand find_summand(const npp::LoopShape& shape) {
  const bool is_single = shape.sizes[0] == (shape.reduction == npp::Reduction::kSum ? 4 : 8);
  if (shape.reduction == npp::Reduction::kSum) {
    return is_single ? Summand::kFloat32 : Summand::kFloat64;
  }
  return is_single ? Summand::kComplex64 : Summand::kComplex128;
}

// Asks at intervals: the test may wait for the GIL.
bool is_loop_interrupted() {
  using Clock = std::chrono::steady_clock;
  static thread_local Clock::time_point asked = {};
  if (system::has_interruption()) return true;
  const Clock::time_point now = Clock::now();
  if (now - asked < system::kInterruptionInterval) return false;
  asked = now;
  return system::is_interrupted();
}

// A reduction of known meaning.
void reduce(const npp::LoopShape& shape, char* const* operands, long step, long n) {
  if (shape.reduction == npp::Reduction::kOperation) return shape.reduce(operands, step, n);
  if (shape.reduction == npp::Reduction::kLeast || shape.reduction == npp::Reduction::kGreatest) {
    return reduce_to_extremum(shape, operands, step, n);
  }
  add_pairwise(find_summand(shape), operands[0], operands[1], step, n, is_loop_interrupted);
}

// For kernels whose values and flags do not depend on the form.
void call_exact(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  if (shape.reduce && is_reduction(shape, operands, steps, n))
    return shape.reduce(operands, steps[1], n);
  const Contiguity contiguity(shape, steps);
  const bool may_run = contiguity.is_contiguous ? are_apart_or_same(shape, operands, n)
                                                : contiguity.is_contiguous_or_scalar &&
                                                      order_is_free(shape, operands, steps, n);
  if (!may_run) return shape.in_order(operands, steps, n);
  if (!contiguity.is_contiguous) return run_chunks(shape, operands, steps, n);
  if (!streams_results(shape, operands, n)) return shape.run(operands, n);
  run_streamed(shape, operands, n);
}

void call(const npp::LoopShape& shape, char* const* operands, const long* steps, long n) {
  if (shape.reduction != npp::Reduction::kNone && is_reduction(shape, operands, steps, n)) {
    return reduce(shape, operands, steps[1], n);
  }
  const bool has_one_value_a_form = shape.block == 1;
  if (has_one_value_a_form && !shape.searches_flags) return call_exact(shape, operands, steps, n);
  if (n > 1 && order_is_free(shape, operands, steps, n)) {
    return run_chunks(shape, operands, steps, n);
  }
  if (has_one_value_a_form) return shape.in_order(operands, steps, n);
  run_one_by_one(shape, operands, steps, n);
}

// NumPy's, by npp::SortedNumbers.
constinit NumPyArgsort* argsorts[npp::kNumberOfSorts] = {};

// Comparisons with NaN raise flags, which an order of elements should not.
bool argsort(const void* numbers, void* indices, long n, npp::SortedNumbers kind) {
  NumPyArgsort* const function = argsorts[static_cast<int>(kind)];
  if (function == nullptr) return false;
  const unsigned flags = read_flags();
  const int status =
      function(const_cast<void*>(numbers), static_cast<std::intptr_t*>(indices), n, nullptr);
  write_flags(flags);
  return status == 0;
}

// Changed only while the module is imported, before there are loops.
constinit npp::ElementwiseDriver driver = {
    call,           run_short_block, report_raised_error, show_line, open_scratch,
    extend_scratch, close_scratch,   is_loop_interrupted, argsort,   {}};

}  // namespace

const npp::ElementwiseDriver& elementwise_driver() { return driver; }

void set_numpy_sort(npp::SortedNumbers kind, NumPySort* sort, NumPyArgsort* argsort) {
  driver.sorts[static_cast<int>(kind)] = sort;
  argsorts[static_cast<int>(kind)] = argsort;
}

}  // namespace numpy_plugin::run
