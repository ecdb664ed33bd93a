// A running block: its warps take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simulator/execute/checks/global_races.hpp"
#include "simulator/execute/checks/mbarriers.hpp"
#include "simulator/execute/checks/race_detector.hpp"
#include "simulator/execute/run/barriers.hpp"
#include "simulator/execute/run/warp_run.hpp"
#include "simulator/execute/state/poison.hpp"

namespace numpy_plugin::sim {

// Host memory, aligned for every access of a kernel; pages are committed on first touch.
class HostBytes {
 public:
  explicit HostBytes(std::uint64_t n_bytes);
  ~HostBytes();
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;

  std::byte* data() const { return data_; }
  std::uint64_t size() const { return n_bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t n_bytes_;
};

// State shared by the blocks of one host thread.
struct WorkerState {
  Counters counters;
  Profile profile;  // empty: not kept
  std::vector<Extent> extents;
  LaunchRaces* races = nullptr;  // on global memory; nullptr: unchecked
};

// Reused for successive blocks.
class BlockRun {
 public:
  BlockRun(const Launch& launch, WorkerState& worker);

  void begin(std::uint64_t number);
  // True when all threads have exited. Throws KernelFault.
  bool run_slice();
  void end();  // also for an aborted block

  std::uint64_t number() const { return number_; }  // in the grid
  std::uint64_t n_steps() const { return block_.clock; }
  std::string take_printed() { return std::move(printed_); }

 private:
  using LanesByClass = decltype(Counters::lanes_by_class);

  bool run_round();
  void clear_reserved();
  bool may_wait_for_other_blocks(const LanesByClass& before) const;
  [[noreturn]] void fail_for_all(const std::string& what) const;

  WorkerState& worker_;
  std::uint64_t number_ = 0;
  HostBytes shared_;
  HostBytes shared_written_;
  HostBytes local_;
  std::unique_ptr<RaceDetector> races_;
  std::unique_ptr<BlockRaces> global_races_;
  Mbarriers mbarriers_;
  BlockPoison poison_;
  std::string printed_;
  Block block_;
  std::vector<std::unique_ptr<WarpRun>> warps_;
  Barriers barriers_;
};

}  // namespace numpy_plugin::sim
