// Rounds over the warps of a block, until all have finished or none can continue.
#include "simulator/execute/run/block_run.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

// Long enough to amortize switching, short enough for warps and blocks that spin on each other.
constexpr std::uint64_t kStepsOfWarp = 2'000;
constexpr std::uint64_t kStepsOfBlock = 20'000;
// Warps deep in calls get more: infinite recursion must fail before the stacks of all warps fill
// host memory.
constexpr std::uint32_t kDeep = 64;
constexpr std::uint64_t kStepsOfDeepWarp = 200'000;
constexpr std::size_t kWarpsInMessages = 8;

std::uint64_t n_threads(const Launch& launch) {
  return std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
}

std::uint64_t shared_bytes(const Launch& launch) {
  return std::uint64_t{launch.entry->reserved_shared_bytes} + launch.entry->shared_bytes +
         launch.dynamic_shared_bytes;
}

std::uint64_t shared_storage_bytes(const Launch& launch) {
  constexpr std::uint64_t kVectorBytes = 16;
  return (shared_bytes(launch) + kVectorBytes - 1) / kVectorBytes * kVectorBytes;
}

}  // namespace

HostBytes::HostBytes(std::uint64_t n_bytes) : n_bytes_(n_bytes) {
  if (n_bytes == 0) return;
  void* const mapped = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(mapped);
}

HostBytes::~HostBytes() {
  if (data_ != nullptr) munmap(data_, n_bytes_);
}

BlockRun::BlockRun(const Launch& launch, WorkerState& worker)
    : worker_(worker),
      shared_(shared_storage_bytes(launch)),
      shared_written_(launch.checks.uninitialized ? shared_storage_bytes(launch) : 0),
      local_(n_threads(launch) *
             local_bytes_needed(*launch.program, *launch.entry, launch.local_limit_bytes)),
      barriers_(warps_) {
  if (launch.checks.races && shared_.size() > 0) {
    races_ = std::make_unique<RaceDetector>(static_cast<std::uint32_t>(shared_.size()));
  }
  if (worker.races != nullptr) global_races_ = std::make_unique<BlockRaces>(*worker.races);
  block_.launch = &launch;
  block_.n_threads = static_cast<std::uint32_t>(n_threads(launch));
  block_.shared = shared_.data();
  block_.shared_written = reinterpret_cast<std::uint8_t*>(shared_written_.data());
  block_.shared_bytes = static_cast<std::uint32_t>(shared_bytes(launch));
  block_.shared_storage_bytes = static_cast<std::uint32_t>(shared_.size());
  block_.local = local_.data();
  block_.local_bytes = local_.size() / n_threads(launch);
  block_.races = races_.get();
  block_.global_races = global_races_.get();
  block_.mbarriers = &mbarriers_;
  block_.poison = &poison_;
  block_.counters = &worker.counters;
  block_.profile = worker.profile.empty() ? nullptr : &worker.profile;
  block_.printed = &printed_;
  block_.extents = &worker.extents;
  const std::uint32_t n_warps = (block_.n_threads + kWarpSize - 1) / kWarpSize;
  for (std::uint32_t warp = 0; warp < n_warps; ++warp) {
    warps_.push_back(std::make_unique<WarpRun>(launch, warp));
  }
}

void BlockRun::begin(std::uint64_t number) {
  const auto& grid = block_.launch->grid;
  number_ = number;
  block_.index[0] = static_cast<std::uint32_t>(number % grid[0]);
  block_.index[1] = static_cast<std::uint32_t>(number / grid[0] % grid[1]);
  block_.index[2] = static_cast<std::uint32_t>(number / grid[0] / grid[1]);
  block_.clock = 0;
  if (shared_.size() > 0) std::memset(shared_.data(), static_cast<int>(kPoison), shared_.size());
  if (shared_written_.size() > 0) std::memset(shared_written_.data(), 0, shared_written_.size());
  clear_reserved();
  if (races_ != nullptr) races_->begin_block();
  if (global_races_ != nullptr) global_races_->begin_block(number);
  mbarriers_.clear();
  poison_.clear();
  barriers_.begin_block();
  for (const auto& warp : warps_) warp->begin_block(block_, barriers_);
  ++worker_.counters.n_blocks;
  worker_.counters.n_warps += warps_.size();
}

// Cooperative groups rely on zeros in the memory that the driver reserves.
void BlockRun::clear_reserved() {
  const std::uint32_t n_bytes = block_.launch->entry->reserved_shared_bytes;
  if (n_bytes == 0) return;
  std::memset(shared_.data(), 0, n_bytes);
  if (shared_written_.size() > 0) std::memset(shared_written_.data(), 1, n_bytes);
}

void BlockRun::end() { worker_.counters.warp_instructions += block_.clock; }

bool BlockRun::run_slice() {
  const std::uint64_t begin = block_.clock;
  const auto before = block_.counters->lanes_by_class;
  while (block_.clock - begin < kStepsOfBlock) {
    if (run_round()) return true;
    if (may_wait_for_other_blocks(before)) return false;
  }
  return false;
}

// Has read memory that others may write, and stored nothing.
bool BlockRun::may_wait_for_other_blocks(const LanesByClass& before) const {
  const auto has_done = [&](InstructionClass category) {
    const auto index = static_cast<std::size_t>(category);
    return block_.counters->lanes_by_class[index] != before[index];
  };
  return !has_done(InstructionClass::kGlobalStore) &&
         (has_done(InstructionClass::kGlobalLoad) || has_done(InstructionClass::kAtomic));
}

bool BlockRun::run_round() {
  bool has_ended = true;
  bool has_moved = false;
  const std::uint64_t max_steps = block_.launch->max_steps;
  for (const auto& warp : warps_) {
    if (warp->has_ended()) continue;
    has_ended = false;
    if (warp->is_blocked()) continue;
    has_moved = true;
    if (block_.clock >= max_steps) {
      fail_for_all(format("no progress: the block has not ended after {} instructions of its warps",
                          block_.clock));
    }
    auto outcome = warp->run(std::min(kStepsOfWarp, max_steps - block_.clock));
    if (outcome == WarpRun::Outcome::kStepsUsed && warp->frame->depth >= kDeep) {
      outcome = warp->run(std::min(kStepsOfDeepWarp, max_steps - block_.clock));
    }
    if (outcome == WarpRun::Outcome::kBlocked) warp->arrive_at_barriers();
  }
  if (!has_ended && !has_moved) {
    fail_for_all("deadlock: no thread of the block can continue; all are waiting");
  }
  return has_ended;
}

void BlockRun::fail_for_all(const std::string& what) const {
  const WarpRun* first = nullptr;
  std::size_t n_living = 0;
  std::string text = what;
  for (const auto& warp : warps_) {
    if (warp->has_ended()) continue;
    if (first == nullptr) first = warp.get();
    if (n_living++ < kWarpsInMessages) text += "; " + waiting_text(*warp);
  }
  if (n_living > kWarpsInMessages) {
    text += format("; and {} more warps", n_living - kWarpsInMessages);
  }
  const Group& group = *first->groups().begin();
  fail(*first, first->instruction(group), first_lane(group.lanes), CUDA_ERROR_LAUNCH_TIMEOUT, text);
}

}  // namespace numpy_plugin::sim
