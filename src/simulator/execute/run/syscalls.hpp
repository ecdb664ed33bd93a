// Functions that CUDA's driver provides to kernels: printf, malloc, free, assert.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "simulator/execute/state/block.hpp"

namespace numpy_plugin::sim {

// Reads values and text from the kernel's memory for one thread, for engine functions.

// Reads memory at generic addresses, with the checks of a load by the instruction.
class ThreadReader {
 public:
  ThreadReader(Warp& warp, const Instruction& instruction, int lane)
      : warp_(warp), instruction_(instruction), lane_(lane) {}

  template <class T>
  T read(std::uint64_t address) {
    T value;
    std::memcpy(&value, place(address, sizeof(T)), sizeof(T));
    return value;
  }
  std::string read_text(std::uint64_t address);  // up to a null byte

 private:
  const std::byte* place(std::uint64_t address, std::uint32_t n_bytes);

  Warp& warp_;
  const Instruction& instruction_;
  int lane_;
};

// Output of printf for a format and its arguments, which start at `arguments`, each at a multiple
// of its size; and the number of arguments used.
struct Printed {
  std::string text;
  int n_arguments = 0;
};
Printed print_format(ThreadReader& reader, std::uint64_t format, std::uint64_t arguments);

// The warp is in the caller's frame, which contains parameters and results.
void carry_out_syscall(Warp& warp, const Instruction& call, const FunctionCode& function,
                       LaneMask lanes);

}  // namespace numpy_plugin::sim
