// Uses of each function of a program: functions that it can call, shared variables.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/decode/symbols.hpp"

namespace numpy_plugin::sim {

class CallGraph {
 public:
  explicit CallGraph(const SymbolTable& symbols);

  // The functions that a call of `function` can lead to, itself first. A call by pointer can lead
  // to each function whose address a variable holds; an address in code counts as a call.
  std::vector<std::uint32_t> reachable(std::uint32_t function) const;
  // Shared variables that the function itself names.
  const std::vector<const Variable*>& shared_variables(std::uint32_t function) const {
    return uses_[function].shared_variables;
  }

 private:
  struct Uses {
    std::vector<std::uint32_t> functions;
    std::vector<const Variable*> shared_variables;
    bool calls_pointers = false;
  };

  void collect(const Symbol& symbol, const SymbolTable& symbols);
  void collect(const Operand& operand, const Symbol& symbol, const SymbolTable& symbols);

  std::vector<Uses> uses_;
  std::vector<std::uint32_t> pointed_at_;
};

}  // namespace numpy_plugin::sim
