// Functions and variables of several modules, and name resolution in each.
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
  bool is_syscall = false;              // a function provided by the engine
  std::uint32_t index = 0;              // of a function, in the program
  std::uint64_t address = 0;            // in its space; for a function: the value of pointers to it
  const Function* only_user = nullptr;  // for a variable declared in a body

  // Whether its address depends on the kernel: it follows the kernel's other shared variables.
  bool is_dynamic_shared() const {
    return variable != nullptr && variable->space == Space::kShared && variable->is_extern;
  }
};

// Throws PtxError for duplicate names, and for an engine function declared with another signature.
class SymbolTable {
 public:
  explicit SymbolTable(const std::vector<Module>& modules);

  // The symbol of a name in a module; nullptr for undefined names.
  Symbol* find(std::size_t module, std::string_view name) const;

  // Symbols in use, in the order of the modules.
  const std::vector<Symbol*>& functions() const { return functions_; }
  const std::vector<Symbol*>& variables() const { return variables_; }

 private:
  using Names = std::unordered_map<std::string_view, Symbol*>;

  void add_definitions(std::size_t module, const Module& syntax);
  void add_aliases(std::size_t module, const Module& syntax);
  void add(const Symbol& symbol);
  void meet(Symbol& symbol);
  void add_syscalls(std::size_t module, const Module& syntax);
  void list_standing();

  std::deque<Symbol> definitions_;
  std::vector<Names> own_;                                                       // per module
  std::vector<std::unordered_map<std::string_view, std::string_view>> aliases_;  // likewise
  Names visible_;
  std::vector<Symbol*> functions_;
  std::vector<Symbol*> variables_;
};

}  // namespace numpy_plugin::sim
