// Messages for faults: kernel, block, thread and line.
#include "simulator/execute/checks/fault.hpp"

#include <algorithm>
#include <cstdio>

#include "numpy_plugin/base/text.hpp"
#include "simulator/execute/state/operands.hpp"
#include "simulator/program/spelling.hpp"

namespace numpy_plugin::sim {
namespace {

std::string triple_text(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return format("({},{},{})", x, y, z);
}

// Of a number in three dimensions, of which the first varies fastest.
std::string grid_triple(std::uint32_t number, const std::array<std::uint32_t, 3>& extents) {
  return triple_text(number % extents[0], number / extents[0] % extents[1],
                     number / extents[0] / extents[1]);
}

// NVRTC puts the current directory before names of #line: "/home/me/<source of 'f'>".
bool is_named(std::string_view file, std::string_view label) {
  return file.ends_with(label) &&
         (file.size() == label.size() || file[file.size() - label.size() - 1] == '/');
}

const NamedSource* find_source(const Program& program, const SourceLocation& location) {
  if (location.file >= program.files.size()) return nullptr;
  const auto& sources = program.description.sources;
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const NamedSource& source) {
    return is_named(program.files[location.file], source.label);
  });
  return found == sources.end() ? nullptr : &*found;
}

struct SourcePlace {
  const SourceLocation* location = nullptr;  // null: unknown
  const NamedSource* source = nullptr;       // null: not described
};

// The innermost place in a described source: headers are inlined into it.
SourcePlace source_place(const Program& program, const Instruction& instruction) {
  if (instruction.location == kNoLocation) return {};
  for (std::uint32_t at = instruction.location; at != kNoLocation;) {
    const SourceLocation& location = program.locations[at];
    if (const NamedSource* source = find_source(program, location)) return {&location, source};
    at = location.inlined_at;
  }
  const SourceLocation& innermost = program.locations[instruction.location];
  if (innermost.file >= program.files.size()) return {};
  return {&innermost, nullptr};
}

// Code of no line that the user wrote.
bool is_generated(const Program& program, const Instruction& instruction) {
  return !program.description.declaration.file.empty() &&
         source_place(program, instruction).source == nullptr;
}

// Where functions were not inlined: the innermost call in a described source, else the instruction.
const Instruction& shown_instruction(const Warp& warp, const Instruction& instruction) {
  const Program& program = *warp.block->launch->program;
  if (source_place(program, instruction).source != nullptr) return instruction;
  for (const Frame* frame = warp.frame; frame != nullptr && frame->caller != nullptr;
       frame = frame->caller) {
    const Instruction& call = program.code[frame->return_to - 1];
    if (source_place(program, call).source != nullptr) return call;
  }
  return instruction;
}

// Likewise, or that of the declaration which the code was generated from.
SourceLine shown_line(const Program& program, const Instruction& instruction) {
  if (is_generated(program, instruction)) return program.description.declaration;
  return source_line(program, instruction);
}

// The source line below a message: "\n    out[i] = x[i]"; empty where it is unknown.
std::string quoted_line(const Program& program, const Instruction& instruction) {
  const std::string line(numpy_plugin::base::strip(shown_line(program, instruction).text));
  return line.empty() ? "" : "\n    " + line;
}

}  // namespace

std::string thread_text(const Launch& launch, std::uint32_t thread) {
  return grid_triple(thread, launch.block);
}

std::string grid_place_text(const Launch& launch, std::uint32_t block) {
  return grid_triple(block, launch.grid);
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

SourceLine source_line(const Program& program, const Instruction& instruction) {
  const auto [location, source] = source_place(program, instruction);
  if (location == nullptr) return {"", static_cast<std::uint32_t>(instruction.line), ""};
  if (source == nullptr) return {program.files[location->file], location->line, ""};
  const bool is_known = location->line >= 1 && location->line <= source->lines.size();
  return {source->file, location->line + source->first_line - 1,
          is_known ? source->lines[location->line - 1] : ""};
}

std::string line_text(const Program& program, const Instruction& instruction) {
  const SourceLine shown = shown_line(program, instruction);
  const std::string line = std::to_string(shown.line);
  if (shown.file.empty()) return format("line {} of the PTX", line);
  const std::string place = shown.line == 0 ? shown.file : format("{}:{}", shown.file, line);
  return is_generated(program, instruction) ? place + " (generated code)" : place;
}

std::string kernel_name(const Program& program, const FunctionCode& entry) {
  const std::string& name = program.description.name;
  return name.empty() ? readable_name(entry.name) : name;
}

std::string block_text(const Block& block) {
  return format("kernel '{}', block {}", kernel_name(*block.launch->program, *block.launch->entry),
                triple_text(block.index[0], block.index[1], block.index[2]));
}

std::string hex_text(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void fail(const Warp& warp, const Instruction& instruction, int lane, CUresult code,
          const std::string& text) {
  const std::uint32_t thread = warp.number * kWarpSize + static_cast<std::uint32_t>(lane);
  const Program& program = *warp.block->launch->program;
  const Instruction& shown = shown_instruction(warp, instruction);
  throw KernelFault(code, format("{}, thread {}, {}: {}{}", block_text(*warp.block),
                                 thread_text(*warp.block->launch, thread),
                                 line_text(program, shown), text, quoted_line(program, shown)));
}

}  // namespace numpy_plugin::sim
