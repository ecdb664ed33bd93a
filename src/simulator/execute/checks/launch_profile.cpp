// Counts of memory accesses, from their addresses, and sums of source lines.
#include "simulator/execute/checks/launch_profile.hpp"

#include <algorithm>
#include <array>

#include "simulator/execute/checks/lane_address.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint32_t kBanks = 32;
constexpr std::uint32_t kBankBytes = 4;

std::uint64_t global_bytes(const Counters& counters) {
  return counters.global_load_bytes + counters.global_store_bytes;
}

bool is_access(Opcode opcode) {
  return opcode == Opcode::kLd || opcode == Opcode::kSt || opcode == Opcode::kAtom;
}

// The most different words of a bank.
std::uint32_t passes_of_part(const std::uint64_t* offsets, LaneMask lanes, std::uint32_t n_bytes) {
  std::array<std::array<std::uint64_t, 2 * kWarpSize>, kBanks> words;
  std::array<std::uint32_t, kBanks> n_words = {};
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t last = (offsets[lane] + n_bytes - 1) / kBankBytes;
    for (std::uint64_t word = offsets[lane] / kBankBytes; word <= last; ++word) {
      auto& of_bank = words[word % kBanks];
      std::uint32_t& n = n_words[word % kBanks];
      const auto end = of_bank.begin() + n;
      if (std::find(of_bank.begin(), end, word) == end) of_bank[n++] = word;
    }
  });
  return *std::max_element(n_words.begin(), n_words.end());
}

}  // namespace

BankPasses bank_passes(const std::uint64_t* offsets, LaneMask lanes, std::uint32_t n_bytes) {
  const int n_parts = n_bytes <= kBankBytes ? 1 : static_cast<int>(n_bytes / kBankBytes);
  const int lanes_of_part = kWarpSize / n_parts;
  BankPasses found;
  for (int part = 0; part < n_parts; ++part) {
    const LaneMask all = n_parts == 1 ? kAllLanes : lane_bit(lanes_of_part) - 1;
    const LaneMask here = lanes & (all << (part * lanes_of_part));
    if (here == 0) continue;
    found.n_passes += passes_of_part(offsets, here, n_bytes);
    ++found.n_least;
  }
  return found;
}

AccessProfile::AccessProfile(const Warp& warp, const Instruction& instruction)
    : counters_(*warp.block->counters),
      bytes_before_(global_bytes(counters_)),
      sectors_before_(counters_.global_transactions) {
  if (!is_access(instruction.operation.opcode)) return;
  std::uint64_t offsets[kWarpSize];
  LaneMask shared = 0;
  for_each_lane(warp.active, [&](int lane) {
    offsets[lane] = address_of(warp, instruction, lane);
    if (locate(instruction, &offsets[lane]) == Space::kShared) shared |= lane_bit(lane);
  });
  if (shared != 0) passes_ = bank_passes(offsets, shared, access_bytes(instruction.operation));
}

void AccessProfile::add_to(InstructionProfile& profile) const {
  const std::uint64_t n_sectors = counters_.global_transactions - sectors_before_;
  profile.global_requests += n_sectors != 0;
  profile.global_sectors += n_sectors;
  profile.global_bytes += global_bytes(counters_) - bytes_before_;
  profile.shared_requests += passes_.n_passes != 0;
  profile.shared_passes += passes_.n_passes;
  profile.bank_conflicts += passes_.n_passes - passes_.n_least;
}

// Sums of instructions that come from one source line.
void LineProfile::add(const Program& program, const FunctionCode& entry, const Profile& launch) {
  const std::string kernel = kernel_name(program, entry);
  for (std::size_t index = 0; index < launch.size(); ++index) {
    if (launch[index].warp_instructions == 0) continue;
    SourceLine place = source_line(program, program.code[index]);
    Line& line = lines_[{kernel, place.file, place.line}];
    line.kernel = kernel;
    line.place = std::move(place);
    line.counts += launch[index];
  }
}

std::vector<LineProfile::Line> LineProfile::lines() const {
  std::vector<Line> lines;
  for (const auto& [key, line] : lines_) lines.push_back(line);
  return lines;
}

}  // namespace numpy_plugin::sim
