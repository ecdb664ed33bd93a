// Symbols, memory locations, initializers, then functions one by one.
#include "simulator/decode/decode.hpp"

#include <algorithm>
#include <utility>

#include "simulator/decode/constants.hpp"
#include "simulator/decode/function_decoder.hpp"
#include "simulator/decode/operands.hpp"
#include "simulator/decode/shared_layout.hpp"
#include "simulator/decode/symbols.hpp"

namespace numpy_plugin::sim {
namespace {

constexpr std::uint64_t kPointerBytes = 8;

bool is_in_device_memory(const Variable& variable) {
  return variable.space == Space::kGlobal || variable.space == Space::kConst;
}

template <typename Map>
std::string unused_name(const Map& names, const std::string& name) {
  std::string unused = name;
  for (int number = 2; names.contains(unused); ++number) unused = format("{}@{}", name, number);
  return unused;
}

std::string bytes_of(std::uint64_t address) {
  std::string bytes;
  for (std::uint64_t byte = 0; byte < kPointerBytes; ++byte)
    bytes.push_back(static_cast<char>((address >> (8 * byte)) & 0xff));
  return bytes;
}

// The value of a variable's initializer that is an address.
std::uint64_t address_of(const Symbol& variable, const Initializer& initializer,
                         const SymbolTable& symbols) {
  const Symbol* target = symbols.find(variable.module, initializer.symbol);
  const std::string what =
      format("'{}', a value of '{}", initializer.symbol, variable.variable->name);
  if (target == nullptr)
    throw PtxError(variable.variable->line,
                   what + "', is defined nowhere; expected it in one of the linked modules");
  if (target->variable != nullptr && !is_in_device_memory(*target->variable))
    throw PtxError(variable.variable->line,
                   what + "', has no fixed address; expected a .global or .const variable");
  return target->address + static_cast<std::uint64_t>(initializer.addend);
}

std::vector<Initializer> resolve(const Symbol& symbol, const SymbolTable& symbols) {
  const Variable& variable = *symbol.variable;
  std::vector<Initializer> resolved = variable.initializers;
  for (Initializer& initializer : resolved) {
    if (!initializer.symbol.empty()) {
      initializer.bytes = bytes_of(address_of(symbol, initializer, symbols))
                              .substr(initializer.first_byte, initializer.n_bytes);
      initializer.symbol.clear();
    }
    const std::uint64_t n_bytes = initializer.bytes.size();
    if (n_bytes > variable.n_bytes || initializer.offset > variable.n_bytes - n_bytes)
      throw PtxError(variable.line, format("the values of '{}' end after its {} bytes",
                                           variable.name, variable.n_bytes));
  }
  return resolved;
}

// Initializers may contain addresses: all variables are placed before any is evaluated.
void place_variables(const SymbolTable& symbols, const Decoding& decoding, DecodedModule& module) {
  std::vector<std::pair<const Symbol*, GlobalVariable*>> placed;
  for (Symbol* symbol : symbols.variables()) {
    const Variable& variable = *symbol->variable;
    if (!is_in_device_memory(variable)) continue;
    const std::string name = unused_name(module.addresses, variable.name);
    GlobalVariable global;
    global.name = name;
    global.n_bytes = variable.n_bytes;
    global.alignment_bytes = std::max(variable.alignment_bytes, size_bytes(variable.type));
    global.is_constant = variable.space == Space::kConst;
    symbol->address = decoding.place(global);
    module.addresses[name] = symbol->address;
    placed.emplace_back(symbol, &module.variables.emplace(name, std::move(global)).first->second);
  }
  for (const auto& [symbol, global] : placed) global->initializers = resolve(*symbol, symbols);
}

// Frames are contiguous in a thread's local memory: each ends where the next may begin.
void align_frames(Program& program, std::uint32_t alignment) {
  for (FunctionCode& function : program.functions)
    function.local_bytes = (function.local_bytes + alignment - 1) / alignment * alignment;
}

// Appends the modules' locations and files; returns the number of locations before each module.
std::vector<std::uint32_t> take_locations(const std::vector<Module>& modules, Program& program) {
  std::vector<std::uint32_t> bases;
  for (const Module& module : modules) {
    const auto base = static_cast<std::uint32_t>(program.locations.size());
    bases.push_back(base);
    std::map<std::uint32_t, std::uint32_t> indices;  // of files, by number
    for (const auto& [number, name] : module.files) {
      indices[number] = static_cast<std::uint32_t>(program.files.size());
      program.files.push_back(name);
    }
    for (SourceLocation location : module.locations) {
      const auto file = indices.find(location.file);
      location.file = file == indices.end() ? kNoLocation : file->second;
      if (location.inlined_at != kNoLocation) location.inlined_at += base;
      program.locations.push_back(location);
    }
  }
  return bases;
}

// Instructions have the numbers of locations in their own module.
void move_locations(const FunctionCode& function, std::uint32_t base, Program& program) {
  for (std::uint32_t i = function.first; i < function.last; ++i) {
    std::uint32_t& location = program.code[i].location;
    if (location != kNoLocation) location += base;
  }
}

std::vector<Target> targets_of(const std::vector<Module>& modules) {
  std::vector<Target> targets;
  for (const Module& module : modules)
    targets.push_back(module_target(module.target, module.version_major, module.version_minor));
  return targets;
}

void decode_functions(const SymbolTable& symbols, const std::vector<Target>& targets,
                      const std::vector<std::uint32_t>& location_bases, const Decoding& decoding,
                      DecodedModule& module) {
  constexpr std::uint32_t kLeastFrameAlignment = 16;
  Program& program = *module.program;
  const SharedLayout shared(symbols);
  Constants constants;
  MnemonicCache mnemonics;
  const Surroundings surroundings{symbols, shared, constants, targets};
  std::uint32_t alignment = kLeastFrameAlignment;
  for (const Symbol* symbol : symbols.functions()) {
    FunctionDecoder decoder(surroundings, decoding, mnemonics, program, *symbol);
    program.functions.push_back(decoder.decode());
    if (!symbol->is_syscall)
      move_locations(program.functions.back(), location_bases[symbol->module], program);
    program.functions.back().shared_bytes = shared.n_bytes(symbol->index);
    program.functions.back().reserved_shared_bytes = shared.reserved_bytes(symbol->index);
    alignment = std::max(alignment, decoder.local_alignment_bytes());
    module.addresses[unused_name(module.addresses, symbol->function->name)] = symbol->address;
  }
  align_frames(program, alignment);
  constants.move_to(program);
}

}  // namespace

DecodedModule decode(const std::vector<Module>& modules, const Decoding& decoding) {
  DecodedModule module;
  module.program = std::make_unique<Program>();
  if (!modules.empty()) module.program->target = modules.front().target;
  const SymbolTable symbols(modules);
  place_variables(symbols, decoding, module);
  decode_functions(symbols, targets_of(modules), take_locations(modules, *module.program), decoding,
                   module);
  return module;
}

}  // namespace numpy_plugin::sim
