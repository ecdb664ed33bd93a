// The kernel-independent part of every elementwise CPU loop: selection of the form, buffers for
// strided and broadcast operands, scratch memory, and the search for spurious flags.
#pragma once

#include <npp/cpu/driver.hpp>
#include <string>

#include <cstdint>

#include "numpy_plugin/base/dtype.hpp"

namespace numpy_plugin::run {

const npp::ElementwiseDriver& elementwise_driver();

// Memory of an elementwise loop's operands: overlaps, and copies between strided memory and
// contiguous buffers.

// Whether elements may be computed in any order and several at a time: no output overlaps another
// operand, except for an input that is the same array.
bool order_is_free(const npp::LoopShape& shape, char* const* operands, const long* steps, long n);
// The same for contiguous operands, in a third of the time.
bool are_apart_or_same(const npp::LoopShape& shape, char* const* operands, long n);

// Whether `n` elements, with strides in bytes, share no byte with a single element elsewhere.
bool is_apart(const char* element, long size, const char* start, long step, long n);

// Gathers into or scatters from a buffer.
void copy_elements(char* to, long to_step, const char* from, long from_step, long size, long n);

// Fills a 64-byte aligned buffer with copies of one element, in whole multiples of 64 bytes.
void fill_buffer(char* buffer, const char* element, long size, long n);

// Results written past the cache, in calls whose operands do not fit it: the processor would first
// read every line that it writes, and evict something more useful.

// Of the caches that Linux describes below `root`; 0 where it describes none. glibc adds up the
// last level of all parts of a processor, each of which has its own.
long largest_cache(const std::string& root);

// Size of the last-level cache: the processor's, unless a test sets another; 0 restores it.
long cache_bytes();
void set_cache_bytes(long n_bytes);
// Whether to stream the results of a call with so many bytes of operands.
bool exceeds_cache(long n_bytes);

// Calls of loops in this thread belong to one that is larger than the cache; others cost nothing.
class LargeCallScope {
 public:
  explicit LargeCallScope(bool is_large) : is_large_(is_large) {
    if (is_large) set(true);
  }
  ~LargeCallScope() {
    if (is_large_) set(false);
  }
  LargeCallScope(const LargeCallScope&) = delete;
  LargeCallScope& operator=(const LargeCallScope&) = delete;

 private:
  static void set(bool is_large);

  const bool is_large_;
};

// Whether to stream the results of a contiguous call whose elements may be computed in any order.
bool streams_results(const npp::LoopShape& shape, char* const* operands, long n);

// Such a call, of a kernel that takes any number of elements.
void run_streamed(const npp::LoopShape& shape, char* const* operands, long n);

// Scratch memory of loops: a buffer for each thread, which grows in pieces as kernels need it.

// Limit of the memory that a thread keeps for its next loop; all else is freed after each.
inline constexpr std::int64_t kKeptScratchBytes = std::int64_t{1} << 20;

// The functions of npp::ElementwiseDriver.
void open_scratch(npp::ScratchMemory* memory);
bool extend_scratch(npp::ScratchMemory* memory, long n_bytes);
void close_scratch(npp::ScratchMemory* memory);

// NumPy's sorts.

using NumPySort = int(void* numbers, std::intptr_t n, void* array);
using NumPyArgsort = int(void* numbers, std::intptr_t* indices, std::intptr_t n, void* array);

// By npp::SortedNumbers.
inline constexpr base::DType kSortedNumbers[npp::kNumberOfSorts] = {
    base::DType::kInt8,  base::DType::kInt16,  base::DType::kInt32,
    base::DType::kInt64, base::DType::kUInt64, base::DType::kFloat64};

// Set by the layer that has NumPy's API. Either may be null.
void set_numpy_sort(npp::SortedNumbers kind, NumPySort* sort, NumPyArgsort* argsort);

// All of them; `functions_of` returns NumPy's functions for one of its type numbers.
template <class FunctionsOf>
void set_numpy_sorts(const FunctionsOf& functions_of) {
  for (int i = 0; i < npp::kNumberOfSorts; ++i) {
    const auto* const functions =
        functions_of(base::number_info(kSortedNumbers[i]).numpy_type_number);
    set_numpy_sort(npp::SortedNumbers(i), functions->sort[0], functions->argsort[0]);
  }
}

struct ScratchCounters {
  std::int64_t n_bytes = 0;       // of all threads now
  std::int64_t most_n_bytes = 0;  // of one loop so far
};
ScratchCounters scratch_counters();

}  // namespace numpy_plugin::run
