// Memory of a kernel's scratch arrays, computed before a launch: their sizes as expressions of core
// dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

struct ScratchArray {
  int n_slots = 1;
  // Of constants, sizes of the kernel's own arrays, and integer operations.
  std::vector<declare::Expression> sizes;
};

struct DeviceScratch {
  std::int64_t item_bytes = 0;  // of each array, as templates/npp/cuda/scratch_memory.hpp has them
  std::vector<ScratchArray> arrays;
  std::optional<declare::Diagnostic> obstacle;  // why no launch can provide the memory
};

// Of any kernel. The memory of the arrays of a kernel without a layout is not provided.
DeviceScratch device_scratch(const declare::TypedKernel& kernel);

// Of one thread, for a call's sizes of the layout's names; nullopt beyond int64. Arrays with
// negative sizes, with which the kernel raises, take nothing.
std::optional<std::int64_t> scratch_bytes(const DeviceScratch& scratch,
                                          const declare::CoreSignature& layout,
                                          std::span<const std::int64_t> core_sizes);

// Throws declare::KernelError with the obstacle of a kernel's scratch arrays, if any.
void require_device_scratch(const declare::TypedKernel& kernel);

}  // namespace numpy_plugin::analysis
