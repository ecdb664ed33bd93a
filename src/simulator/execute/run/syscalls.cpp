// Engine functions, thread by thread.
#include "simulator/execute/run/syscalls.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "numpy_plugin/base/error.hpp"
#include "simulator/device/memory.hpp"
#include "simulator/execute/checks/fault.hpp"
#include "simulator/execute/checks/poison_flow.hpp"
#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kHeapAlignment = 256;  // of allocated memory

// A call by one thread: locations of the result and then the parameters in its local memory.
struct ThreadCall {
  Warp& warp;
  const Instruction& call;
  int lane;

  std::byte* place(std::size_t index) const {
    const Slot* places = warp.block->launch->program->lists.data() + call.list;
    return local_memory(warp, *warp.frame, lane) + places[index];
  }
  template <class T>
  T read(std::size_t index) const {
    T value;
    std::memcpy(&value, place(index), sizeof(T));
    return value;
  }
  template <class T>
  void give(T value) const {
    std::memcpy(place(0), &value, sizeof(T));
  }
  ThreadReader reader() const { return {warp, call, lane}; }
};

void print(const ThreadCall& call) {
  ThreadReader reader = call.reader();
  const Printed printed =
      print_format(reader, call.read<std::uint64_t>(1), call.read<std::uint64_t>(2));
  *call.warp.block->printed += printed.text;
  call.give(printed.n_arguments);
}

std::uint64_t allocate(const ThreadCall& call, std::uint64_t n_bytes) {
  if (n_bytes == 0) return 0;
  const std::string origin = format("malloc of {}, {}", block_text(*call.warp.block),
                                    line_text(*call.warp.block->launch->program, call.call));
  return call.warp.block->launch->memory->allocate(n_bytes, origin).value_or(0);
}

void allocate(const ThreadCall& call) { call.give(allocate(call, call.read<std::uint64_t>(1))); }

void allocate_aligned(const ThreadCall& call) {
  const auto alignment = call.read<std::uint64_t>(2);
  const bool is_possible = alignment <= kHeapAlignment;
  call.give(is_possible ? allocate(call, call.read<std::uint64_t>(1)) : std::uint64_t{0});
}

void give_back(const ThreadCall& call) {
  const auto address = call.read<std::uint64_t>(0);
  if (address == 0) return;
  if (!call.warp.block->launch->memory->free(address)) {
    fail(call.warp, call.call, call.lane, CUDA_ERROR_ILLEGAL_ADDRESS,
         format("free of {}, where no living allocation begins", hex_text(address)));
  }
  // Instructions may have cached this allocation.
  std::fill(call.warp.block->extents->begin(), call.warp.block->extents->end(), Extent());
}

void fail_assertion(const ThreadCall& call) {
  ThreadReader reader = call.reader();
  const std::string expression = reader.read_text(call.read<std::uint64_t>(0));
  const std::string file = reader.read_text(call.read<std::uint64_t>(1));
  const auto line = call.read<std::uint32_t>(2);
  const std::string function = reader.read_text(call.read<std::uint64_t>(3));
  fail(call.warp, call.call, call.lane, CUDA_ERROR_ASSERT,
       format("assertion '{}' failed at {}:{} in {}", expression, file, line, function));
}

struct Syscall {
  std::string_view name;
  void (*carry_out)(const ThreadCall& call);
};

constexpr std::array<Syscall, 5> kSyscalls = {{
    {"vprintf", print},
    {"malloc", allocate},
    {"free", give_back},
    {"__cuda_syscall_aligned_malloc", allocate_aligned},
    {"__assertfail", fail_assertion},
}};

// The engine must not act on poison.
void check_parameters(const Warp& warp, const Instruction& call, const FunctionCode& function,
                      int lane) {
  const std::string use = "is passed to " + function.name;
  const Slot* places =
      warp.block->launch->program->lists.data() + call.list + function.results.size();
  for (const ParameterPlace& parameter : function.parameters) {
    const std::uint64_t offset = warp.frame->local_offset + static_cast<std::uint64_t>(*places++);
    warp.poison->check_local(warp, call, lane, offset, parameter.n_bytes, use);
  }
}

}  // namespace

void carry_out_syscall(Warp& warp, const Instruction& call, const FunctionCode& function,
                       LaneMask lanes) {
  const auto found = std::find_if(kSyscalls.begin(), kSyscalls.end(), [&](const Syscall& syscall) {
    return syscall.name == function.name;
  });
  NPP_ASSERT(found != kSyscalls.end(), function.name);
  for_each_lane(lanes, [&](int lane) {
    if (warp.poison != nullptr) check_parameters(warp, call, function, lane);
    found->carry_out({warp, call, lane});
  });
}

}  // namespace numpy_plugin::sim
