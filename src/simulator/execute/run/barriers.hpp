// Barriers of a block: arrivals and releases.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/execute/checks/race_detector.hpp"
#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

class WarpRun;

// Result of bar.red.
struct BarrierResult {
  std::uint32_t n_true = 0;
  bool is_all = true;
  bool is_any = false;
};

class Barriers {
 public:
  static constexpr std::uint8_t kNumbered = 16;
  static constexpr std::uint8_t kCluster = kNumbered;  // clusters have one block

  // The warps of the block, which are created later.
  explicit Barriers(const std::vector<std::unique_ptr<WarpRun>>& warps) : warps_(warps) {}
  void begin_block();

  // The barrier number of an instruction for these lanes.
  static std::uint8_t number(const Warp& warp, const Instruction& instruction, LaneMask lanes);

  // Records arrival of a warp's lanes. A warp counts, as 32 threads, when all its live lanes have
  // arrived; waiting lanes are released once the count is complete.
  void arrive(WarpRun& warp, const Instruction& instruction, std::uint8_t index, LaneMask lanes);
  // Whether barrier.cluster.wait has a pending arrival.
  bool is_cluster_open(const Warp& warp) const;
  // Removes a warp's exited lanes: nobody waits for them any more.
  void on_exit(const WarpRun& exited);

 private:
  static constexpr std::size_t kWarps = 32;

  // Lanes of a warp that arrived before the others.
  struct Pending {
    LaneMask lanes = 0;
    bool waits = true;
  };
  struct Barrier {
    std::uint32_t n_threads = 0;      // required; 0: all of the block
    std::uint32_t arrived_warps = 0;  // as a mask
    std::uint32_t n_arrivals = 0;     // of warps
    bool is_passed = false;           // bar.arrive, which does not wait
    BarrierResult result;
    std::array<Pending, kWarps> pending;
    std::array<BarrierPart, kWarps> parts;
  };

  static void expect(Barrier& barrier, const Warp& warp, const Instruction& instruction,
                     LaneMask lanes);
  static void gather(Barrier& barrier, const Warp& warp, const Instruction& instruction,
                     LaneMask lanes);
  void count_if_all_are_here(Barrier& barrier, const WarpRun& warp);
  bool is_complete(const Barrier& barrier) const;
  void complete(std::uint8_t index);
  void tell(RaceDetector& races, const Barrier& done) const;
  bool is_whole_block(const Barrier& barrier) const;

  const std::vector<std::unique_ptr<WarpRun>>& warps_;
  std::array<Barrier, kNumbered + 1> barriers_;
  std::uint32_t used_ = 0;  // barriers with arrivals, as a mask
  std::uint32_t ended_warps_ = 0;
  std::uint32_t cluster_phase_now_ = 1;
  std::array<std::uint32_t, kWarps> cluster_phase_ = {};  // by warp: last arrival
};

// Result of bar.red for the lanes of the warp's current frame.
void write_barrier_result(Warp& warp, const Instruction& instruction, LaneMask lanes,
                          const BarrierResult& result);

}  // namespace numpy_plugin::sim
