// Accesses of memory, lane by lane.

#include "numpy_plugin/sim/execute/access.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "numpy_plugin/sim/execute/access_fault.hpp"
#include "numpy_plugin/sim/execute/race_detector.hpp"

namespace numpy_plugin::sim {
namespace {

// Which space a generic address is in; leaves the offset there.
Space take_window(std::uint64_t* address) {
  constexpr std::pair<std::uint64_t, Space> kWindows[] = {{kSharedWindow, Space::kShared},
                                                          {kLocalWindow, Space::kLocal},
                                                          {kParamWindow, Space::kParam}};
  for (const auto& [begin, space] : kWindows) {
    if (*address - begin < kWindowBytes) {
      *address -= begin;
      return space;
    }
  }
  return Space::kGlobal;
}

// The lanes of one access: their pointers as they become known, and what is done once for all.
class Resolver {
 public:
  Resolver(Warp& warp, const Instruction& instruction, const LaneAccess& access,
           std::byte** pointers)
      : warp_(warp), instruction_(instruction), access_(access), pointers_(pointers) {}

  void resolve() {
    for (LaneMask rest = access_.lanes; rest != 0; rest &= rest - 1) {
      resolve_lane(std::countr_zero(rest));
    }
    count_global();
    if (shared_lanes_ != 0 && block().races != nullptr) {
      LaneAccess shared = access_;
      shared.lanes = shared_lanes_;
      shared.addresses = offsets_;
      check_races(warp_, instruction_, shared);
    }
  }

 private:
  Block& block() const { return *warp_.block; }
  const Checks& checks() const { return block().launch->checks; }

  void resolve_lane(int lane) {
    std::uint64_t address = access_.addresses[lane];
    const Space space = access_.space == Space::kGeneric ? take_window(&address) : access_.space;
    if (checks().alignment && (address & (access_.n_bytes - 1)) != 0) {
      fail_misaligned(warp_, instruction_, lane, access_);
    }
    if (space == Space::kShared) {
      pointers_[lane] = shared_pointer(lane, address);
    } else if (space == Space::kLocal) {
      pointers_[lane] = local_pointer(lane, address);
    } else if (space == Space::kParam) {
      pointers_[lane] = parameter_pointer(lane, address);
    } else {
      pointers_[lane] = global_pointer(lane, address);
    }
  }

  bool is_within(std::uint64_t offset, std::uint64_t size) const {
    return access_.n_bytes <= size && offset <= size - access_.n_bytes;
  }

  std::byte* shared_pointer(int lane, std::uint64_t offset) {
    if (!is_within(offset, block().shared_bytes)) {
      fail_outside_shared(warp_, instruction_, lane, access_, offset);
    }
    std::uint8_t* written = block().shared_written;
    if (written != nullptr && !use_written(written + offset)) {
      fail_unwritten_shared(warp_, instruction_, lane, access_, offset);
    }
    offsets_[lane] = offset;
    shared_lanes_ |= LaneMask{1} << lane;
    return block().shared + offset;
  }

  std::byte* local_pointer(int lane, std::uint64_t offset) {
    if (!is_within(offset, block().local_bytes)) {
      fail_outside_local(warp_, instruction_, lane, access_, offset);
    }
    const std::uint64_t thread = warp_.number * kWarpSize + static_cast<std::uint64_t>(lane);
    return block().local + thread * block().local_bytes + offset;
  }

  std::byte* parameter_pointer(int lane, std::uint64_t offset) {
    const auto& parameters = block().launch->parameters;
    if (access_.writes || !is_within(offset, parameters.size())) {
      fail_outside_parameters(warp_, instruction_, lane, access_, offset);
    }
    // Never written through: see the line above.
    return const_cast<std::byte*>(parameters.data()) + offset;
  }

  std::byte* global_pointer(int lane, std::uint64_t address) {
    const Extent* extent = &(*block().extents)[index_of(warp_, instruction_)];
    if (!extent->holds(address, access_.n_bytes)) {
      extent = find_extent(warp_, instruction_, address, access_.n_bytes);
    }
    if (extent == nullptr) fail_outside_global(warp_, instruction_, lane, access_);
    if (access_.writes && extent->is_read_only) {
      fail_read_only(warp_, instruction_, lane, access_);
    }
    const std::uint64_t offset = address - extent->begin;
    if (extent->written != nullptr && !use_written(extent->written + offset)) {
      fail_unwritten_global(warp_, instruction_, lane, access_, extent->written + offset);
    }
    count_sectors(address);
    ++n_global_;
    return extent->data + offset;
  }

  // False where something is read that is not written. Blocks may do atomics on one place at once:
  // those go by the host's atomics.
  bool use_written(std::uint8_t* written) const {
    if (access_.is_atomic) return use_written_atomically(written);
    if (access_.reads && checks().uninitialized &&
        std::memchr(written, 0, access_.n_bytes) != nullptr) {
      return false;
    }
    if (access_.writes) std::memset(written, 1, access_.n_bytes);
    return true;
  }

  bool use_written_atomically(std::uint8_t* written) const {
    bool is_written = true;
    for (std::uint32_t index = 0; index < access_.n_bytes; ++index) {
      is_written &= __atomic_load_n(written + index, __ATOMIC_RELAXED) != 0;
    }
    if (is_written) return true;
    if (access_.reads && checks().uninitialized) return false;
    for (std::uint32_t index = 0; access_.writes && index < access_.n_bytes; ++index) {
      __atomic_store_n(written + index, std::uint8_t{1}, __ATOMIC_RELAXED);
    }
    return true;
  }

  void count_sectors(std::uint64_t address) {
    const std::uint64_t last = (address + access_.n_bytes - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last; ++sector) {
      if (n_sectors_ > 0 && sectors_[n_sectors_ - 1] == sector) continue;
      sectors_[n_sectors_++] = sector;
    }
  }

  void count_global() {
    if (n_global_ == 0) return;
    Counters& counters = *block().counters;
    const std::uint64_t n_bytes = std::uint64_t{n_global_} * access_.n_bytes;
    if (access_.reads) counters.global_load_bytes += n_bytes;
    if (access_.writes) counters.global_store_bytes += n_bytes;
    std::uint64_t* end = sectors_ + n_sectors_;
    if (!std::is_sorted(sectors_, end)) std::sort(sectors_, end);
    counters.global_transactions +=
        static_cast<std::uint64_t>(std::unique(sectors_, end) - sectors_);
  }

  static constexpr std::uint64_t kSectorBytes = 32;
  static constexpr int kMostSectorsALane = 2;  // of 32 bytes at a place that may be misaligned

  Warp& warp_;
  const Instruction& instruction_;
  const LaneAccess& access_;
  std::byte** pointers_;
  LaneMask shared_lanes_ = 0;
  std::uint64_t offsets_[kWarpSize] = {};  // in shared memory
  std::uint32_t n_global_ = 0;
  std::uint32_t n_sectors_ = 0;
  std::uint64_t sectors_[kWarpSize * kMostSectorsALane];
};

}  // namespace

std::uint32_t index_of(const Warp& warp, const Instruction& instruction) {
  return static_cast<std::uint32_t>(&instruction - warp.block->launch->program->code.data());
}

void resolve(Warp& warp, const Instruction& instruction, const LaneAccess& access,
             std::byte** pointers) {
  Resolver(warp, instruction, access, pointers).resolve();
}

const Extent* find_extent(Warp& warp, const Instruction& instruction, std::uint64_t address,
                          std::uint64_t n_bytes) {
  const auto found = warp.block->launch->memory->find(address);
  if (!found || !found->holds(address, n_bytes)) return nullptr;
  Extent& last = (*warp.block->extents)[index_of(warp, instruction)];
  last = *found;
  return &last;
}

void check_races(Warp& warp, const Instruction& instruction, const LaneAccess& access) {
  std::uint32_t offsets[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) {
    offsets[lane] = static_cast<std::uint32_t>(access.addresses[lane]);
  }
  const auto race = warp.block->races->on_access({.warp = warp.number,
                                                  .lanes = access.lanes,
                                                  .offsets = offsets,
                                                  .n_bytes = access.n_bytes,
                                                  .instruction = index_of(warp, instruction),
                                                  .is_write = access.writes,
                                                  .is_atomic = access.is_atomic,
                                                  .data = access.data,
                                                  .data_stride = access.n_bytes});
  if (race) [[unlikely]]
    fail_race(warp, instruction, *race);
}

Space space_of(const Warp& warp, std::uint64_t address) {
  const Space space = take_window(&address);
  if (space != Space::kGlobal) return space;
  const auto extent = warp.block->launch->memory->find(address);
  return extent && extent->is_read_only ? Space::kConst : Space::kGlobal;
}

void exchange_16_bytes(std::byte* place, const void* expected, const void* value, void* old) {
  constexpr std::size_t kBytes = 16;
  static std::mutex mutexes[64];
  const std::lock_guard lock(mutexes[reinterpret_cast<std::uintptr_t>(place) / kBytes % 64]);
  std::memcpy(old, place, kBytes);
  if (expected == nullptr || std::memcmp(old, expected, kBytes) == 0) {
    std::memcpy(place, value, kBytes);
  }
}

void release(Warp& warp, LaneMask lanes) {
  if (warp.block->races != nullptr) warp.block->races->on_release(warp.number, lanes);
}

void acquire(Warp& warp, LaneMask lanes) {
  if (warp.block->races != nullptr) warp.block->races->on_acquire(warp.number, lanes);
}

}  // namespace numpy_plugin::sim
