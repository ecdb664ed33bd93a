// Messages for faults of memory accesses.

#include "simulator/execute/checks/fault.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/global_races.hpp"
#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

const char* verb(const LaneAccess& access) {
  if (access.reads && access.writes) return "an atomic operation on ";
  return access.writes ? "wrote " : "read ";
}

std::string bytes_text(std::uint64_t n_bytes) {
  return std::to_string(n_bytes) + (n_bytes == 1 ? " byte" : " bytes");
}

// "wrote 4 bytes at 0x7f0000001000"
std::string access_text(const LaneAccess& access, std::uint64_t address) {
  return verb(access) + bytes_text(access.n_bytes) + " at " + address_text(address);
}

// ", of which 2 were never written, 40 bytes into allocation 1 (256 bytes)"
std::string unwritten_text(const Launch& launch, std::uint64_t address, std::uint32_t n_unwritten) {
  const std::string text = format(", of which {} were never written", n_unwritten);
  const auto allocation = launch.memory->nearest(address);
  if (!allocation) return text;
  return format("{}, {} into {}", text, bytes_text(address - allocation->extent.begin),
                allocation_text(*allocation));
}

// "wrote 4 bytes at offset 64 of shared memory"
std::string offset_text(const LaneAccess& access, std::uint64_t offset, const char* space) {
  return format("{}{} at offset {} of {}", verb(access), bytes_text(access.n_bytes), offset, space);
}

// "read 4 bytes at 0x7f0000001000, of which 2 were never written, ..."
std::string origin_text(const Launch& launch, const PoisonOrigin::Read& read) {
  const LaneAccess access{.n_bytes = read.n_bytes, .reads = true};
  if (read.space != Space::kShared) {
    return access_text(access, read.address) +
           unwritten_text(launch, read.address, read.n_unwritten);
  }
  return format("{}, of which {} were never written by this block",
                offset_text(access, read.address, "shared memory"), read.n_unwritten);
}

std::string side_text(const Launch& launch, const Race::Side& side, const std::string& block = "") {
  const auto& code = launch.program->code;
  return format("thread {}{} {} it{} at {}", thread_text(launch, side.thread), block,
                side.is_write ? "wrote" : "read",
                side.is_atomic ? " (an atomic or volatile access)" : "",
                side.instruction < code.size() ? line_text(*launch.program, code[side.instruction])
                                               : "an unknown line");
}

// The synchronization that would have ordered the two accesses.
const char* missing_text(const Race& race) {
  if (race.earlier.instruction == race.later.instruction && race.earlier.is_write &&
      race.later.is_write && race.is_same_time) {
    return "; both did so in one step with different values: which of them remains is undefined";
  }
  if (race.earlier.thread / kWarpSize == race.later.thread / kWarpSize) {
    return "; they are lanes of one warp with no barrier (__syncwarp or __syncthreads) between "
           "the two accesses";
  }
  return "; there is no barrier (__syncthreads) of both between the two accesses";
}

std::string side_text(const Launch& launch, const GlobalRace::Side& side) {
  return side_text(launch, side, " of block " + grid_place_text(launch, side.block));
}

// "element 3 of 4 bytes (bytes 12 to 15) of allocation 1 (256 bytes, zeros at model.py:9)"
std::string element_text(const Launch& launch, std::uint64_t address, std::uint32_t n_bytes) {
  const auto allocation = launch.memory->nearest(address);
  if (!allocation) return address_text(address);
  const std::uint64_t offset = address - allocation->extent.begin;
  return format("byte {} (element {} of {}) of {}", offset, offset / n_bytes, bytes_text(n_bytes),
                allocation_text(*allocation));
}

// The synchronization that would have ordered the two accesses, or made an order needless.
std::string missing_text(const GlobalRace& race) {
  const bool is_of_one_block = race.earlier.block == race.later.block;
  return format("{}: use an atomic operation (atomicAdd, cuda.atomic.add), {}",
                is_of_one_block
                    ? "; there is no barrier (__syncthreads) of both between the two accesses"
                    : "; blocks run in any order, and nothing orders these two accesses",
                is_of_one_block ? "a barrier, or one thread for each element"
                                : "one thread for each element, or two launches");
}

}  // namespace

void fail_misaligned(const Warp& warp, const Instruction& instruction, int lane,
                     const LaneAccess& access) {
  const std::uint64_t address = access.addresses[lane];
  fail(warp, instruction, lane, CUDA_ERROR_MISALIGNED_ADDRESS,
       format("{}, which is not a multiple of {}",
              access.space == Space::kShared ? offset_text(access, address, "shared memory")
                                             : access_text(access, address),
              access.n_bytes));
}

void fail_outside_global(const Warp& warp, const Instruction& instruction, int lane,
                         const LaneAccess& access) {
  const Launch& launch = *warp.block->launch;
  const std::uint64_t address = access.addresses[lane];
  const std::string text = access_text(access, address);
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       launch.checks.bounds
           ? format("{}, {}", text, place_text(*launch.memory, address, access.n_bytes))
           : text + ", outside of all memory of the device");
}

void fail_read_only(const Warp& warp, const Instruction& instruction, int lane,
                    const LaneAccess& access) {
  const std::uint64_t address = access.addresses[lane];
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       format("{}, which kernels may only read, {}", access_text(access, address),
              place_text(*warp.block->launch->memory, address, access.n_bytes)));
}

void fail_unwritten_global(const Warp& warp, const Instruction& instruction, int lane,
                           const LaneAccess& access, const std::uint8_t* written) {
  const std::uint64_t address = access.addresses[lane];
  const auto n_unwritten = std::count(written, written + access.n_bytes, std::uint8_t{0});
  fail(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
       access_text(access, address) +
           unwritten_text(*warp.block->launch, address, static_cast<std::uint32_t>(n_unwritten)));
}

void fail_outside_shared(const Warp& warp, const Instruction& instruction, int lane,
                         const LaneAccess& access, std::uint64_t offset) {
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       format("{}, of which the block has {}", offset_text(access, offset, "shared memory"),
              bytes_text(warp.block->shared_bytes)));
}

void fail_unwritten_shared(const Warp& warp, const Instruction& instruction, int lane,
                           const LaneAccess& access, std::uint64_t offset) {
  const std::uint8_t* written = warp.block->shared_written + offset;
  const auto n_unwritten = std::count(written, written + access.n_bytes, std::uint8_t{0});
  fail(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED,
       format("{}, of which {} were never written by this block",
              offset_text(access, offset, "shared memory"), n_unwritten));
}

void fail_outside_local(const Warp& warp, const Instruction& instruction, int lane,
                        const LaneAccess& access, std::uint64_t offset) {
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       format("{}, of which the thread has {}", offset_text(access, offset, "local memory"),
              bytes_text(warp.block->local_bytes)));
}

void fail_outside_parameters(const Warp& warp, const Instruction& instruction, int lane,
                             const LaneAccess& access, std::uint64_t offset) {
  const std::string text = offset_text(access, offset, "the kernel's parameters");
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       access.writes ? text + ", which kernels may only read"
                     : format("{}, of which there are {}", text,
                              bytes_text(warp.block->launch->parameters.size())));
}

void fail_copy_size(const Warp& warp, const Instruction& instruction, std::uint32_t n_bytes) {
  fail(warp, instruction, std::countr_zero(warp.active), CUDA_ERROR_ILLEGAL_INSTRUCTION,
       format("cp.async of {}; expected 4, 8 or 16", bytes_text(n_bytes)));
}

void fail_bulk_size(const Warp& warp, const Instruction& instruction, int lane,
                    std::uint32_t n_bytes) {
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_INSTRUCTION,
       format("cp.async.bulk of {}; expected a multiple of 16", bytes_text(n_bytes)));
}

void fail_rank(const Warp& warp, const Instruction& instruction, int lane, std::uint32_t rank) {
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       format("mapa to the block of rank {} in its cluster; expected 0, as simulated clusters have "
              "one block",
              rank));
}

void fail_not_shared(const Warp& warp, const Instruction& instruction, int lane,
                     std::uint64_t address) {
  fail(warp, instruction, lane, CUDA_ERROR_ILLEGAL_ADDRESS,
       format("the address {} is not in shared memory, where rows of a matrix must be",
              address_text(address)));
}

void fail_poison(const Warp& warp, const Instruction& instruction, int lane, const std::string& use,
                 Origin where) {
  const Launch& launch = *warp.block->launch;
  const PoisonOrigin& origin = warp.block->poison->at(where);
  const bool is_own = origin.warp == warp.number && (origin.lanes & lane_bit(lane)) != 0;
  const int reader = is_own ? lane : first_lane(origin.lanes);
  const PoisonOrigin::Read& read = origin.reads[static_cast<std::size_t>(reader)];
  std::string text = format("an uninitialized value {}: ", use);
  if (read.n_bytes == 0) {
    text += "it is from a register that no instruction writes";
  } else {
    const auto thread = origin.warp * kWarpSize + static_cast<std::uint32_t>(reader);
    text += line_text(*launch.program, *origin.instruction) +
            (is_own ? " " : format(", in thread {}, ", thread_text(launch, thread))) +
            origin_text(launch, read);
  }
  fail(warp, instruction, lane, CUDA_ERROR_LAUNCH_FAILED, text);
}

void fail_race(const Warp& warp, const Instruction& instruction, const Race& race) {
  const Launch& launch = *warp.block->launch;
  fail(warp, instruction, static_cast<int>(race.later.thread % kWarpSize), CUDA_ERROR_LAUNCH_FAILED,
       format("a race on offset {} of shared memory: {}, {}{}", race.offset,
              side_text(launch, race.earlier), side_text(launch, race.later), missing_text(race)));
}

void fail_global_race(const Warp& warp, const Instruction& instruction, const GlobalRace& race) {
  const Launch& launch = *warp.block->launch;
  const std::uint32_t n_bytes = size_bytes(instruction.operation.type);
  fail(warp, instruction, static_cast<int>(race.later.thread % kWarpSize), CUDA_ERROR_LAUNCH_FAILED,
       format("a race on {}: {}, {}{}", element_text(launch, race.address, n_bytes),
              side_text(launch, race.earlier), side_text(launch, race.later), missing_text(race)));
}

}  // namespace numpy_plugin::sim
