// Races between threads of a block on shared memory. One host thread runs a block, so events are
// totally ordered in time, and every check is a comparison of times. Time never restarts, so that
// shadow entries of earlier blocks are merely old.

#include "simulator/execute/checks/race_detector.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace numpy_plugin::sim {
namespace {

// A mark, from the lowest bits: thread, whether atomic, instruction, time.
constexpr int kThreadBits = 10;
constexpr int kInstructionBits = 21;
constexpr int kAtomicShift = kThreadBits;
constexpr int kInstructionShift = kAtomicShift + 1;
constexpr int kTimeShift = 32;
static_assert(kInstructionShift + kInstructionBits == kTimeShift);
constexpr std::uint64_t kAtomicBit = std::uint64_t{1} << kAtomicShift;
constexpr std::uint64_t kThreadMask = (std::uint64_t{1} << kThreadBits) - 1;
constexpr std::uint64_t kInstructionMask = (std::uint64_t{1} << kInstructionBits) - 1;

constexpr std::uint32_t kLastTime = 0xfffffffe;
constexpr std::uint64_t kSplit = ~std::uint64_t{0};  // writer of a word: see its bytes
constexpr std::uint32_t kWordBytes = 4;

std::uint32_t time_of(std::uint64_t mark) { return static_cast<std::uint32_t>(mark >> kTimeShift); }
std::uint32_t thread_of(std::uint64_t mark) {
  return static_cast<std::uint32_t>(mark & kThreadMask);
}
std::uint32_t warp_of(std::uint64_t mark) { return thread_of(mark) / kWarpSize; }
std::uint32_t lane_of(std::uint64_t mark) { return thread_of(mark) % kWarpSize; }
bool is_atomic(std::uint64_t mark) { return (mark & kAtomicBit) != 0; }

Race::Side side_of(std::uint64_t mark, bool is_write) {
  return {.thread = thread_of(mark),
          .instruction = static_cast<std::uint32_t>(mark >> kInstructionShift & kInstructionMask),
          .is_write = is_write,
          .is_atomic = is_atomic(mark)};
}

template <class Visit>
void visit_lanes(LaneMask lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

void raise_to(std::uint32_t& time, std::uint32_t least) { time = std::max(time, least); }

}  // namespace

RaceDetector::RaceDetector(std::uint32_t shared_bytes)
    : warps_(kWarps), words_((shared_bytes + kWordBytes - 1) / kWordBytes) {}

// Time overflows once in 4 thousand million events: the shadow is cleared.
std::uint32_t RaceDetector::tick() {
  if (now_ == kLastTime) {
    now_ = 1;
    horizon_ = 0;
    warps_ = std::vector<WarpState>(kWarps);
    std::fill(words_.begin(), words_.end(), Record{});
    bytes_.clear();
  }
  return ++now_;
}

void RaceDetector::on_block_barrier() { horizon_ = (Mark{tick()} << kTimeShift) | 0xffffffff; }

void RaceDetector::begin_block() { on_block_barrier(); }

void RaceDetector::on_barrier(const std::vector<BarrierPart>& parts) {
  const std::uint32_t now = tick();
  std::array<std::uint32_t, kWarps> seen = {};
  std::uint32_t acquired = 0;
  for (const BarrierPart& part : parts) {
    const WarpState& state = warps_[part.warp];
    for (std::uint32_t warp = 0; warp < kWarps; ++warp) raise_to(seen[warp], state.seen[warp]);
    raise_to(seen[part.warp], part.waits ? now : part.arrival);
    raise_to(acquired, *std::max_element(state.acquired.begin(), state.acquired.end()));
  }
  for (const BarrierPart& part : parts) {
    const std::uint32_t time = part.waits ? now : part.arrival;
    // A later acquire from one of them covers the earlier accesses of all.
    add_release(part.warp, {.time = now, .last_sync = time, .lanes = 0});
    if (!part.waits) continue;
    WarpState& state = warps_[part.warp];
    state.seen = seen;
    state.any_sync = now;
    for (std::uint32_t& lane : state.acquired) raise_to(lane, acquired);
  }
}

void RaceDetector::on_warp_sync(std::uint32_t warp, LaneMask mask) {
  const std::uint32_t now = tick();
  WarpState& state = warps_[warp];
  state.any_sync = now;
  std::uint32_t acquired = 0;
  visit_lanes(mask, [&](std::uint32_t lane) { raise_to(acquired, state.acquired[lane]); });
  visit_lanes(mask, [&](std::uint32_t lane) { state.acquired[lane] = acquired; });
  if (mask == kAllLanes) {
    state.last_sync = now;
    return;
  }
  if (!state.pairs) {
    state.pairs = std::make_unique<std::array<std::uint32_t, kWarpSize * kWarpSize>>();
  }
  std::array<std::uint32_t, kWarpSize> joint = {};
  visit_lanes(mask, [&](std::uint32_t lane) {
    const std::uint32_t* row = state.pairs->data() + lane * kWarpSize;
    for (int other = 0; other < kWarpSize; ++other) raise_to(joint[other], row[other]);
  });
  visit_lanes(mask, [&](std::uint32_t lane) { joint[lane] = now; });
  visit_lanes(mask, [&](std::uint32_t lane) {
    std::copy(joint.begin(), joint.end(), state.pairs->begin() + lane * kWarpSize);
  });
}

void RaceDetector::add_release(std::uint32_t warp, const Release& release) {
  WarpState& state = warps_[warp];
  Release& place = state.releases[state.n_releases++ % kReleases];
  state.last_dropped = std::max(state.last_dropped, place.time);
  place = release;
}

void RaceDetector::on_release(std::uint32_t warp, LaneMask lanes) {
  const std::uint32_t now = tick();
  add_release(warp, {.time = now, .last_sync = warps_[warp].any_sync, .lanes = lanes});
}

void RaceDetector::on_acquire(std::uint32_t warp, LaneMask lanes) {
  const std::uint32_t now = tick();
  visit_lanes(lanes, [&](std::uint32_t lane) { warps_[warp].acquired[lane] = now; });
}

bool RaceDetector::is_released(Mark earlier, std::uint32_t acquired) const {
  const std::uint32_t time = time_of(earlier);
  if (acquired <= time) return false;
  const WarpState& state = warps_[warp_of(earlier)];
  if (time < state.last_dropped) return true;
  const LaneMask lane = LaneMask{1} << lane_of(earlier);
  return std::any_of(state.releases.begin(), state.releases.end(), [&](const Release& release) {
    const bool covers =
        (time < release.time && (release.lanes & lane) != 0) || time < release.last_sync;
    return covers && release.time <= acquired;
  });
}

bool RaceDetector::is_ordered(Mark earlier, std::uint32_t warp, std::uint32_t lane) const {
  const std::uint32_t time = time_of(earlier);
  const WarpState& state = warps_[warp];
  if (time < state.seen[warp_of(earlier)]) return true;
  if (warp_of(earlier) == warp) {
    if (time < state.last_sync) return true;
    if (state.pairs && time < (*state.pairs)[lane * kWarpSize + lane_of(earlier)]) return true;
  }
  return is_released(earlier, state.acquired[lane]);
}

bool RaceDetector::is_conflict(Mark earlier, bool earlier_wrote, const Step& step,
                               std::uint32_t offset, std::uint32_t n_bytes) const {
  const SharedAccess& access = step.access;
  if (is_harmless(earlier, step)) return false;
  if (time_of(earlier) == time_of(step.mark) && earlier_wrote) {
    const auto value = [&](std::uint32_t lane) {
      return access.data + lane * access.data_stride + (offset - access.offsets[lane]);
    };
    return std::memcmp(value(lane_of(earlier)), value(step.lane), n_bytes) != 0;
  }
  return !is_ordered(earlier, access.warp, step.lane);
}

std::optional<Race> RaceDetector::find_conflict(const Record& record, const Step& step,
                                                std::uint32_t offset, std::uint32_t n_bytes) const {
  const auto report = [&](Mark earlier, bool earlier_wrote) {
    return Race{.offset = offset,
                .earlier = side_of(earlier, earlier_wrote),
                .later = side_of(step.mark, step.access.is_write),
                .is_same_time = time_of(earlier) == time_of(step.mark)};
  };
  if (is_conflict(record.writer, true, step, offset, n_bytes)) return report(record.writer, true);
  if (!step.access.is_write) return std::nullopt;
  for (const Mark reader : {record.reader, record.other_lane, record.other_warp}) {
    if (is_conflict(reader, false, step, offset, n_bytes)) return report(reader, false);
  }
  return std::nullopt;
}

// Records the step. An atomic one does not replace a plain write that it does not follow for all
// threads: others may race with that write.
inline void RaceDetector::note(Record& record, const Step& step) const {
  if (step.access.is_write) {
    if (!step.access.is_atomic) {
      record = {.writer = step.mark};
    } else if (is_atomic(record.writer) || record.writer <= horizon_) {
      record.writer = step.mark;
    }
    return;
  }
  if (thread_of(record.reader) != thread_of(step.mark)) {
    (warp_of(record.reader) == step.access.warp ? record.other_lane : record.other_warp) =
        record.reader;
  }
  record.reader = step.mark;
}

// Fast path: the earlier access precedes the block's last barrier, or is by the same thread, or
// both are atomic.
inline bool RaceDetector::is_harmless(Mark earlier, const Step& step) const {
  return earlier <= horizon_ || ((earlier ^ step.mark) & kThreadMask) == 0 ||
         (earlier & step.mark & kAtomicBit) != 0;
}

inline bool RaceDetector::is_harmless(const Record& record, const Step& step) const {
  if (!is_harmless(record.writer, step)) return false;
  return !step.access.is_write ||
         (is_harmless(record.reader, step) && is_harmless(record.other_lane, step) &&
          is_harmless(record.other_warp, step));
}

std::optional<Race> RaceDetector::touch(Record& record, const Step& step, std::uint32_t offset,
                                        std::uint32_t n_bytes) {
  if (!is_harmless(record, step)) {
    if (auto race = find_conflict(record, step, offset, n_bytes)) return race;
  }
  note(record, step);
  return std::nullopt;
}

void RaceDetector::split(std::uint32_t word) {
  if (bytes_.empty()) bytes_.resize(words_.size() * kWordBytes);
  std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(word) * kWordBytes, kWordBytes,
              words_[word]);
  words_[word] = {.writer = kSplit};
}

std::optional<Race> RaceDetector::touch_byte(const Step& step, std::uint32_t offset) {
  const std::uint32_t word = offset / kWordBytes;
  if (words_[word].writer != kSplit) split(word);
  return touch(bytes_[offset], step, offset, 1);
}

std::optional<Race> RaceDetector::touch_word(const Step& step, std::uint32_t offset) {
  Record& word = words_[offset / kWordBytes];
  if (word.writer != kSplit) return touch(word, step, offset, kWordBytes);
  for (std::uint32_t byte = 0; byte < kWordBytes; ++byte) {
    if (auto race = touch_byte(step, offset + byte)) return race;
  }
  if (step.access.is_write && !step.access.is_atomic) word = {.writer = step.mark};
  return std::nullopt;
}

std::optional<Race> RaceDetector::touch_lane(const Step& step, std::uint32_t offset,
                                             std::uint32_t end) {
  while (offset < end) {
    const bool is_word = offset % kWordBytes == 0 && end - offset >= kWordBytes;
    auto race = is_word ? touch_word(step, offset) : touch_byte(step, offset);
    if (race) [[unlikely]]
      return race;
    offset += is_word ? kWordBytes : 1;
  }
  return std::nullopt;
}

std::optional<Race> RaceDetector::on_access(const SharedAccess& access) {
  const Mark mark = (Mark{tick()} << kTimeShift) |
                    ((access.instruction & kInstructionMask) << kInstructionShift) |
                    (Mark{access.is_atomic} << kAtomicShift) | access.warp * kWarpSize;
  for (LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t offset = access.offsets[lane];
    const Step step = {access, lane, mark | lane};
    Record& word = words_[offset / kWordBytes];
    if (access.n_bytes == kWordBytes && offset % kWordBytes == 0 && word.writer != kSplit &&
        is_harmless(word, step)) {
      note(word, step);
    } else if (auto race = touch_lane(step, offset, offset + access.n_bytes)) {
      return race;
    }
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::sim
