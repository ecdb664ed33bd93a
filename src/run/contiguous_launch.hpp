// The launch of a contiguous device kernel, as templates/numpy_plugin/cuda_arguments.hpp lays it
// down: how many blocks, and the bytes of the argument. Nothing here needs a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numpy_plugin/emit/emit.hpp"

namespace numpy_plugin::run {

// One operand of a launch: an address, or, of an input with one element for the whole call, that
// element.
struct LaunchOperand {
  std::array<std::byte, 16> slot = {};
  std::size_t element_bytes = 0;
  bool is_value = false;

  static LaunchOperand at_address(std::uint64_t address, std::size_t element_bytes);
  static LaunchOperand of_value(const void* element, std::size_t element_bytes);
  std::uint64_t address() const;
};

struct ContiguousLaunch {
  unsigned grid = 0;                 // blocks of kLaunchThreads threads
  std::vector<std::byte> arguments;  // the kernel's one parameter
};

inline constexpr unsigned kLaunchThreads = 128;
// Elements of one launch; longer calls are launched in pieces.
inline constexpr std::int64_t kMaxLaunchElements = std::int64_t{1} << 30;

ContiguousLaunch plan_contiguous_launch(std::uint32_t n_elements,
                                        std::span<const LaunchOperand> operands,
                                        const emit::LaunchShape& shape, int n_multiprocessors);

}  // namespace numpy_plugin::run
