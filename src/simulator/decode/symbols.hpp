// The functions and variables of several modules, and which of them a name means in each.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/assembly/syntax.hpp"

namespace numpy_plugin::sim {

// A function or a variable of the program.
struct Symbol {
  std::size_t module = 0;
  const Function* function = nullptr;   // either
  const Variable* variable = nullptr;   // or
  bool is_syscall = false;              // a function that only the engine has
  std::uint32_t index = 0;              // of a function in the program
  std::uint64_t address = 0;            // in its space; of a function: what pointers to it hold
  const Function* only_user = nullptr;  // of a variable in a body

  // Its address depends on the kernel: after the kernel's other shared variables.
  bool is_dynamic_shared() const {
    return variable != nullptr && variable->space == Space::kShared && variable->is_extern;
  }
};

// Throws PtxError for a name that is defined twice, and for a function of the engine's declared
// otherwise than the engine has it.
class SymbolTable {
 public:
  explicit SymbolTable(const std::vector<Module>& modules);

  // Meaning of a name in a module; nullptr: none, or an .extern that nothing defines.
  Symbol* find(std::size_t module, std::string_view name) const;

  // Those that count, in the order of the modules.
  const std::vector<Symbol*>& functions() const { return functions_; }
  const std::vector<Symbol*>& variables() const { return variables_; }

 private:
  using Names = std::unordered_map<std::string_view, Symbol*>;

  void add_definitions(std::size_t module, const Module& syntax);
  void add(const Symbol& symbol);
  void meet(Symbol& symbol);
  void add_syscalls(std::size_t module, const Module& syntax);
  void list_standing();

  std::deque<Symbol> definitions_;
  std::vector<Names> own_;  // of each module
  Names visible_;
  std::vector<Symbol*> functions_;
  std::vector<Symbol*> variables_;
};

}  // namespace numpy_plugin::sim
