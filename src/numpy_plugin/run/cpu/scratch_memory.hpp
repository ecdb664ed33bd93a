// Scratch memory of loops: a buffer for each thread, which grows in pieces as kernels need it.
#pragma once

#include <cstdint>

#include <npp/cpu/driver.hpp>

#include "numpy_plugin/kernel/scratch.hpp"

namespace numpy_plugin::run {

// Limit of the memory that a thread keeps for its next loop; all else is freed after each.
inline constexpr std::int64_t kKeptScratchBytes = std::int64_t{1} << 20;

// The functions of npp::ElementwiseDriver.
void open_scratch(npp::ScratchMemory* memory);
bool extend_scratch(npp::ScratchMemory* memory, long n_bytes);
void close_scratch(npp::ScratchMemory* memory);

struct ScratchCounters {
  std::int64_t n_bytes = 0;       // of all threads now
  std::int64_t most_n_bytes = 0;  // of one loop so far
};
ScratchCounters scratch_counters();

}  // namespace numpy_plugin::run
