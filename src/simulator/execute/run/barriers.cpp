// Counting at the barriers of a block.
#include "simulator/execute/run/barriers.hpp"

#include <bit>
#include <utility>

#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/global_races.hpp"
#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

bool goes_on(Mode mode) { return mode == Mode::kArrive; }

bool is_reduction(Mode mode) {
  return mode == Mode::kPopulation || mode == Mode::kAnd || mode == Mode::kOr;
}

bool is_of_cluster(Mode mode) { return mode == Mode::kClusterArrive || mode == Mode::kClusterWait; }

// The value that all lanes must agree on.
std::uint32_t common_value(const Warp& warp, const Instruction& instruction, Slot slot,
                           LaneMask lanes) {
  const auto value = read_lane<std::uint32_t>(warp, slot, first_lane(lanes));
  if (is_constant(slot)) return value;
  for_each_lane(lanes, [&](int lane) {
    const auto other = read_lane<std::uint32_t>(warp, slot, lane);
    if (other == value) return;
    fail(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
         format("the threads of a warp name different barriers or numbers of threads, {} and {}",
                value, other));
  });
  return value;
}

}  // namespace

void Barriers::begin_block() {
  ended_warps_ = 0;
  for (; used_ != 0; used_ &= used_ - 1)
    barriers_[static_cast<std::size_t>(std::countr_zero(used_))] = Barrier();
}

std::uint8_t Barriers::number(const Warp& warp, const Instruction& instruction, LaneMask lanes) {
  if (is_of_cluster(instruction.operation.mode)) return kCluster;
  const std::uint32_t value = common_value(warp, instruction, instruction.a, lanes);
  if (value >= kNumbered) {
    fail(warp, instruction, first_lane(lanes), CUDA_ERROR_LAUNCH_FAILED,
         format("there is no barrier {}; a block has barriers 0 to 15", value));
  }
  return static_cast<std::uint8_t>(value);
}

void Barriers::expect(Barrier& barrier, const Warp& warp, const Instruction& instruction,
                      LaneMask lanes) {
  if (instruction.b == kNoSlot) return;
  const std::uint32_t n_threads = common_value(warp, instruction, instruction.b, lanes);
  if (n_threads == 0 || n_threads % kWarpSize != 0) {
    fail(warp, instruction, first_lane(lanes), CUDA_ERROR_LAUNCH_FAILED,
         format("a barrier of {} threads; expected a multiple of 32", n_threads));
  }
  if (barrier.n_threads != 0 && barrier.n_threads != n_threads) {
    fail(warp, instruction, first_lane(lanes), CUDA_ERROR_LAUNCH_FAILED,
         format("a barrier of {} threads, where others wait for {} at the same one", n_threads,
                barrier.n_threads));
  }
  barrier.n_threads = n_threads;
}

void Barriers::gather(Barrier& barrier, const Warp& warp, const Instruction& instruction,
                      LaneMask lanes) {
  if (!is_reduction(instruction.operation.mode)) return;
  const LaneMask trues = read_mask(warp, instruction.c) & lanes;
  barrier.result.n_true += count_lanes(trues);
  barrier.result.is_all = barrier.result.is_all && trues == lanes;
  barrier.result.is_any = barrier.result.is_any || trues != 0;
}

void Barriers::arrive(WarpRun& warp, const Instruction& instruction, std::uint8_t index,
                      LaneMask lanes) {
  Barrier& barrier = barriers_[index];
  used_ |= std::uint32_t{1} << index;
  expect(barrier, warp, instruction, lanes);
  gather(barrier, warp, instruction, lanes);
  barrier.is_passed = barrier.is_passed || goes_on(instruction.operation.mode);
  if (index == kCluster) cluster_phase_[warp.number] = cluster_phase_now_;
  Pending& pending = barrier.pending[warp.number];
  pending.lanes |= lanes;
  pending.waits = !goes_on(instruction.operation.mode);
  count_if_all_are_here(barrier, warp);
  if (is_complete(barrier)) complete(index);
}

void Barriers::count_if_all_are_here(Barrier& barrier, const WarpRun& warp) {
  Pending& pending = barrier.pending[warp.number];
  if (pending.lanes == 0 || (warp.living & ~pending.lanes) != 0) return;
  const RaceDetector* const races = warp.block->races;
  barrier.parts[warp.number] = {.warp = warp.number,
                                .arrival = races == nullptr ? 0 : races->now() + 1,
                                .waits = pending.waits};
  barrier.arrived_warps |= std::uint32_t{1} << warp.number;
  ++barrier.n_arrivals;
  pending = Pending();
}

bool Barriers::is_cluster_open(const Warp& warp) const {
  return cluster_phase_[warp.number] == cluster_phase_now_;
}

bool Barriers::is_whole_block(const Barrier& barrier) const {
  return count_lanes(barrier.arrived_warps | ended_warps_) == warps_.size();
}

bool Barriers::is_complete(const Barrier& barrier) const {
  if (barrier.n_arrivals == 0) return false;
  if (barrier.n_threads != 0) return barrier.n_arrivals * kWarpSize >= barrier.n_threads;
  return is_whole_block(barrier);
}

void Barriers::on_exit(const WarpRun& exited) {
  if (exited.has_ended()) ended_warps_ |= std::uint32_t{1} << exited.number;
  for (std::uint32_t left = used_; left != 0; left &= left - 1) {
    const auto index = static_cast<std::uint8_t>(std::countr_zero(left));
    count_if_all_are_here(barriers_[index], exited);
    if (is_complete(barriers_[index])) complete(index);
  }
}

void Barriers::complete(std::uint8_t index) {
  const Barrier done = std::exchange(barriers_[index], Barrier());
  used_ &= ~(std::uint32_t{1} << index);
  if (index == kCluster) ++cluster_phase_now_;
  const Block& block = *warps_.front()->block;
  if (block.races != nullptr) tell(*block.races, done);
  if (block.global_races != nullptr) block.global_races->on_barrier();
  for (const auto& warp : warps_) warp->release(index, done.result);
}

void Barriers::tell(RaceDetector& races, const Barrier& done) const {
  if (is_whole_block(done) && !done.is_passed) {
    races.on_block_barrier();
  } else {
    std::vector<BarrierPart> parts;
    for (std::uint32_t left = done.arrived_warps; left != 0; left &= left - 1) {
      parts.push_back(done.parts[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    races.on_barrier(parts);
  }
}

void write_barrier_result(Warp& warp, const Instruction& instruction, LaneMask lanes,
                          const BarrierResult& result) {
  switch (instruction.operation.mode) {
    case Mode::kPopulation:
      for_each_lane(lanes,
                    [&](int lane) { write_lane(warp, instruction.result, lane, result.n_true); });
      break;
    case Mode::kAnd:
      write_predicate(warp, instruction.result, lanes, result.is_all ? kAllLanes : 0);
      break;
    case Mode::kOr:
      write_predicate(warp, instruction.result, lanes, result.is_any ? kAllLanes : 0);
      break;
    default:
      break;
  }
}

}  // namespace numpy_plugin::sim
