// A launch: blocks are distributed in order to the host's cores.
//
// A host thread normally runs a block to its end. Where that takes long the block may be waiting
// for a later one, so the thread starts further blocks and alternates; the oldest gets half of the
// time, so that one which never ends is detected soon. Blocks of a cooperative launch wait for all
// others: all are started.
#include "simulator/execute/run/run_launch.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/system/threads/thread_pool.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/run/block_run.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kResidentBlocks = 32;          // per host thread
constexpr std::uint64_t kStepsAfterFault = 1 << 18;  // for blocks before the failed one
constexpr std::size_t kPrintedBytesKept = 1 << 20;
constexpr std::uint64_t kNoBlock = UINT64_MAX;

// Output of kernels, in the order of the blocks unless it is very long.
class Printout {
 public:
  void add(std::uint64_t block, std::string text) {
    if (text.empty()) return;
    const std::lock_guard lock(mutex_);
    n_bytes_ += text.size();
    texts_[block] += text;
    if (n_bytes_ > kPrintedBytesKept) write();
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    if (!texts_.empty()) write();
  }

 private:
  void write() {
    for (const auto& [block, text] : texts_) std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    texts_.clear();
    n_bytes_ = 0;
  }

  std::mutex mutex_;
  std::map<std::uint64_t, std::string> texts_;
  std::size_t n_bytes_ = 0;
};

// State shared by the host threads of a launch.
class LaunchRun {
 public:
  LaunchRun(const Launch& launch, const std::atomic<bool>& is_cancelled)
      : launch_(launch),
        is_cancelled_(is_cancelled),
        n_blocks_(std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]) {
    if (launch.checks.races) races_.emplace(launch);
  }

  const Launch& launch() const { return launch_; }
  std::uint64_t n_blocks() const { return n_blocks_; }
  LaunchRaces* races() { return races_ ? &*races_ : nullptr; }
  bool is_cooperative() const { return launch_.grid_workspace != 0; }
  Printout& printout() { return printout_; }
  std::uint64_t failed_block() const { return failed_block_; }
  void require_not_cancelled() const {
    if (!is_cancelled_) return;
    throw KernelFault(
        CUDA_ERROR_LAUNCH_FAILED,
        format("kernel '{}' was interrupted", kernel_name(*launch_.program, *launch_.entry)));
  }

  std::optional<std::uint64_t> take_block() {
    if (failed_block_ != kNoBlock) return std::nullopt;
    const std::uint64_t block = next_block_++;
    return block < n_blocks_ ? std::optional(block) : std::nullopt;
  }

  void keep(std::uint64_t block, const KernelFault& fault) {
    const std::lock_guard lock(mutex_);
    if (block >= failed_block_) return;
    failed_block_ = block;
    fault_ = fault;
  }
  // Exceptions other than kernel faults end everything.
  void stop() { failed_block_ = 0; }

  void add(const WorkerState& state) {
    const std::lock_guard lock(mutex_);
    counters_ += state.counters;
    for (std::size_t i = 0; i < state.profile.size(); ++i)
      (*launch_.profile)[i] += state.profile[i];
  }

  Counters finish() {
    printout_.finish();
    if (fault_) throw KernelFault(*fault_);
    return counters_;
  }

 private:
  const Launch& launch_;
  const std::atomic<bool>& is_cancelled_;
  const std::uint64_t n_blocks_;
  std::optional<LaunchRaces> races_;
  std::atomic<std::uint64_t> next_block_ = 0;
  std::atomic<std::uint64_t> failed_block_ = kNoBlock;  // the lowest number
  Printout printout_;
  std::mutex mutex_;
  std::optional<KernelFault> fault_;
  Counters counters_;
};

// Share of a host thread.
class Worker {
 public:
  explicit Worker(LaunchRun& run) : run_(run) {
    const std::size_t n_instructions = run.launch().program->code.size();
    state_.extents.resize(n_instructions);
    state_.races = run.races();
    if (run.launch().profile != nullptr) state_.profile.resize(n_instructions);
  }

  void work() {
    std::size_t turn = 0;
    while (!resident_.empty() || begin_block()) {
      run_.require_not_cancelled();
      if (!run_block(0)) continue;
      if (run_.is_cooperative() || resident_.size() < kResidentBlocks) begin_block();
      if (resident_.size() > 1) run_block(1 + turn++ % (resident_.size() - 1));
    }
    state_.counters.lane_instructions =
        std::accumulate(state_.counters.lanes_by_class.begin(),
                        state_.counters.lanes_by_class.end(), std::uint64_t{0});
    run_.add(state_);
  }

 private:
  struct Resident {
    std::unique_ptr<BlockRun> block;
    std::uint64_t last_step = kNoBlock;  // after a fault
  };

  bool begin_block() {
    const auto number = run_.take_block();
    if (!number) return false;
    if (idle_.empty()) idle_.push_back(std::make_unique<BlockRun>(run_.launch(), state_));
    resident_.push_back({.block = std::move(idle_.back())});
    idle_.pop_back();
    resident_.back().block->begin(*number);
    return true;
  }

  // False: the block has ended.
  bool run_block(std::size_t index) {
    if (is_given_up(resident_[index]) || has_ended(*resident_[index].block)) {
      remove(index);
      return false;
    }
    return true;
  }

  bool has_ended(BlockRun& block) {
    try {
      return block.run_slice();
    } catch (const KernelFault& fault) {
      run_.keep(block.number(), fault);
      return true;
    }
  }

  // Blocks before a failed one get some time to fail too, so that the first failure is reported.
  bool is_given_up(Resident& resident) const {
    const std::uint64_t failed = run_.failed_block();
    if (failed == kNoBlock) return false;
    const std::uint64_t n_steps = resident.block->n_steps();
    if (resident.last_step == kNoBlock) resident.last_step = n_steps + kStepsAfterFault;
    return resident.block->number() >= failed || n_steps >= resident.last_step;
  }

  void remove(std::size_t index) {
    BlockRun& block = *resident_[index].block;
    block.end();
    run_.printout().add(block.number(), block.take_printed());
    idle_.push_back(std::move(resident_[index].block));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  LaunchRun& run_;
  WorkerState state_;
  std::vector<Resident> resident_;  // oldest first
  std::vector<std::unique_ptr<BlockRun>> idle_;
};

// Sets the host's floating-point environment to PTX's while kernels run: round to nearest, nothing
// flushed to zero, whatever the calling thread's modes.
class PlainArithmetic {
 public:
  PlainArithmetic() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() { std::fesetenv(&before_); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  n_launches += other.n_launches;
  n_blocks += other.n_blocks;
  n_warps += other.n_warps;
  warp_instructions += other.warp_instructions;
  lane_instructions += other.lane_instructions;
  for (std::size_t i = 0; i < lanes_by_class.size(); ++i) {
    lanes_by_class[i] += other.lanes_by_class[i];
  }
  divergent_branches += other.divergent_branches;
  global_load_bytes += other.global_load_bytes;
  global_store_bytes += other.global_store_bytes;
  global_transactions += other.global_transactions;
  return *this;
}

Counters run_launch(const Launch& launch) {
  const std::atomic<bool> is_cancelled = false;
  return run_launch(launch, is_cancelled);
}

Counters run_launch(const Launch& launch, const std::atomic<bool>& is_cancelled) {
  NPP_ASSERT(launch.program != nullptr && launch.memory != nullptr, "launch");
  NPP_ASSERT(launch.entry != nullptr && launch.entry->is_entry, "launch");
  NPP_ASSERT(launch.parameters.size() == launch.entry->parameter_bytes, launch.entry->name);
  for (int axis = 0; axis < 3; ++axis) {
    NPP_ASSERT(launch.grid[axis] > 0 && launch.block[axis] > 0, launch.entry->name);
  }
  NPP_ASSERT(std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] <= 1024,
             launch.entry->name);
  if (launch.profile != nullptr) launch.profile->resize(launch.program->code.size());
  LaunchRun run(launch, is_cancelled);
  const auto n_workers = std::min<std::uint64_t>(system::n_threads(), run.n_blocks());
  system::run_parallel(n_workers, [&](std::size_t) {
    const PlainArithmetic plain;
    try {
      Worker(run).work();
    } catch (...) {
      run.stop();
      throw;
    }
  });
  Counters counters = run.finish();
  counters.n_launches = 1;
  return counters;
}

}  // namespace numpy_plugin::sim
