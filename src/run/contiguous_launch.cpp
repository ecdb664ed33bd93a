// Whether full tiles can be used, and the argument byte for byte.
#include "numpy_plugin/run/contiguous_launch.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "numpy_plugin/base/error.hpp"

namespace numpy_plugin::run {
namespace {

using std::uint32_t;
using std::uint64_t;

// What follows the operands in the argument.
struct Tail {
  uint64_t scalars = 0;
  uint64_t values = 0;
  uint64_t n = 0;
  uint32_t full_tiles = 0;
  uint32_t plain_tiles = 0;
};
static_assert(sizeof(Tail) == 32);

// Vectors must lie at multiples of their size.
bool are_aligned(std::span<const LaunchOperand> operands, std::size_t width) {
  return std::all_of(operands.begin(), operands.end(), [width](const LaunchOperand& operand) {
    return operand.is_value || operand.address() % (width * operand.element_bytes) == 0;
  });
}

uint64_t value_bits(std::span<const LaunchOperand> operands) {
  uint64_t bits = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].is_value) bits |= uint64_t{1} << i;
  }
  return bits;
}

std::vector<std::byte> pack(std::span<const LaunchOperand> operands, const Tail& tail) {
  std::vector<std::byte> bytes;
  for (const LaunchOperand& operand : operands) {
    bytes.insert(bytes.end(), operand.slot.begin(), operand.slot.end());
  }
  const auto* const begin = reinterpret_cast<const std::byte*>(&tail);
  bytes.insert(bytes.end(), begin, begin + sizeof(tail));
  return bytes;
}

}  // namespace

LaunchOperand LaunchOperand::at_address(uint64_t address, std::size_t element_bytes) {
  LaunchOperand operand;
  std::memcpy(operand.slot.data(), &address, sizeof(address));
  operand.element_bytes = element_bytes;
  return operand;
}

LaunchOperand LaunchOperand::of_value(const void* element, std::size_t element_bytes) {
  LaunchOperand operand;
  NPP_ASSERT(element_bytes <= operand.slot.size(), std::to_string(element_bytes) + " bytes");
  std::memcpy(operand.slot.data(), element, element_bytes);
  operand.element_bytes = element_bytes;
  operand.is_value = true;
  return operand;
}

uint64_t LaunchOperand::address() const {
  uint64_t address = 0;
  std::memcpy(&address, slot.data(), sizeof(address));
  return address;
}

ContiguousLaunch plan_contiguous_launch(uint32_t n_elements,
                                        std::span<const LaunchOperand> operands,
                                        const emit::LaunchShape& shape, int n_multiprocessors) {
  const auto tile = static_cast<uint32_t>(shape.tile);
  const bool is_short = n_elements < static_cast<uint64_t>(n_multiprocessors) * tile;
  const bool has_tiles = !is_short && are_aligned(operands, static_cast<std::size_t>(shape.width));
  Tail tail;
  tail.scalars = tail.values = value_bits(operands);
  tail.n = n_elements;
  tail.full_tiles = has_tiles ? n_elements / tile : 0;
  tail.plain_tiles = tail.scalars == 0 ? tail.full_tiles : 0;
  const uint32_t n_left = n_elements - tail.full_tiles * tile;
  return {tail.full_tiles + (n_left + kLaunchThreads - 1) / kLaunchThreads, pack(operands, tail)};
}

}  // namespace numpy_plugin::run
