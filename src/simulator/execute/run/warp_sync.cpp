// Values are gathered from all parts, and results distributed to all.
#include "simulator/execute/run/warp_sync.hpp"

#include <bit>
#include <cmath>

#include "numpy_plugin/base/error.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/global_races.hpp"
#include "simulator/execute/checks/race_detector.hpp"
#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/state/operands.hpp"
#include "simulator/program/matrix.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kFloatNan = 0x7fffffff;

using Values = std::array<std::uint64_t, kWarpSize>;

struct Results {
  Values values = {};
  LaneMask predicate = 0;
};

bool is_wide(const Instruction& instruction) { return size_bytes(instruction.operation.type) == 8; }

std::size_t at(int lane) { return static_cast<std::size_t>(lane); }

// slot(instruction) for all participating lanes.
template <class SlotOf>
Values gather(Warp& warp, const SyncParts& parts, const SlotOf& slot) {
  Values values = {};
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    for_each_lane(part.lanes, [&](int lane) {
      values[at(lane)] = is_wide(*part.instruction)
                             ? read_lane<std::uint64_t>(warp, slot(*part.instruction), lane)
                             : read_lane<std::uint32_t>(warp, slot(*part.instruction), lane);
    });
  }
  return values;
}

LaneMask gather_predicate(Warp& warp, const SyncParts& parts) {
  LaneMask mask = 0;
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    mask |= read_mask(warp, part.instruction->a) & part.lanes;
  }
  return mask;
}

LaneMask lanes_here(const SyncParts& parts) {
  LaneMask here = 0;
  for (const SyncPart& part : parts) here |= part.lanes;
  return here;
}

// Non-participating lanes provide no value: their readers keep their own.
Results shuffle(Warp& warp, const SyncParts& parts) {
  const Values values = gather(warp, parts, [](const Instruction& i) { return i.a; });
  const LaneMask here = lanes_here(parts);
  Results results;
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    for_each_lane(part.lanes, [&](int lane) {
      const Instruction& instruction = *part.instruction;
      const int from = shuffle_source(warp, instruction, lane);
      if (from >= 0) results.predicate |= lane_bit(lane);
      const bool has_value = from >= 0 && (here & lane_bit(from)) != 0;
      results.values[at(lane)] = values[at(has_value ? from : lane)];
    });
  }
  return results;
}

Results vote(Warp& warp, const SyncParts& parts, Mode mode) {
  const LaneMask trues = gather_predicate(warp, parts);
  Results results;
  results.values.fill(trues);
  const bool is_all = trues == lanes_here(parts);
  bool is_true = mode == Mode::kAll ? is_all : trues != 0;
  if (mode == Mode::kUniform) is_true = is_all || trues == 0;
  results.predicate = is_true ? kAllLanes : 0;
  return results;
}

// The lowest lane is elected, as GPUs do; PTX leaves the choice open.
Results elect(const SyncParts& parts) {
  const int leader = first_lane(lanes_here(parts));
  Results results;
  results.values.fill(static_cast<std::uint64_t>(leader));
  results.predicate = lane_bit(leader);
  return results;
}

Results match(Warp& warp, const SyncParts& parts, Mode mode) {
  const Values values = gather(warp, parts, [](const Instruction& i) { return i.a; });
  const LaneMask here = lanes_here(parts);
  Results results;
  for_each_lane(here, [&](int lane) {
    for_each_lane(here, [&](int other) {
      if (values[at(other)] == values[at(lane)]) results.values[at(lane)] |= lane_bit(other);
    });
  });
  if (mode == Mode::kAll) {
    const bool is_same = results.values[at(first_lane(here))] == here;
    results.values.fill(is_same ? here : 0);
    results.predicate = is_same ? kAllLanes : 0;
  }
  return results;
}

std::uint32_t reduced(Mode mode, bool is_signed, std::uint32_t one, std::uint32_t other) {
  // Flipping the sign bit makes signed numbers order like unsigned ones.
  const std::uint32_t flip = is_signed ? 0x80000000u : 0;
  const bool is_less = (one ^ flip) < (other ^ flip);
  switch (mode) {
    case Mode::kAdd:
      return one + other;
    case Mode::kMin:
      return is_less ? one : other;
    case Mode::kMax:
      return is_less ? other : one;
    case Mode::kAnd:
      return one & other;
    case Mode::kOr:
      return one | other;
    case Mode::kXor:
      return one ^ other;
    default:
      NPP_ASSERT(false, std::to_string(static_cast<int>(mode)));
  }
}

// Without .NaN numbers are preferred; -0 is less than 0.
std::uint32_t reduced_float(const Operation& operation, std::uint32_t one, std::uint32_t other) {
  const auto first = std::bit_cast<float>(one);
  const auto second = std::bit_cast<float>(other);
  const bool is_nan = std::isnan(first) || std::isnan(second);
  if (is_nan && (operation.propagate_nan || (std::isnan(first) && std::isnan(second)))) {
    return kFloatNan;
  }
  if (is_nan) return std::isnan(first) ? other : one;
  const bool is_less = first < second || (first == second && std::signbit(first));
  return is_less == (operation.mode == Mode::kMin) ? one : other;
}

Results reduce_floats(Warp& warp, const SyncParts& parts, const Operation& operation) {
  const Values values = gather(warp, parts, [](const Instruction& i) { return i.a; });
  const LaneMask here = lanes_here(parts);
  const auto value = [&](int lane) {
    const auto bits = static_cast<std::uint32_t>(values[at(lane)]);
    return operation.is_absolute ? bits & 0x7fffffff : bits;
  };
  std::uint32_t total = value(first_lane(here));
  // The first lane again: a warp of NaN has the canonical one.
  for_each_lane(here, [&](int lane) { total = reduced_float(operation, total, value(lane)); });
  Results results;
  results.values.fill(total);
  return results;
}

Results reduce(Warp& warp, const SyncParts& parts, const Operation& operation) {
  if (operation.type == Type::kF32) return reduce_floats(warp, parts, operation);
  const Values values = gather(warp, parts, [](const Instruction& i) { return i.a; });
  LaneMask left = lanes_here(parts);
  auto total = static_cast<std::uint32_t>(values[at(first_lane(left))]);
  for_each_lane(left & (left - 1), [&](int lane) {
    total = reduced(operation.mode, kind(operation.type) == TypeKind::kSigned, total,
                    static_cast<std::uint32_t>(values[at(lane)]));
  });
  Results results;
  results.values.fill(total);
  return results;
}

// Votes other than ballots have a predicate as the result; shfl and match have it second.
void give(Warp& warp, const SyncParts& parts, const Results& results) {
  for (const SyncPart& part : parts) {
    stand_in(warp, part);
    const Instruction& instruction = *part.instruction;
    const Operation& operation = instruction.operation;
    if (operation.opcode == Opcode::kVote && operation.mode != Mode::kBallot) {
      write_predicate(warp, instruction.result, part.lanes, results.predicate);
      continue;
    }
    write_predicate(warp, instruction.second_result, part.lanes, results.predicate);
    for_each_lane(part.lanes, [&](int lane) {
      write_lane(warp, instruction.result, lane,
                 static_cast<std::uint32_t>(results.values[at(lane)]));
    });
  }
}

[[noreturn]] void fail_not_aligned(Warp& warp, const SyncPart& part, const std::string& found) {
  stand_in(warp, part);
  fail(warp, *part.instruction, first_lane(part.lanes), CUDA_ERROR_LAUNCH_FAILED,
       format("{} is executed by all 32 lanes of a warp together{}",
              wait_name(warp, *part.instruction), found));
}

// Matrix instructions (.aligned): all lanes take part, by one instruction of one call.
void run_matrix(Warp& warp, const SyncParts& parts) {
  const SyncPart& first = *parts.begin();
  if (const LaneMask missing = ~lanes_here(parts); missing != 0) {
    fail_not_aligned(
        warp, first,
        format("; those of the mask {} have exited or don't exist", mask_text(missing)));
  }
  for (const SyncPart& part : parts) {
    if (part.instruction == first.instruction && part.frame == first.frame) continue;
    const Program& program = *warp.block->launch->program;
    fail_not_aligned(warp, first,
                     format(", as one instruction of one call; {} are at another one on {}",
                            threads_text(warp, part.lanes), line_text(program, *part.instruction)));
  }
  stand_in(warp, first);
  warp.active = kAllLanes;
  first.instruction->handler(warp, *first.instruction);
}

}  // namespace

int shuffle_source(const Warp& warp, const Instruction& instruction, int lane) {
  const Mode mode = instruction.operation.mode;
  const auto c = read_lane<std::uint32_t>(warp, instruction.c, lane);
  const int amount = static_cast<int>(read_lane<std::uint32_t>(warp, instruction.b, lane) & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int bound = (lane & segment) | (static_cast<int>(c & 31) & ~segment);
  if (mode == Mode::kUp) return lane - amount >= bound ? lane - amount : -1;
  int from = (lane & segment) | (amount & ~segment);
  if (mode == Mode::kDown) from = lane + amount;
  if (mode == Mode::kButterfly) from = lane ^ amount;
  return from <= bound ? from : -1;
}

void carry_out_sync(Warp& warp, const SyncParts& parts, LaneMask mask) {
  const Operation& operation = parts.begin()->instruction->operation;
  if (warp.poison != nullptr) follow_sync(warp, parts);
  if (is_matrix(operation.opcode)) return run_matrix(warp, parts);
  switch (operation.opcode) {
    case Opcode::kShfl:
      return give(warp, parts, shuffle(warp, parts));
    case Opcode::kVote:
      return give(warp, parts, vote(warp, parts, operation.mode));
    case Opcode::kElect:
      return give(warp, parts, elect(parts));
    case Opcode::kMatch:
      return give(warp, parts, match(warp, parts, operation.mode));
    case Opcode::kRedux:
      return give(warp, parts, reduce(warp, parts, operation));
    default:
      if (warp.block->races != nullptr) warp.block->races->on_warp_sync(warp.number, mask);
      if (warp.block->global_races != nullptr) warp.block->global_races->on_warp_sync(warp.number);
  }
}

}  // namespace numpy_plugin::sim
