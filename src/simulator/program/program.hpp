// Executable form of PTX: instructions with handlers, registers and constants at fixed offsets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/types.hpp"
#include "simulator/program/instruction.hpp"

namespace numpy_plugin::sim {

// A special register in the frame, filled at function entry; time-dependent ones are read by movs
// with their own handlers.
struct FilledRegister {
  SpecialRegister name = {};
  Slot slot = 0;
};

struct ParameterPlace {
  std::string name;
  Type type = Type::kB8;
  bool is_array = false;
  std::uint32_t offset = 0;  // in the entry's parameter buffer, or in a frame's local memory
  std::uint32_t n_bytes = 0;
};

struct FunctionCode {
  std::string name;
  bool is_entry = false;
  bool is_syscall = false;  // vprintf, malloc, free, __assertfail: provided by the engine, by name
  std::uint32_t first = 0;  // instruction
  std::uint32_t last = 0;   // one past
  std::uint32_t register_bytes = 0;   // of a frame, for all 32 lanes
  std::uint32_t parameter_bytes = 0;  // of an entry's buffer
  // Per lane of a frame: .param space of functions (parameters, results and the .param variables of
  // a body; accesses of them become local ones), then .local variables.
  std::uint32_t local_bytes = 0;
  bool allocates_stack = false;             // has an alloca: local memory beyond local_bytes
  std::uint32_t shared_bytes = 0;           // static: everything reachable from this entry
  std::uint32_t reserved_shared_bytes = 0;  // before it
  std::vector<ParameterPlace> parameters;
  std::vector<ParameterPlace> results;
  std::vector<FilledRegister> filled;
  // Bytes per lane of the register at each boundary of the frame; 0: predicates.
  std::vector<std::uint8_t> element_bytes;
  std::vector<Slot> unwritten;    // registers that are read, and written by no instruction
  std::vector<Slot> early;        // of an entry: registers that may be read before they are written
  std::uint32_t max_threads = 0;  // 0: unspecified
  std::array<std::uint32_t, 3> required_threads = {0, 0, 0};
  std::array<std::uint32_t, 3> required_cluster = {0, 0, 0};  // in blocks; 0: unspecified
  std::uint32_t n_registers = 0;  // 32-bit registers per thread, as in the PTX: unallocated
};

// Text that PTX was compiled from, under the file name in its .file.
struct NamedSource {
  std::string label;               // "<source of 'saxpy'>"
  std::string file;                // in messages: "model.py"
  std::uint32_t first_line = 1;    // of the text in that file
  std::vector<std::string> lines;  // without line terminators
};

// A line of a source in messages.
struct SourceLine {
  std::string file;        // empty: none
  std::uint32_t line = 0;  // in that file; 0: none
  std::string text;        // of the line, stripped; empty: unknown
};

// The name of a program's kernels in messages, and the sources of their lines.
struct CodeDescription {
  std::string name;  // instead of the entry's own; empty: that one
  std::vector<NamedSource> sources;
  // Code outside of the sources was generated from this one: named instead of its own lines. No
  // file: those are named.
  SourceLine declaration = {};
};

struct Program {
  std::vector<Instruction> code;
  // As written, of instructions that messages name, by their index.
  std::unordered_map<std::uint32_t, std::string> mnemonics;
  std::vector<Slot> lists;
  std::vector<std::byte> constants_storage;
  const std::byte* constants = nullptr;  // 64-byte aligned, in constants_storage
  std::vector<FunctionCode> functions;
  std::string target;
  std::vector<std::string> files;
  std::vector<SourceLocation> locations;
  CodeDescription description;
};

// Function pointers: the value of `mov` for a function's name.
constexpr std::uint64_t kCodeBase = 0x0000'5000'0000'0000;
constexpr std::uint64_t kCodeStep = 16;

// Shared memory that belongs to the driver, at the beginning of a block's. Cooperative groups use
// part of it. A GPU has it in all blocks of sm_80 and newer, the simulator where a kernel asks for
// it.
constexpr std::uint32_t kReservedSharedBytes = 1024;

// Windows of the generic address space: base addresses for offsets in the spaces.
constexpr std::uint64_t kSharedWindow = 0x0000'6000'0000'0000;
constexpr std::uint64_t kLocalWindow = 0x0000'6100'0000'0000;
constexpr std::uint64_t kParamWindow = 0x0000'6200'0000'0000;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;

// Special registers by their names in PTX.

struct SpecialRegisterRow {
  Type type = Type::kU32;
  SpecialRegister name = {};
  std::optional<std::uint32_t> constant;  // its value if constant; `name` is then unused
};

std::optional<SpecialRegisterRow> find_special_register(std::string_view spelling);

// Whether it changes while a block runs.
bool is_clock(SpecialRegister name);

}  // namespace numpy_plugin::sim
