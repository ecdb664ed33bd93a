// The barriers of a block: who has come, and who goes on when all have.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/execute/checks/race_detector.hpp"
#include "simulator/execute/state/warp.hpp"

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
  static constexpr std::uint8_t kCluster = kNumbered;  // a cluster is one block

  // The warps of the block, which are made later.
  explicit Barriers(const std::vector<std::unique_ptr<WarpRun>>& warps) : warps_(warps) {}
  void begin_block();

  // The barrier that an instruction names for these lanes.
  static std::uint8_t number(const Warp& warp, const Instruction& instruction, LaneMask lanes);

  // Lanes of a warp come to a barrier. A warp counts, as 32 threads, when all its living lanes have
  // come; waiting lanes are released when enough have.
  void arrive(WarpRun& warp, const Instruction& instruction, std::uint8_t index, LaneMask lanes);
  // Whether barrier.cluster.wait has something to wait for.
  bool is_cluster_open(const Warp& warp) const;
  // Lanes of a warp have exited: nobody waits for them any more.
  void on_exit(const WarpRun& exited);

 private:
  static constexpr std::size_t kWarps = 32;

  // Lanes of a warp that came before the others.
  struct Pending {
    LaneMask lanes = 0;
    bool waits = true;
  };
  struct Barrier {
    std::uint32_t n_threads = 0;      // that it waits for; 0: all of the block
    std::uint32_t arrived_warps = 0;  // as a mask
    std::uint32_t n_arrivals = 0;     // of warps
    bool is_passed = false;           // by bar.arrive, which does not wait
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
  std::uint32_t used_ = 0;  // barriers that someone came to, as a mask
  std::uint32_t ended_warps_ = 0;
  std::uint32_t cluster_phase_now_ = 1;
  std::array<std::uint32_t, kWarps> cluster_phase_ = {};  // by warp: when it arrived last
};

// Result of bar.red for the lanes of the warp's current frame.
void write_barrier_result(Warp& warp, const Instruction& instruction, LaneMask lanes,
                          const BarrierResult& result);

}  // namespace numpy_plugin::sim
