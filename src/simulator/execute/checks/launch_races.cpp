#include "simulator/execute/checks/launch_races.hpp"

#include <algorithm>

namespace numpy_plugin::sim {
namespace {

// Of records, per launch: 1 GiB.
constexpr std::size_t kMostTakes =
    (std::size_t{1} << 30) / (LaunchRaces::kRecordsTaken * sizeof(RaceRecord));

}  // namespace

LaunchRaces::LaunchRaces(const Launch& launch) {
  const std::uint64_t n_blocks = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  first_block_ = launch.memory->number_blocks(n_blocks);
  if (first_block_ != 0) n_blocks_ = static_cast<std::uint32_t>(n_blocks);
}

LaunchRaces::Releases* LaunchRaces::all_releases() {
  Releases* const known = releases_.load();
  if (known != nullptr) return known;
  const std::lock_guard lock(mutex_);
  if (owned_releases_ == nullptr) {
    owned_releases_ = std::make_unique<Releases[]>(n_blocks_);
    releases_ = owned_releases_.get();
  }
  return owned_releases_.get();
}

void LaunchRaces::release(std::uint32_t block, std::uint32_t time) {
  Releases& releases = all_releases()[block];
  const std::uint64_t count = ++n_releases_;
  const std::uint32_t n = releases.n.load();
  releases.last[n % kReleases] = count << 32 | time;
  releases.n = n + 1;
}

bool LaunchRaces::is_released(std::uint32_t block, std::uint32_t time,
                              std::uint32_t n_releases) const {
  const Releases* const all = releases_.load();
  if (all == nullptr) return false;
  const Releases& releases = all[block];
  // The first release after that time; where it may have been forgotten, it counts.
  std::size_t n_later = 0;
  std::uint32_t first = UINT32_MAX;
  for (const auto& release : releases.last) {
    const std::uint64_t last = release.load();
    if (static_cast<std::uint32_t>(last) <= time) continue;
    ++n_later;
    first = std::min(first, static_cast<std::uint32_t>(last >> 32));
  }
  return n_later == kReleases || first <= n_releases;
}

RaceRecord* LaunchRaces::take_records() {
  const std::lock_guard lock(mutex_);
  if (records_.size() >= kMostTakes) return nullptr;
  return records_.emplace_back(std::make_unique<RaceRecord[]>(kRecordsTaken)).get();
}

}  // namespace numpy_plugin::sim
