// Memory accesses, lane by lane.

#include "simulator/execute/checks/access.hpp"

#include <bit>
#include <cstring>
#include <mutex>
#include <string>

#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/state/sectors.hpp"
#include "simulator/execute/state/written.hpp"

namespace numpy_plugin::sim {
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

namespace {

// Lanes of one access: their resolved pointers, and state shared by all of them.
class Resolver {
 public:
  Resolver(Warp& warp, const Instruction& instruction, const LaneAccess& access,
           std::byte** pointers)
      : warp_(warp),
        block_(*warp.block),
        checks_(warp.block->launch->checks),
        instruction_(instruction),
        access_(access),
        pointers_(pointers),
        extent_(&(*warp.block->extents)[index_of(warp, instruction)]),
        must_be_written_(access.reads && checks_.uninitialized) {}

  void resolve() {
    for (LaneMask rest = access_.lanes; rest != 0; rest &= rest - 1) {
      resolve_lane(std::countr_zero(rest));
    }
    count_global();
    if (shared_lanes_ != 0 && block_.races != nullptr) {
      LaneAccess shared = access_;
      shared.lanes = shared_lanes_;
      shared.addresses = offsets_;
      check_races(warp_, instruction_, shared);
    }
    if (tracked_lanes_ != 0 && block_.global_races != nullptr) {
      LaneAccess tracked = access_;
      tracked.lanes = tracked_lanes_;
      check_global_races(warp_, instruction_, tracked, lines_, pointers_);
    }
  }

 private:
  void resolve_lane(int lane) {
    std::uint64_t address = access_.addresses[lane];
    const Space space = access_.space == Space::kGeneric ? take_window(&address) : access_.space;
    if (checks_.alignment && (address & (access_.n_bytes - 1)) != 0) {
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

  // Compilers load the last elements of dynamic shared memory as whole vectors; on a GPU it ends at
  // a multiple of more bytes. Those after the end are never written.
  bool may_read_beyond(std::uint64_t offset) const {
    return !access_.writes && instruction_.operation.n_elements > 1 &&
           offset < block_.shared_bytes && is_within(offset, block_.shared_storage_bytes);
  }

  std::byte* shared_pointer(int lane, std::uint64_t offset) {
    if (!is_within(offset, block_.shared_bytes) && !may_read_beyond(offset)) {
      fail_outside_shared(warp_, instruction_, lane, access_, offset);
    }
    std::uint8_t* written = block_.shared_written;
    if (written != nullptr && !use_written(written + offset, Space::kShared)) {
      fail_unwritten_shared(warp_, instruction_, lane, access_, offset);
    }
    offsets_[lane] = offset;
    shared_lanes_ |= LaneMask{1} << lane;
    return block_.shared + offset;
  }

  std::byte* local_pointer(int lane, std::uint64_t offset) {
    if (!is_within(offset, block_.local_bytes)) {
      fail_outside_local(warp_, instruction_, lane, access_, offset);
    }
    const std::uint64_t thread = warp_.number * kWarpSize + static_cast<std::uint64_t>(lane);
    return block_.local + thread * block_.local_bytes + offset;
  }

  std::byte* parameter_pointer(int lane, std::uint64_t offset) {
    const auto& parameters = block_.launch->parameters;
    if (access_.writes || !is_within(offset, parameters.size())) {
      fail_outside_parameters(warp_, instruction_, lane, access_, offset);
    }
    // Never written through: see the line above.
    return const_cast<std::byte*>(parameters.data()) + offset;
  }

  std::byte* global_pointer(int lane, std::uint64_t address) {
    if (!extent_->holds(address, access_.n_bytes)) [[unlikely]] {
      extent_ = find_extent(warp_, instruction_, address, access_.n_bytes);
      if (extent_ == nullptr) fail_outside_global(warp_, instruction_, lane, access_);
    }
    if (access_.writes && extent_->is_read_only) {
      fail_read_only(warp_, instruction_, lane, access_);
    }
    const std::uint64_t offset = address - extent_->begin;
    if (extent_->written != nullptr && !use_written(extent_->written + offset, Space::kGlobal)) {
      fail_unwritten_global(warp_, instruction_, lane, access_, extent_->written + offset);
    }
    if (extent_->races != nullptr) {
      lines_[lane] = race_line(*extent_, address);
      tracked_lanes_ |= LaneMask{1} << lane;
    }
    sectors_.add(address, access_.n_bytes);
    ++n_global_;
    return extent_->data + offset;
  }

  // False where unwritten bytes are read that may not be. Blocks may concurrently do atomics on one
  // location: their shadow uses the host's atomics.
  bool use_written(std::uint8_t* written, Space space) const {
    if (access_.is_atomic) {
      if (is_written_atomically(written, access_.n_bytes)) return true;
      if (must_be_written_ && !may_read_poison(space)) return false;
      if (access_.writes) set_written_atomically(written, access_.n_bytes);
      return true;
    }
    if (must_be_written_ && !is_written(written, access_.n_bytes) && !may_read_poison(space))
      return false;
    if (access_.writes) set_written(written, access_.n_bytes);
    return true;
  }

  bool may_read_poison(Space space) const {
    if (!follows_poison(instruction_, space)) return false;
    if (warp_.poison == nullptr) throw PoisonRead{&instruction_};
    return true;
  }

  void count_global() {
    if (n_global_ == 0) return;
    Counters& counters = *block_.counters;
    const std::uint64_t n_bytes = std::uint64_t{n_global_} * access_.n_bytes;
    if (access_.reads) counters.global_load_bytes += n_bytes;
    if (access_.writes) counters.global_store_bytes += n_bytes;
    counters.global_transactions += sectors_.count();
  }

  Warp& warp_;
  Block& block_;
  const Checks& checks_;
  const Instruction& instruction_;
  const LaneAccess& access_;
  std::byte** pointers_;
  const Extent* extent_;
  const bool must_be_written_;
  LaneMask shared_lanes_ = 0;
  std::uint64_t offsets_[kWarpSize];  // of those lanes in shared memory
  LaneMask tracked_lanes_ = 0;
  RaceRecord* lines_[kWarpSize];  // of those lanes in global memory
  std::uint32_t n_global_ = 0;
  Sectors sectors_;
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
  const auto found = warp.block->launch->memory->find_reachable(address);
  if (!found || !found->holds(address, n_bytes)) return nullptr;
  Extent& last = (*warp.block->extents)[index_of(warp, instruction)];
  last = *found;
  return &last;
}

Space space_of(const Warp& warp, std::uint64_t address) {
  const Space space = take_window(&address);
  if (space != Space::kGlobal) return space;
  const auto extent = warp.block->launch->memory->find_reachable(address);
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

}  // namespace numpy_plugin::sim
