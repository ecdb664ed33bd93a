// Layout of a block's shared memory, which follows from the calls of its kernel.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/decode/symbols.hpp"

namespace numpy_plugin::sim {

// Call graph: each function's callees and shared variables.
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

// Each kernel's shared memory contains the variables that it can reach; one reachable from several
// kernels has the same offset in all of them, after memory reserved for the driver in any of them.
// `.extern .shared` ones begin after all others.
class SharedLayout {
 public:
  // Throws PtxError for a kernel that exceeds a GPU's shared memory.
  explicit SharedLayout(const SymbolTable& symbols);

  // Offset as seen by the code of a function.
  std::uint32_t address(const Variable& variable, std::uint32_t function) const;
  // The reserved bytes at the beginning and the others.
  std::uint32_t reserved_bytes(std::uint32_t kernel) const { return reserved_[kernel]; }
  std::uint32_t n_bytes(std::uint32_t kernel) const { return ends_[kernel] - reserved_[kernel]; }

 private:
  // A kernel and a function that it can reach and that uses a variable.
  struct Use {
    std::uint32_t kernel = 0;
    std::uint32_t function = 0;
    const Variable* variable = nullptr;
  };
  using Kernels = std::vector<std::uint32_t>;

  void reserve(const SymbolTable& symbols, const CallGraph& graph);
  static std::vector<Use> find_uses(const SymbolTable& symbols, const CallGraph& graph);
  void place(const Variable& variable, const SymbolTable& symbols, const Kernels& kernels);
  void place_dynamic(const std::vector<Use>& uses);

  std::unordered_map<const Variable*, std::uint32_t> addresses_;
  std::vector<std::uint32_t> reserved_;        // by kernel function
  std::vector<std::uint32_t> ends_;            // by kernel function
  std::vector<std::uint32_t> dynamic_starts_;  // by function
};

}  // namespace numpy_plugin::sim
