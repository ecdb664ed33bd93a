// State of a launch for the detection of races on global memory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simulator/device/extent.hpp"
#include "simulator/execute/state/launch.hpp"

namespace numpy_plugin::sim {

// Thread-safe. A block's time is counted by itself, see BlockRaces; the launch counts releases.
class LaunchRaces {
 public:
  explicit LaunchRaces(const Launch& launch);

  std::uint32_t first_block() const { return first_block_; }  // its number in marks; 0: unchecked
  std::uint32_t n_blocks() const { return n_blocks_; }

  // Makes what the block did before `time` visible to those that acquire from now on.
  void release(std::uint32_t block, std::uint32_t time);
  // The releases so far.
  std::uint32_t n_releases() const { return n_releases_.load(); }
  // Whether what the block did at a time was released before so many releases.
  bool is_released(std::uint32_t block, std::uint32_t time, std::uint32_t n_releases) const;

  // Records until the end of the launch; nullptr where it has taken too many.
  RaceRecord* take_records();
  static constexpr std::size_t kRecordsTaken = 2048;

 private:
  // A block's latest releases, as a ring: the launch's count of them, the block's time.
  static constexpr std::size_t kReleases = 4;
  struct Releases {
    std::atomic<std::uint32_t> n = 0;
    std::array<std::atomic<std::uint64_t>, kReleases> last = {};
  };
  Releases* all_releases();

  std::uint32_t first_block_ = 0;
  std::uint32_t n_blocks_ = 0;
  std::atomic<std::uint32_t> n_releases_ = 0;
  std::atomic<Releases*> releases_ = nullptr;  // by block; none before the first
  std::mutex mutex_;
  std::unique_ptr<Releases[]> owned_releases_;
  std::vector<std::unique_ptr<RaceRecord[]>> records_;
};

}  // namespace numpy_plugin::sim
