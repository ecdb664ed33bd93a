// The phases of mbarriers: PTX ISA, "Parallel Synchronization and Communication Instructions:
// mbarrier".
#include "simulator/execute/checks/mbarriers.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simulator/execute/checks/access.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kBytes = 8;  // of an mbarrier
constexpr std::uint32_t kCountBits = 20;
constexpr std::uint32_t kMostArrivals = (1u << kCountBits) - 1;
constexpr std::int64_t kMostPendingBytes = kMostArrivals;
// A loop that waits has tested its mbarrier within so many steps of the block.
constexpr std::uint64_t kRecentSteps = 1 << 17;

// The fields of the word, from the lowest bits: pending arrivals, expected arrivals, pending bytes
// plus the most possible, parity of the phase.
struct Mbarrier {
  std::uint32_t n_pending = 0;   // arrivals left in the phase
  std::uint32_t n_expected = 0;  // arrivals of the next phase
  std::int64_t n_bytes = 0;      // pending bytes of copies: those expected less those complete
  std::uint32_t parity = 0;

  explicit Mbarrier(std::uint64_t word)
      : n_pending(static_cast<std::uint32_t>(word & kMostArrivals)),
        n_expected(static_cast<std::uint32_t>(word >> kCountBits & kMostArrivals)),
        n_bytes(static_cast<std::int64_t>(word >> (2 * kCountBits) & 0x1fffff) - kMostPendingBytes),
        parity(static_cast<std::uint32_t>(word >> 63)) {}
  explicit Mbarrier(std::uint32_t n_arrivals) : n_pending(n_arrivals), n_expected(n_arrivals) {}

  std::uint64_t word() const {
    return n_pending | std::uint64_t{n_expected} << kCountBits |
           static_cast<std::uint64_t>(n_bytes + kMostPendingBytes) << (2 * kCountBits) |
           std::uint64_t{parity} << 63;
  }
  void end_phase_if_complete() {
    if (n_pending != 0 || n_bytes != 0) return;
    parity ^= 1;
    n_pending = n_expected;
  }
};

// "phase of parity 0 has 1 of 2 arrivals and 16 pending bytes"; arrivals that are dropped count as
// never expected.
std::string phase_text(const Mbarrier& mbarrier) {
  const std::int64_t n_arrived =
      std::max<std::int64_t>(0, std::int64_t{mbarrier.n_expected} - mbarrier.n_pending);
  const std::int64_t n_expected = n_arrived + mbarrier.n_pending;
  std::string text = format("phase of parity {} has {} of {} arrival{}", mbarrier.parity, n_arrived,
                            n_expected, n_expected == 1 ? "" : "s");
  if (mbarrier.n_bytes != 0) {
    text += format(" and {} pending byte{}", mbarrier.n_bytes, mbarrier.n_bytes == 1 ? "" : "s");
  }
  return text;
}

bool is_any_of(Mode mode, Mode one, Mode other) { return mode == one || mode == other; }
bool drops(Mode mode) {
  return mode == Mode::kArriveDrop ||
         is_any_of(mode, Mode::kArriveDropNoComplete, Mode::kArriveDropExpectTx);
}
bool expects_bytes(Mode mode) {
  return mode == Mode::kExpectTx ||
         is_any_of(mode, Mode::kArriveExpectTx, Mode::kArriveDropExpectTx);
}

// One lane's use of an mbarrier.
class MbarrierUse {
 public:
  MbarrierUse(Warp& warp, const Instruction& instruction, int lane)
      : warp_(warp), instruction_(instruction), lane_(lane) {}

  void find(std::uint64_t address, Space space) {
    if (space == Space::kGeneric) {
      if (space_of(warp_, address) != Space::kShared) {
        fail_rule("an mbarrier at a generic address outside of shared memory", "one inside");
      }
      address -= kSharedWindow;
    }
    offset_ = address;
    std::uint64_t addresses[kWarpSize] = {};
    addresses[lane_] = address;
    LaneAccess access;
    access.addresses = addresses;
    access.space = Space::kShared;
    access.lanes = lane_bit(lane_);
    access.n_bytes = kBytes;
    access.writes = true;
    access.is_atomic = instruction_.operation.mode != Mode::kInit;
    std::byte* pointers[kWarpSize];
    resolve(warp_, instruction_, access, pointers);
    data_ = pointers[lane_];
  }

  void initialize(std::uint32_t n_arrivals) {
    check_arrivals(n_arrivals);
    const auto known = words().find(offset_);
    if (known != words().end() && known->second == stored_word()) {
      fail_rule("one is in use already", "mbarrier.inval before another mbarrier.init");
    }
    put(Mbarrier(n_arrivals));
  }

  void invalidate() {
    get();
    words().erase(offset_);
  }

  // Returns the word before.
  std::uint64_t arrive(Mode mode, std::uint32_t operand) {
    Mbarrier mbarrier = get();
    const std::uint64_t before = mbarrier.word();
    const std::uint32_t count = expects_bytes(mode) ? 1 : operand;
    if (expects_bytes(mode)) add_bytes(mbarrier, operand);
    check_arrivals(count);
    if (count > mbarrier.n_pending) {
      fail_rule(format("{} arrivals", count),
                format("no more than the {} that its phase has left", mbarrier.n_pending));
    }
    mbarrier.n_pending -= count;
    if (drops(mode)) mbarrier.n_expected -= std::min(count, mbarrier.n_expected);
    if (is_any_of(mode, Mode::kArriveNoComplete, Mode::kArriveDropNoComplete) &&
        mbarrier.n_pending == 0) {
      fail_rule("the last arrival of its phase", "one that does not complete it");
    }
    mbarrier.end_phase_if_complete();
    put(mbarrier);
    return before;
  }

  void expect(std::uint32_t n_bytes) {
    Mbarrier mbarrier = get();
    add_bytes(mbarrier, n_bytes);
    put(mbarrier);
  }

  void complete(std::uint32_t n_bytes) {
    Mbarrier mbarrier = get();
    add_bytes(mbarrier, -std::int64_t{n_bytes});
    mbarrier.end_phase_if_complete();
    put(mbarrier);
  }

  bool has_ended(std::uint32_t parity) {
    if (parity > 1) fail_rule(format("the parity {}", parity), "0 or 1");
    return get().parity != parity;
  }

  std::uint64_t offset() const { return offset_; }

  Mbarrier get() {
    const auto known = words().find(offset_);
    if (known == words().end()) {
      fail_rule("no mbarrier is initialized there", "mbarrier.init before");
    }
    if (known->second != stored_word()) {
      fail_rule("something else was stored there since mbarrier.init",
                "only instructions of mbarriers until mbarrier.inval");
    }
    return Mbarrier(known->second);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t>& words() {
    return warp_.block->mbarriers->words;
  }

  std::uint64_t stored_word() const {
    std::uint64_t word;
    std::memcpy(&word, data_, sizeof(word));
    return word;
  }

  void put(const Mbarrier& mbarrier) {
    const std::uint64_t word = mbarrier.word();
    words()[offset_] = word;
    std::memcpy(data_, &word, sizeof(word));
  }

  void check_arrivals(std::uint32_t count) const {
    if (count != 0 && count <= kMostArrivals) return;
    fail_rule(format("{} arrivals", count), format("1 to {}", kMostArrivals));
  }

  void add_bytes(Mbarrier& mbarrier, std::int64_t n_bytes) const {
    mbarrier.n_bytes += n_bytes;
    if (std::abs(mbarrier.n_bytes) <= kMostPendingBytes) return;
    fail_rule(format("{} pending bytes", mbarrier.n_bytes),
              format("at most {}", kMostPendingBytes));
  }

  [[noreturn]] void fail_rule(const std::string& found, const std::string& expected) const {
    const std::string& name =
        warp_.block->launch->program->mnemonics.at(index_of(warp_, instruction_));
    const std::string place =
        data_ == nullptr ? "" : format(", offset {} of shared memory", offset_);
    fail(warp_, instruction_, lane_, CUDA_ERROR_LAUNCH_FAILED,
         format("{}{}: found {}; expected {}", name, place, found, expected));
  }

  Warp& warp_;
  const Instruction& instruction_;
  const int lane_;
  std::uint64_t offset_ = 0;
  std::byte* data_ = nullptr;
};

// The operand b: a count of arrivals or bytes, 1 where it is missing.
std::uint32_t count_operand(const Warp& warp, const Instruction& instruction, int lane) {
  return instruction.b == kNoSlot ? 1 : read_lane<std::uint32_t>(warp, instruction.b, lane);
}

MbarrierUse use_by_address(Warp& warp, const Instruction& instruction, int lane) {
  MbarrierUse use(warp, instruction, lane);
  use.find(lane_address(warp, instruction, lane), instruction.operation.space);
  return use;
}

bool has_ended(MbarrierUse& use, const Warp& warp, const Instruction& instruction, int lane) {
  if (instruction.operation.mode == Mode::kTestWaitParity) {
    return use.has_ended(read_lane<std::uint32_t>(warp, instruction.b, lane));
  }
  return use.has_ended(Mbarrier(read_lane<std::uint64_t>(warp, instruction.b, lane)).parity);
}

MbarrierWait& wait_of(const Warp& warp, std::uint64_t offset) {
  std::vector<MbarrierWait>& waits = warp.block->mbarriers->waits;
  const auto known = std::find_if(waits.begin(), waits.end(), [&](const MbarrierWait& wait) {
    return wait.warp == warp.number && wait.offset == offset;
  });
  return known == waits.end() ? waits.emplace_back(MbarrierWait{warp.number, offset}) : *known;
}

// For messages about kernels that do not end.
void note_wait(const Warp& warp, const Instruction& instruction,
               const std::uint64_t (&offsets)[kWarpSize], LaneMask ended) {
  for (LaneMask rest = warp.active; rest != 0;) {
    const std::uint64_t offset = offsets[first_lane(rest)];
    LaneMask same = 0;
    for_each_lane(rest, [&](int lane) { same |= offsets[lane] == offset ? lane_bit(lane) : 0; });
    MbarrierWait& wait = wait_of(warp, offset);
    wait.lanes = (wait.lanes & ~same) | (same & ~ended);
    wait.instruction = &instruction;
    wait.clock = warp.block->clock;
    rest &= ~same;
  }
}

void wait(Warp& warp, const Instruction& instruction) {
  LaneMask ended = 0;
  std::uint64_t offsets[kWarpSize] = {};
  for_each_lane(warp.active, [&](int lane) {
    MbarrierUse use = use_by_address(warp, instruction, lane);
    if (has_ended(use, warp, instruction, lane)) ended |= lane_bit(lane);
    offsets[lane] = use.offset();
  });
  note_wait(warp, instruction, offsets, ended);
  if (instruction.operation.ordering == Ordering::kAcquire) acquire(warp, ended);
  write_predicate(warp, instruction.result, warp.active, ended);
}

void count_pending(Warp& warp, const Instruction& instruction) {
  for_each_lane(warp.active, [&](int lane) {
    const Mbarrier mbarrier(read_lane<std::uint64_t>(warp, instruction.a, lane));
    write_lane(warp, instruction.result, lane, mbarrier.n_pending);
  });
}

void change(Warp& warp, const Instruction& instruction, int lane) {
  MbarrierUse use = use_by_address(warp, instruction, lane);
  const Mode mode = instruction.operation.mode;
  const std::uint32_t operand = count_operand(warp, instruction, lane);
  switch (mode) {
    case Mode::kInit:
      return use.initialize(operand);
    case Mode::kInvalidate:
      return use.invalidate();
    case Mode::kExpectTx:
      return use.expect(operand);
    case Mode::kCompleteTx:
      return use.complete(operand);
    default:
      write_lane(warp, instruction.result, lane, use.arrive(mode, operand));
  }
}

}  // namespace

void run_mbarrier(Warp& warp, const Instruction& instruction) {
  const Mode mode = instruction.operation.mode;
  if (mode == Mode::kPendingCount) return count_pending(warp, instruction);
  if (is_any_of(mode, Mode::kTestWait, Mode::kTestWaitParity)) return wait(warp, instruction);
  if (instruction.operation.ordering == Ordering::kRelease) release(warp, warp.active);
  for_each_lane(warp.active, [&](int lane) { change(warp, instruction, lane); });
}

void arrive_for_copies(Warp& warp, const Instruction& instruction) {
  release(warp, warp.active);
  for_each_lane(warp.active, [&](int lane) {
    MbarrierUse use = use_by_address(warp, instruction, lane);
    // Without .noinc the arrival is added to the pending ones, and is then made.
    if (instruction.operation.mode == Mode::kArriveNoIncrement) {
      use.arrive(Mode::kArrive, 1);
    } else {
      use.get();
    }
  });
}

std::string mbarrier_wait_text(const Warp& warp, LaneMask lanes) {
  const Mbarriers& mbarriers = *warp.block->mbarriers;
  for (const MbarrierWait& wait : mbarriers.waits) {
    const auto known = mbarriers.words.find(wait.offset);
    if (wait.warp != warp.number || (lanes & ~wait.lanes) != 0 || known == mbarriers.words.end() ||
        wait.clock + kRecentSteps < warp.block->clock) {
      continue;
    }
    const Mbarrier mbarrier(known->second);
    const Program& program = *warp.block->launch->program;
    return format("{} at {} on {} for the mbarrier at offset {} of shared memory, whose {}",
                  std::popcount(lanes) == 1 ? "waits" : "wait",
                  program.mnemonics.at(index_of(warp, *wait.instruction)),
                  line_text(program, *wait.instruction), wait.offset, phase_text(mbarrier));
  }
  return "";
}

void complete_bytes(Warp& warp, const Instruction& instruction, int lane, std::uint64_t offset,
                    std::uint32_t n_bytes) {
  release(warp, lane_bit(lane));
  MbarrierUse use(warp, instruction, lane);
  use.find(offset, Space::kShared);
  use.complete(n_bytes);
}

}  // namespace numpy_plugin::sim
