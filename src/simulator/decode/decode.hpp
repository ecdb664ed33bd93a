// Modules of PTX to a program: variables get addresses, names across modules meet, instructions get
// their handlers.
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
  bool is_constant = false;               // .const: kernels only read it
  std::vector<Initializer> initializers;  // none while it is placed
};

struct Decoding {
  // Handler of an instruction of the machine at hand; nullptr: there is none.
  Handler (*find_handler)(const Instruction& instruction) = nullptr;
  // Where a variable was put in device memory. What was placed stays with the caller if decode()
  // throws.
  std::function<std::uint64_t(const GlobalVariable& variable)> place;
};

// Names are those of the modules; a second one that only its module sees is "name@2".
struct DecodedModule {
  std::unique_ptr<Program> program;
  // To be written where they were placed: initializers are bytes only, the rest is zero.
  std::map<std::string, GlobalVariable> variables;
  std::map<std::string, std::uint64_t> addresses;  // of variables; of functions (kCodeBase ...)
};

// Links the modules (an .extern of one is defined by another) and decodes them. Throws PtxError,
// with the line of the module concerned, for an instruction that is not known, operands that do not
// fit it, a symbol that nothing defines or that two define.
DecodedModule decode(const std::vector<Module>& modules, const Decoding& decoding);

}  // namespace numpy_plugin::sim
