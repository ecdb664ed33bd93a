// Results written past the cache, in calls whose operands do not fit it: the processor would first
// read every line that it writes, and evict something more useful.
#pragma once

#include <npp/cpu/driver.hpp>

namespace numpy_plugin::run {

// Size of the last-level cache: the processor's, unless a test sets another; 0 restores it.
long cache_bytes();
void set_cache_bytes(long n_bytes);

// Calls of loops in this thread belong to one that is larger than the cache.
class LargeCallScope {
 public:
  explicit LargeCallScope(bool is_large);
  ~LargeCallScope();
  LargeCallScope(const LargeCallScope&) = delete;
  LargeCallScope& operator=(const LargeCallScope&) = delete;

 private:
  bool before_;
};

// Whether to stream the results of a contiguous call whose elements may be computed in any order.
bool streams_results(const npp::LoopShape& shape, char* const* operands, long n);

// Such a call, of a kernel that takes any number of elements.
void run_streamed(const npp::LoopShape& shape, char* const* operands, long n);

}  // namespace numpy_plugin::run
