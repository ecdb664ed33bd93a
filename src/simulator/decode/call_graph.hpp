// Call graph: each function's callees and shared variables.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/decode/symbols.hpp"

namespace numpy_plugin::sim {

class CallGraph {
 public:
  explicit CallGraph(const SymbolTable& symbols);

  // Functions reachable by a call of `function`, itself first. An indirect call can reach each
  // function whose address a variable holds; an address in code counts as a call.
  std::vector<std::uint32_t> reachable(std::uint32_t function) const;
  // Shared variables used directly by the function.
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
