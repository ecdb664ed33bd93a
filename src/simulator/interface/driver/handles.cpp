// Numbers for handles.
#include "simulator/interface/driver/handles.hpp"

#include <atomic>

namespace numpy_plugin::sim {

std::uint64_t new_handle() {
  // Above the values that mean a default stream, and never a readable address.
  constexpr std::uint64_t kFirst = 0x7100'0000'0000'0000;
  constexpr std::uint64_t kStep = 16;
  static std::atomic<std::uint64_t> next = kFirst;
  return next.fetch_add(kStep);
}

}  // namespace numpy_plugin::sim
