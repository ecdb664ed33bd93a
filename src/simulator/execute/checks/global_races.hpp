// Races between the threads of a launch on global memory: a shadow of the last accesses of each
// byte, kept by lines, and divided where different threads access their parts.
//
// Two accesses of a byte by different threads, one of them a write, are ordered where between them
// - a barrier of their block was released, whoever took part,
// - lanes of their warp met in a bar.warp.sync (lock step alone orders nothing),
// - the earlier thread's block released (fence, release) and then the later one's acquired (atomic,
//   acquire or volatile read), at any address: the intended flag is unknown;
// or where both are atomic. Unordered accesses are a race. Plain writes of one value are none, nor
// is an atomic, volatile or acquire read. Where the record is too short to decide, accesses count
// as ordered: a missed report is better than a false one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "simulator/device/extent.hpp"
#include "simulator/execute/checks/launch_races.hpp"
#include "simulator/execute/checks/race_detector.hpp"

namespace numpy_plugin::sim {

// Adjacent bytes that lanes of a warp access in their order.
struct GlobalAccess {
  std::uint32_t warp = 0;  // its number in the block
  std::uint64_t address = 0;
  std::uint64_t n_bytes = 0;
  std::uint32_t first_lane = 0;
  std::uint32_t lane_shift = kOneLane;  // each lane accesses 1 << lane_shift bytes
  std::uint32_t instruction = 0;        // index in the program
  bool is_write = false;                // also true for atomic operations
  bool is_atomic = false;               // a write: also true for volatile, relaxed and release
  RaceRecord* line = nullptr;           // of the address; the next ones are behind it
  std::byte* memory = nullptr;          // at the address
  const std::byte* data = nullptr;      // plain writes: the new values

  static constexpr std::uint32_t kOneLane = 5;  // no lane accesses more
};

struct GlobalRace {
  struct Side : Race::Side {
    std::uint32_t block = 0;  // in the grid
  };
  std::uint64_t address = 0;  // of the first byte accessed by both
  Side earlier;
  Side later;
};

// Of one block at a time; reused for successive blocks.
class BlockRaces {
 public:
  explicit BlockRaces(LaunchRaces& launch) : launch_(launch) {}

  // Events of the engine.
  void begin_block(std::uint64_t number);
  void on_barrier() { last_barrier_ = tick(); }
  void on_warp_sync(std::uint32_t warp) { warp_syncs_[warp] = tick(); }

  // Events of memory handlers, called in the order of time.
  void on_release();
  void on_acquire();
  // Also stores the new values of a plain write, so that another host thread may compare its own.
  std::optional<GlobalRace> on_access(const GlobalAccess& access);

 private:
  static constexpr std::uint32_t kWarps = 32;

  // Block, time, whether atomic, warp, first lane, shift: see the constants in the source. 0: none.
  using Mark = std::uint64_t;
  struct Step {
    const GlobalAccess& access;
    Mark mark;
    std::uint64_t end;
  };
  // The bytes of a record, all of them accessed.
  struct Part {
    const GlobalAccess& access;
    Mark mark;
    std::uint64_t begin;
    std::uint64_t n_bytes;
  };

  std::uint32_t tick();
  bool is_live(Mark mark) const;
  bool is_harmless(Mark earlier, Mark mark) const;
  bool is_ordered(Mark earlier, std::uint32_t warp) const;
  std::optional<std::uint64_t> find_conflict(Mark earlier, bool is_write, const Part& part) const;
  bool report(Mark earlier, std::uint16_t site, bool is_write, const Part& part);
  bool has_race(const RaceRecord& record, const Part& part);
  void note_read(RaceRecord& record, Mark mark, std::uint16_t site) const;
  void note_atomic(RaceRecord& record, const Part& part, std::uint16_t site) const;
  void note(RaceRecord& record, const Part& part) const;
  template <std::size_t kLevel>
  bool touch(RaceRecord& record, std::uint64_t unit, const Step& step);
  template <std::size_t kLevel>
  bool touch_parts(RaceRecord& record, std::uint64_t unit, const Step& step);
  bool split(RaceRecord& record, std::uint64_t part_bytes, std::size_t n_parts);
  RaceRecord* take_records(std::size_t n_records);

  LaunchRaces& launch_;
  Mark block_ = 0;                  // the mark of its number
  std::uint32_t time_ = 0;          // counts the synchronization after accesses
  bool has_accessed_ = false;       // since the last count
  std::uint32_t last_barrier_ = 0;  // what has a time before is ordered; likewise:
  std::uint32_t last_release_ = 0;
  std::uint32_t last_acquire_ = 0;
  std::uint32_t n_acquired_ = 0;  // of the launch's releases
  std::array<std::uint32_t, kWarps> warp_syncs_ = {};
  RaceRecord* free_records_ = nullptr;
  std::size_t n_free_ = 0;
  std::optional<GlobalRace> race_;
};

}  // namespace numpy_plugin::sim
