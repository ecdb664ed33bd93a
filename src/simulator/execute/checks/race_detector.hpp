// Races between the threads of a block on shared memory: a shadow of the last accesses of each
// byte, and a record of the synchronization between threads since.
//
// Two accesses of a byte by different threads, one of them a write, are ordered where between them
// - a barrier was released in which both threads took part,
// - a bar.warp.sync named both lanes (lock step alone orders nothing),
// - the earlier thread released (fence, release, atomic) and then the later one acquired (atomic,
//   acquire or volatile read), at any address: the intended flag is unknown;
// or where both are atomic. Unordered accesses are a race. Where the record is too short to decide,
// accesses count as ordered: a missed report is better than a false one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// One access of a warp to shared memory.
struct SharedAccess {
  std::uint32_t warp = 0;  // its number in the block
  LaneMask lanes = 0;
  const std::uint32_t* offsets = nullptr;  // of 32 lanes, in the block's shared memory
  std::uint32_t n_bytes = 0;               // per lane
  std::uint32_t instruction = 0;           // index in the program
  bool is_write = false;
  bool is_atomic = false;  // also true for volatile, relaxed, acquire and release
  // Plain writes: the values of the lanes, `data_stride` bytes apart. Lanes that write the same
  // value to one address in one instruction do not race.
  const std::byte* data = nullptr;
  std::uint32_t data_stride = 0;
};

struct Race {
  struct Side {
    std::uint32_t thread = 0;  // in the block
    std::uint32_t instruction = 0;
    bool is_write = false;
    bool is_atomic = false;
  };
  std::uint32_t offset = 0;  // of the first byte accessed by both
  Side earlier;
  Side later;
  bool is_same_time = false;  // lanes of one warp in one instruction
};

// A warp's part in a barrier that does not include all threads of the block.
struct BarrierPart {
  std::uint32_t warp = 0;
  std::uint32_t arrival = 0;  // now() + 1 when it arrived
  bool waits = true;          // false: bar.arrive, continued before the release
};

// One per host thread that runs blocks; reused for successive blocks.
class RaceDetector {
 public:
  explicit RaceDetector(std::uint32_t shared_bytes);

  // Events of the engine.
  void begin_block();       // earlier blocks no longer matter
  void on_block_barrier();  // released: all (live) threads of the block arrived
  void on_barrier(const std::vector<BarrierPart>& parts);  // released: these warps took part
  void on_warp_sync(std::uint32_t warp, LaneMask mask);    // bar.warp.sync, all of `mask` here
  std::uint32_t now() const { return now_; }

  // Events of memory handlers, called in the order of time.
  void on_release(std::uint32_t warp, LaneMask lanes);
  void on_acquire(std::uint32_t warp, LaneMask lanes);
  std::optional<Race> on_access(const SharedAccess& access);

 private:
  static constexpr std::uint32_t kWarps = 32;
  static constexpr std::uint32_t kReleases = 16;

  // Time, instruction, whether atomic, thread: see the constants in the source. 0: none.
  using Mark = std::uint64_t;

  // Last accesses of a location. `other_lane` and `other_warp` are readers before `reader`, the
  // first of its warp, the second of another.
  struct Record {
    Mark writer = 0;
    Mark reader = 0;
    Mark other_lane = 0;
    Mark other_warp = 0;
  };
  struct Release {
    std::uint32_t time = 0;
    std::uint32_t last_sync = 0;  // also covers earlier accesses of the warp's other lanes
    LaneMask lanes = 0;
  };
  struct WarpState {
    std::uint32_t last_sync = 0;  // of all 32 lanes
    std::uint32_t any_sync = 0;   // of some
    std::uint32_t n_releases = 0;
    std::uint32_t last_dropped = 0;                      // release evicted from the ring
    std::array<Release, kReleases> releases = {};        // most recent ones, as a ring
    std::array<std::uint32_t, kWarpSize> acquired = {};  // by lane: time of the last
    std::array<std::uint32_t, kWarps> seen = {};         // by warp: barriers that order it
    // Per pair of lanes: the time up to which the second's accesses are ordered before the first.
    // Allocated lazily, for syncs of some lanes.
    std::unique_ptr<std::array<std::uint32_t, kWarpSize * kWarpSize>> pairs;
  };
  // One lane of an access.
  struct Step {
    const SharedAccess& access;
    std::uint32_t lane;
    Mark mark;
  };

  std::uint32_t tick();
  void add_release(std::uint32_t warp, const Release& release);
  bool is_ordered(Mark earlier, std::uint32_t warp, std::uint32_t lane) const;
  bool is_released(Mark earlier, std::uint32_t acquired) const;
  bool is_conflict(Mark earlier, bool earlier_wrote, const Step& step, std::uint32_t offset,
                   std::uint32_t n_bytes) const;
  std::optional<Race> find_conflict(const Record& record, const Step& step, std::uint32_t offset,
                                    std::uint32_t n_bytes) const;
  std::optional<Race> touch(Record& record, const Step& step, std::uint32_t offset,
                            std::uint32_t n_bytes);
  std::optional<Race> touch_word(const Step& step, std::uint32_t offset);
  std::optional<Race> touch_byte(const Step& step, std::uint32_t offset);
  std::optional<Race> touch_lane(const Step& step, std::uint32_t offset, std::uint32_t end);
  void note(Record& record, const Step& step) const;
  void split(std::uint32_t word);
  bool is_harmless(Mark earlier, const Step& step) const;
  bool is_harmless(const Record& record, const Step& step) const;

  std::uint32_t now_ = 1;
  Mark horizon_ = 0;  // marks from before the block's last barrier do not exceed it
  std::vector<WarpState> warps_;
  std::vector<Record> words_;  // of 4 bytes each
  std::vector<Record> bytes_;  // of words accessed in parts; empty until needed
};

}  // namespace numpy_plugin::sim
