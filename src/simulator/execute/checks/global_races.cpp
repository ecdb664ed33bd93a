// Races on global memory. Blocks run on several host threads: the records of a line are changed
// under its lock, so that of two accesses the second sees the first.
#include "simulator/execute/checks/global_races.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace numpy_plugin::sim {
namespace {

// A mark, from the lowest bits: shift, first lane, warp, whether atomic, time, block. Of some bytes
// the byte at `offset` was accessed by lane (first lane + (offset >> shift)).
constexpr int kLaneAt = 3;
constexpr int kWarpAt = kLaneAt + 5;
constexpr int kAtomicAt = kWarpAt + 5;
constexpr int kTimeAt = kAtomicAt + 1;
constexpr int kBlockAt = 32;
constexpr std::uint64_t kAtomic = std::uint64_t{1} << kAtomicAt;
constexpr std::uint32_t kEndOfTime = (1u << (kBlockAt - kTimeAt)) - 1;
constexpr std::uint64_t kSameWarp = ~std::uint64_t{0} << kBlockAt | std::uint64_t{31} << kWarpAt;
constexpr std::uint64_t kSameThread = kSameWarp | ((std::uint64_t{1} << kWarpAt) - 1);

// The bytes that a record is for, and those of its parts.
constexpr std::uint64_t kUnitBytes[] = {kRaceLineBytes, 32, 4, 1};
constexpr std::size_t kLastLevel = std::size(kUnitBytes) - 1;

constexpr std::uint16_t kUnknownSite = UINT16_MAX;

std::uint32_t mark_block(std::uint64_t mark) {
  return static_cast<std::uint32_t>(mark >> kBlockAt);
}
std::uint32_t mark_time(std::uint64_t mark) { return static_cast<std::uint32_t>(mark) >> kTimeAt; }
std::uint32_t mark_warp(std::uint64_t mark) {
  return static_cast<std::uint32_t>(mark >> kWarpAt & 31);
}
std::uint32_t mark_lane(std::uint64_t mark, std::uint64_t offset) {
  return static_cast<std::uint32_t>((mark >> kLaneAt & 31) + (offset >> (mark & 7))) & 31;
}
bool is_same_warp(std::uint64_t one, std::uint64_t other) {
  return ((one ^ other) & kSameWarp) == 0;
}

// A mark for a part of its bytes.
std::uint64_t mark_of_part(std::uint64_t mark, std::uint64_t offset, std::uint64_t n_bytes) {
  const std::uint64_t shift =
      std::uint64_t{1} << (mark & 7) >= n_bytes ? GlobalAccess::kOneLane : mark & 7;
  return (mark >> kWarpAt << kWarpAt) | std::uint64_t{mark_lane(mark, offset)} << kLaneAt | shift;
}

std::uint16_t site_of(std::uint32_t instruction) {
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(instruction, kUnknownSite));
}

// All but the lock.
void put_record(RaceRecord& record, const RaceRecord& from) {
  record.writer = from.writer;
  record.reader = from.reader;
  record.other = from.other;
  record.writer_site = from.writer_site;
  record.reader_site = from.reader_site;
  record.other_site = from.other_site;
  record.is_split = from.is_split;
}

class LineLock {
 public:
  explicit LineLock(RaceRecord& line) : line_(line) {
    while (__atomic_exchange_n(&line_.is_locked, 1, __ATOMIC_ACQUIRE) != 0)
      std::this_thread::yield();
  }
  ~LineLock() { __atomic_store_n(&line_.is_locked, 0, __ATOMIC_RELEASE); }
  LineLock(const LineLock&) = delete;
  LineLock& operator=(const LineLock&) = delete;

 private:
  RaceRecord& line_;
};

}  // namespace

// Where time has ended, the block's accesses are no longer recorded: see on_access.
std::uint32_t BlockRaces::tick() {
  if (has_accessed_) ++time_;
  has_accessed_ = false;
  return time_;
}

void BlockRaces::begin_block(std::uint64_t number) {
  block_ = (launch_.first_block() + number) << kBlockAt;
  time_ = last_barrier_ = last_release_ = last_acquire_ = n_acquired_ = 0;
  has_accessed_ = false;
  warp_syncs_ = {};
}

void BlockRaces::on_release() {
  const std::uint32_t time = tick();
  if (time == last_release_ || launch_.first_block() == 0) return;
  last_release_ = time;
  launch_.release(mark_block(block_) - launch_.first_block(), time);
}

void BlockRaces::on_acquire() {
  last_acquire_ = tick();
  n_acquired_ = launch_.n_releases();
}

inline bool BlockRaces::is_live(Mark mark) const {
  return mark - (Mark{launch_.first_block()} << kBlockAt) < Mark{launch_.n_blocks()} << kBlockAt;
}

// Fast path: of another launch, or the same thread, or both are atomic.
inline bool BlockRaces::is_harmless(Mark earlier, Mark mark) const {
  return !is_live(earlier) || ((earlier ^ mark) & kSameThread) == 0 ||
         (earlier & mark & kAtomic) != 0;
}

bool BlockRaces::is_ordered(Mark earlier, std::uint32_t warp) const {
  const std::uint32_t time = mark_time(earlier);
  if (mark_block(earlier) != mark_block(block_)) {
    return launch_.is_released(mark_block(earlier) - launch_.first_block(), time, n_acquired_);
  }
  return time < last_barrier_ || (mark_warp(earlier) == warp && time < warp_syncs_[warp]) ||
         (time < last_release_ && time < last_acquire_);
}

// The first byte that both accessed in conflict.
std::optional<std::uint64_t> BlockRaces::find_conflict(Mark earlier, bool is_write,
                                                       const Part& part) const {
  const GlobalAccess& access = part.access;
  if (is_harmless(earlier, part.mark) || is_ordered(earlier, access.warp)) return std::nullopt;
  const bool may_be_equal =
      is_write && access.data != nullptr && ((earlier | part.mark) & kAtomic) == 0;
  for (std::uint64_t byte = 0; byte < part.n_bytes; ++byte) {
    const bool is_same_lane = mark_lane(earlier, byte) == mark_lane(part.mark, byte);
    if (is_same_lane && is_same_warp(earlier, part.mark)) continue;
    const std::uint64_t offset = part.begin + byte - access.address;
    if (may_be_equal && access.memory[offset] == access.data[offset]) continue;
    return byte;
  }
  return std::nullopt;
}

bool BlockRaces::report(Mark earlier, std::uint16_t site, bool is_write, const Part& part) {
  const auto byte = find_conflict(earlier, is_write, part);
  if (!byte) return false;
  const auto side = [&](Mark mark, std::uint32_t instruction, bool has_written) {
    GlobalRace::Side found;
    found.thread = mark_warp(mark) * kWarpSize + mark_lane(mark, *byte);
    found.instruction = instruction;
    found.is_write = has_written;
    found.is_atomic = (mark & kAtomic) != 0;
    found.block = mark_block(mark) - launch_.first_block();
    return found;
  };
  race_ = {.address = part.begin + *byte,
           .earlier = side(earlier, site == kUnknownSite ? UINT32_MAX : site, is_write),
           .later = side(part.mark, part.access.instruction, part.access.is_write)};
  return true;
}

bool BlockRaces::has_race(const RaceRecord& record, const Part& part) {
  const bool is_write = part.access.is_write;
  const bool is_other_written = (record.other & kAtomic) != 0;
  return report(record.writer, record.writer_site, true, part) ||
         ((is_write || is_other_written) &&
          report(record.other, record.other_site, is_other_written, part)) ||
         (is_write && report(record.reader, record.reader_site, false, part));
}

// Of the readers the last is kept, and one other thread, of another warp where there is one: a
// later write is in conflict with one of them.
inline void BlockRaces::note_read(RaceRecord& record, Mark mark, std::uint16_t site) const {
  const bool is_other = is_live(record.reader) && ((record.reader ^ mark) & kSameThread) != 0;
  if (is_other && (!is_live(record.other) || !is_same_warp(record.reader, mark) ||
                   is_same_warp(record.other, mark) || is_ordered(record.other, mark_warp(mark)))) {
    record.other = record.reader;
    record.other_site = record.reader_site;
  }
  record.reader = mark;
  record.reader_site = site;
}

// An atomic write does not replace a plain one that it does not follow: others may race with that.
// Of atomic ones two threads are kept; any reader races with one of them, so `other` is free.
void BlockRaces::note_atomic(RaceRecord& record, const Part& part, std::uint16_t site) const {
  const bool is_plain = is_live(record.writer) && (record.writer & kAtomic) == 0;
  if (is_plain && !is_ordered(record.writer, part.access.warp)) return;
  const bool is_of_other_thread = ((record.writer ^ part.mark) & kSameThread) != 0;
  if (!is_plain && is_live(record.writer) && is_of_other_thread) {
    record.other = record.writer;
    record.other_site = record.writer_site;
  }
  record.writer = part.mark;
  record.writer_site = site;
}

inline void BlockRaces::note(RaceRecord& record, const Part& part) const {
  const std::uint16_t site = site_of(part.access.instruction);
  if (!part.access.is_write) return note_read(record, part.mark, site);
  if (part.access.is_atomic) return note_atomic(record, part, site);
  put_record(record, {.writer = part.mark, .writer_site = site});
}

RaceRecord* BlockRaces::take_records(std::size_t n_records) {
  if (n_free_ < n_records) {
    free_records_ = launch_.take_records();
    if (free_records_ == nullptr) return nullptr;
    n_free_ = LaunchRaces::kRecordsTaken;
  }
  n_free_ -= n_records;
  return free_records_ + n_free_;
}

// False where there is no memory for more records.
bool BlockRaces::split(RaceRecord& record, std::uint64_t part_bytes, std::size_t n_parts) {
  RaceRecord* const parts = take_records(n_parts);
  if (parts == nullptr) return false;
  for (std::size_t part = 0; part < n_parts; ++part) {
    const auto narrowed = [&](Mark mark) {
      return is_live(mark) ? mark_of_part(mark, part * part_bytes, part_bytes) : 0;
    };
    RaceRecord& to = parts[part];
    put_record(to, record);
    to.writer = narrowed(record.writer);
    to.reader = narrowed(record.reader);
    to.other = narrowed(record.other);
  }
  put_record(record, {.writer = reinterpret_cast<std::uint64_t>(parts),
                      .reader = launch_.first_block(),
                      .is_split = 1});
  return true;
}

template <std::size_t kLevel>
bool BlockRaces::touch_parts(RaceRecord& record, std::uint64_t unit, const Step& step) {
  constexpr std::uint64_t kPartBytes = kUnitBytes[kLevel + 1];
  constexpr std::size_t kParts = kUnitBytes[kLevel] / kPartBytes;
  if (record.is_split == 0 && !split(record, kPartBytes, kParts)) return true;
  auto* const parts = reinterpret_cast<RaceRecord*>(record.writer);
  const std::uint64_t begin = std::max(unit, step.access.address) - unit;
  const std::uint64_t end = std::min(unit + kUnitBytes[kLevel], step.end) - unit;
  for (std::uint64_t part = begin / kPartBytes; part * kPartBytes < end; ++part) {
    if (!touch<kLevel + 1>(parts[part], unit + part * kPartBytes, step)) return false;
  }
  return true;
}

// False: a race.
template <std::size_t kLevel>
bool BlockRaces::touch(RaceRecord& record, std::uint64_t unit, const Step& step) {
  constexpr std::uint64_t kBytes = kUnitBytes[kLevel];
  const GlobalAccess& access = step.access;
  const bool is_whole = access.address <= unit && unit + kBytes <= step.end;
  if constexpr (kLevel < kLastLevel) {
    if (record.is_split != 0 && record.reader != launch_.first_block()) put_record(record, {});
    if (record.is_split != 0 || !is_whole) {
      if (!touch_parts<kLevel>(record, unit, step)) return false;
      const bool replaces_all = is_whole && access.is_write && !access.is_atomic;
      if (!replaces_all) return true;
      put_record(record, {});
    }
  }
  const Part part = {access, mark_of_part(step.mark, unit - access.address, kBytes), unit, kBytes};
  const bool is_harmless_to_readers = !access.is_write || (is_harmless(record.reader, part.mark) &&
                                                           is_harmless(record.other, part.mark));
  const bool is_harmless_to_writers =
      is_harmless(record.writer, part.mark) &&
      ((record.other & kAtomic) == 0 || is_harmless(record.other, part.mark));
  if (!is_harmless_to_readers || !is_harmless_to_writers) [[unlikely]] {
    if (has_race(record, part)) return false;
  }
  note(record, part);
  return true;
}

std::optional<GlobalRace> BlockRaces::on_access(const GlobalAccess& access) {
  const bool is_aligned = (access.address & ((std::uint64_t{1} << access.lane_shift) - 1)) == 0;
  if (launch_.first_block() == 0 || time_ == kEndOfTime) return std::nullopt;
  if (!is_aligned && access.lane_shift != GlobalAccess::kOneLane) return std::nullopt;
  has_accessed_ = true;
  const Step step = {access,
                     block_ | Mark{time_} << kTimeAt | Mark{access.is_atomic} << kAtomicAt |
                         Mark{access.warp} << kWarpAt | Mark{access.first_lane} << kLaneAt |
                         access.lane_shift,
                     access.address + access.n_bytes};
  RaceRecord* record = access.line;
  for (std::uint64_t line = access.address / kRaceLineBytes * kRaceLineBytes; line < step.end;
       line += kRaceLineBytes, ++record) {
    const LineLock lock(*record);
    if (!touch<0>(*record, line, step)) [[unlikely]]
      return race_;
    if (access.data == nullptr) continue;
    const std::uint64_t begin = std::max(line, access.address) - access.address;
    const std::uint64_t end = std::min(line + kRaceLineBytes, step.end) - access.address;
    std::memcpy(access.memory + begin, access.data + begin, end - begin);
  }
  return std::nullopt;
}

}  // namespace numpy_plugin::sim
