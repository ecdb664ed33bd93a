// Memory for frames, and the stack depth of calls.
#include "simulator/execute/state/frames.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

namespace numpy_plugin::sim {
namespace {

constexpr std::size_t kRegisterAlignment = 64;
constexpr std::uint64_t kLocalAlignment = 16;
constexpr std::uint64_t kFlatRateBytes = 256;
// Not a power of two, so that the same offset in all lanes' local memories does not map to one set
// of the host's caches.
constexpr std::uint64_t kStaggerBytes = 4096 + 64;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Depth-first traversal of a program's calls.
class StackDepth {
 public:
  explicit StackDepth(const Program& program)
      : program_(program), states_(program.functions.size()), depths_(program.functions.size()) {}

  // nullopt where the depth is not statically bounded.
  std::optional<std::uint64_t> of(std::size_t index) {
    if (states_[index] == State::kInside) return std::nullopt;
    if (states_[index] == State::kKnown) return depths_[index];
    states_[index] = State::kInside;
    const FunctionCode& function = program_.functions[index];
    if (function.allocates_stack) return std::nullopt;
    std::uint64_t deepest = 0;
    for (std::uint32_t pc = function.first; pc < function.last; ++pc) {
      const Instruction& instruction = program_.code[pc];
      if (instruction.flow == Flow::kCallIndirect) return std::nullopt;
      if (instruction.flow != Flow::kCall) continue;
      const auto called = of(instruction.target);
      if (!called) return std::nullopt;
      deepest = std::max(deepest, *called);
    }
    states_[index] = State::kKnown;
    depths_[index] = stack_bytes(function) + deepest;
    return depths_[index];
  }

 private:
  enum class State : std::uint8_t { kUnknown, kInside, kKnown };

  const Program& program_;
  std::vector<State> states_;
  std::vector<std::uint64_t> depths_;
};

}  // namespace

void FramePool::Freer::operator()(std::byte* registers) const { std::free(registers); }

FramePool::FramePool(const Program& program) : program_(program), free_(program.functions.size()) {}

FramePool::Registers FramePool::make_registers(const FunctionCode& function) {
  const std::size_t n_bytes =
      round_up(std::max<std::size_t>(function.register_bytes, 1), kRegisterAlignment);
  Registers registers(static_cast<std::byte*>(std::aligned_alloc(kRegisterAlignment, n_bytes)));
  if (registers == nullptr) throw std::bad_alloc();
  std::memset(registers.get(), static_cast<int>(kPoison), n_bytes);
  return registers;
}

Frame* FramePool::take(const FunctionCode& function) {
  auto& free = free_[static_cast<std::size_t>(&function - program_.functions.data())];
  if (free.empty()) {
    registers_.push_back(make_registers(function));
    frames_.push_back({.function = &function, .registers = registers_.back().get()});
    return &frames_.back();
  }
  Frame* frame = free.back();
  free.pop_back();
  if (function.allocates_stack) frame->allocated_bytes.fill(0);
  return frame;
}

void FramePool::give_back(Frame* frame) {
  free_[static_cast<std::size_t>(frame->function - program_.functions.data())].push_back(frame);
}

std::uint64_t stack_bytes(const FunctionCode& function) {
  return round_up(function.local_bytes, kLocalAlignment) + kFlatRateBytes;
}

std::uint64_t local_bytes_needed(const Program& program, const FunctionCode& entry,
                                 std::uint64_t limit_bytes) {
  const auto depth =
      StackDepth(program).of(static_cast<std::size_t>(&entry - program.functions.data()));
  const std::uint64_t limit = round_up(limit_bytes, kLocalAlignment) + kStaggerBytes;
  return depth ? std::min(*depth, limit) : limit;
}

}  // namespace numpy_plugin::sim
