// Messages for faults: kernel, block, thread and line.
#include "simulator/execute/checks/fault.hpp"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "simulator/execute/state/operands.hpp"

namespace numpy_plugin::sim {
namespace {

std::string triple_text(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return name.starts_with("_Z") && status == 0 ? demangled.get() : name;
}

}  // namespace

std::string thread_text(const Launch& launch, std::uint32_t thread) {
  const std::uint32_t x = thread % launch.block[0];
  const std::uint32_t y = thread / launch.block[0] % launch.block[1];
  return triple_text(x, y, thread / launch.block[0] / launch.block[1]);
}

std::string threads_text(const Warp& warp, LaneMask lanes) {
  std::string text = std::popcount(lanes) == 1 ? "thread " : "threads ";
  const Launch& launch = *warp.block->launch;
  const std::uint32_t first_thread = warp.number * kWarpSize;
  bool is_first = true;
  while (lanes != 0) {
    const int begin = first_lane(lanes);
    const int n_lanes = std::countr_one(lanes >> begin);
    if (!is_first) text += ", ";
    is_first = false;
    text += thread_text(launch, first_thread + static_cast<std::uint32_t>(begin));
    const int last = begin + n_lanes - 1;
    if (n_lanes > 1) {
      text += " to " + thread_text(launch, first_thread + static_cast<std::uint32_t>(last));
    }
    lanes = last == kWarpSize - 1 ? 0 : lanes & (kAllLanes << (last + 1));
  }
  return text;
}

std::string block_text(const Block& block) {
  return "kernel '" + readable_name(block.launch->entry->name) + "', block " +
         triple_text(block.index[0], block.index[1], block.index[2]);
}

std::string hex_text(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void fail(const Warp& warp, const Instruction& instruction, int lane, CUresult code,
          const std::string& text) {
  const std::uint32_t thread = warp.number * kWarpSize + static_cast<std::uint32_t>(lane);
  throw KernelFault(code, block_text(*warp.block) + ", thread " +
                              thread_text(*warp.block->launch, thread) + ", line " +
                              std::to_string(instruction.line) + " of the PTX: " + text);
}

}  // namespace numpy_plugin::sim
