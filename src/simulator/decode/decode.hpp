// Decodes modules of PTX to a program: places variables, resolves names across modules, and assigns
// handlers to instructions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulator/assembly/parse.hpp"
#include "simulator/program/program.hpp"

namespace numpy_plugin::sim {

// A module-level .global or .const variable to be placed in device memory.
struct GlobalVariable {
  std::string name;
  std::uint64_t n_bytes = 0;
  std::uint32_t alignment_bytes = 1;
  bool is_constant = false;               // .const: read-only for kernels
  std::vector<Initializer> initializers;  // empty during placement
};

struct Decoding {
  // The host's handler for an instruction; nullptr where there is none.
  Handler (*find_handler)(const Instruction& instruction) = nullptr;
  // Places a variable and returns its address in device memory. The caller frees placed variables
  // if decode() throws.
  std::function<std::uint64_t(const GlobalVariable& variable)> place;
};

// Names are those of the modules; a second one private to its module is "name@2".
struct DecodedModule {
  std::unique_ptr<Program> program;
  // To be written to their addresses: initializers contain only bytes, the rest is zero.
  std::map<std::string, GlobalVariable> variables;
  std::map<std::string, std::uint64_t> addresses;  // of variables; of functions (kCodeBase ...)
};

// Links the modules (resolves each .extern) and decodes them. Throws PtxError, with the line of the
// module concerned, for unknown instructions, invalid operands, and undefined or duplicate symbols.
DecodedModule decode(const std::vector<Module>& modules, const Decoding& decoding);

}  // namespace numpy_plugin::sim
