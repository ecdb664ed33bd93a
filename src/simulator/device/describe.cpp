// Descriptions of addresses for messages.

#include "simulator/device/memory.hpp"

#include <cstdio>

#include "numpy_plugin/base/format.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kNullPage = 4096;

std::string bytes_text(std::uint64_t n_bytes) {
  return std::to_string(n_bytes) + (n_bytes == 1 ? " byte" : " bytes");
}

// Location relative to an allocation.
std::string distance_text(const Allocation& allocation, std::uint64_t address,
                          std::uint64_t n_bytes) {
  const Extent& extent = allocation.extent;
  const std::string name = allocation_text(allocation);
  if (address < extent.begin)
    return format("{} before {}", bytes_text(extent.begin - address), name);
  if (address >= extent.end)
    return format("{} past the end of {}", bytes_text(address - extent.end), name);
  if (extent.holds(address, n_bytes)) return "inside " + name;
  return format("the last {} past the end of {}", bytes_text(address + n_bytes - extent.end), name);
}

}  // namespace

std::string address_text(std::uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return address < kNullPage ? format("{} (a null pointer)", text) : text;
}

std::string allocation_text(const Allocation& allocation) {
  std::string text = format("allocation {} ({}", allocation.number,
                            bytes_text(allocation.extent.end - allocation.extent.begin));
  if (!allocation.origin.empty()) text += ", " + allocation.origin;
  return text + (allocation.is_freed ? "), which was freed" : ")");
}

std::string place_text(const Memory& memory, std::uint64_t address, std::uint64_t n_bytes) {
  const auto allocation = memory.nearest(address);
  if (!allocation) return "and the device has no allocation";
  const Memory::Peer peer = memory.find_peer(address);
  const bool is_foreign = peer.memory != nullptr && !peer.is_accessible;
  return distance_text(*allocation, address, n_bytes) +
         (is_foreign ? " of another device, whose memory kernels of this one can't access" : "");
}

}  // namespace numpy_plugin::sim
