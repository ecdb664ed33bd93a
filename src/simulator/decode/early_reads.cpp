// A register is written before it is read if its first write precedes all reads in the text, and no
// jump over that write leads to one of them.
#include "simulator/decode/function_decoder.hpp"

#include <algorithm>
#include <queue>

#include "simulator/program/operand_slots.hpp"

namespace numpy_plugin::sim {
namespace {

struct Jump {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// In the order of their instructions.
std::vector<Jump> jumps_of(const Program& program, const FunctionCode& function) {
  std::vector<Jump> jumps;
  for (std::uint32_t at = function.first; at < function.last; ++at) {
    const Instruction& instruction = program.code[at];
    if (instruction.flow == Flow::kBranch) jumps.push_back({at, instruction.target});
    if (instruction.flow != Flow::kBranchIndexed) continue;
    for (std::uint32_t index = 0; index < instruction.target; ++index) {
      jumps.push_back({at, static_cast<std::uint32_t>(program.lists[instruction.list + index])});
    }
  }
  return jumps;
}

// For each instruction, the first one in the text that a thread may execute after it.
class Reached {
 public:
  Reached(const FunctionCode& function, const std::vector<Jump>& jumps)
      : first_(function.first), lowest_(function.last - function.first) {
    auto jump = jumps.rbegin();
    std::uint32_t lowest = function.last;
    for (std::uint32_t at = function.last; at-- > function.first;) {
      for (; jump != jumps.rend() && jump->from >= at; ++jump) lowest = std::min(lowest, jump->to);
      lowest_[at - first_] = std::min(lowest, at);
    }
  }

  std::uint32_t from(std::uint32_t at) const {
    while (lowest_[at - first_] < at) at = lowest_[at - first_];
    return at;
  }

 private:
  std::uint32_t first_;
  std::vector<std::uint32_t> lowest_;  // by jumps back from there or later ones
};

// For each instruction, the first one that jumps over it lead to; `last` where there is no such
// jump.
std::vector<std::uint32_t> reached_by_jumps_over(const FunctionCode& function,
                                                 const std::vector<Jump>& jumps) {
  const Reached reached(function, jumps);
  const auto is_later = [](const Jump& one, const Jump& other) { return one.to > other.to; };
  std::priority_queue<Jump, std::vector<Jump>, decltype(is_later)> open(is_later);
  std::vector<std::uint32_t> found;
  auto jump = jumps.begin();
  for (std::uint32_t at = function.first; at < function.last; ++at) {
    for (; jump != jumps.end() && jump->from < at; ++jump) open.push(*jump);
    while (!open.empty() && open.top().to <= at) open.pop();
    found.push_back(open.empty() ? function.last : reached.from(open.top().to));
  }
  return found;
}

// Instructions that read and write a register.
struct Uses {
  std::uint32_t first_write = UINT32_MAX;  // by all threads that come there
  std::uint32_t first_read = UINT32_MAX;
  std::uint32_t last_read = 0;
};

constexpr std::size_t index_of(Slot slot) {
  return static_cast<std::size_t>(slot) / sizeof(LaneMask);
}

// By index_of() the registers.
std::vector<Uses> uses_of(const Program& program, const FunctionCode& function) {
  std::vector<Uses> uses(index_of(static_cast<Slot>(function.register_bytes)));
  for (std::uint32_t at = function.first; at < function.last; ++at) {
    const Instruction& instruction = program.code[at];
    const auto read = [&](Slot slot) {
      Uses& its = uses[index_of(slot)];
      its.first_read = std::min(its.first_read, at);
      its.last_read = at;
    };
    for_each_source(program, instruction, read);
    if (instruction.guard != kNoSlot) {
      if (instruction.guard >= 0) read(instruction.guard);
      continue;
    }
    for_each_result(program, instruction, [&](Slot slot) {
      std::uint32_t& first = uses[index_of(slot)].first_write;
      first = std::min(first, at);
    });
  }
  for (const FilledRegister& filled : function.filled) uses[index_of(filled.slot)] = {};
  return uses;
}

}  // namespace

std::vector<Slot> find_early_reads(const Program& program, const FunctionCode& function) {
  const auto reached = reached_by_jumps_over(function, jumps_of(program, function));
  const std::vector<Uses> uses = uses_of(program, function);
  std::vector<Slot> early;
  for (std::size_t index = 0; index < uses.size(); ++index) {
    const Uses& its = uses[index];
    if (its.first_read == UINT32_MAX) continue;
    const bool is_written_first = its.first_write < its.first_read &&
                                  its.last_read < reached[its.first_write - function.first];
    if (!is_written_first) early.push_back(static_cast<Slot>(index * sizeof(LaneMask)));
  }
  return early;
}

}  // namespace numpy_plugin::sim
