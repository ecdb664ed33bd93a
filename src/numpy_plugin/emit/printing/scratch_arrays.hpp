// Creation of scratch arrays, with the slots of those made in loops.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "numpy_plugin/analysis/scratch/scratch_sites.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"

namespace numpy_plugin::emit {

class ScratchPrinter {
 public:
  ScratchPrinter(const declare::Function& function, Scope& scope);

  // Statements before the function's first one.
  std::vector<std::string> first_lines() const;
  // Locals whose arrays are looked at wherever they are assigned: they exist from the beginning.
  const std::set<int>& held_locals() const { return held_locals_; }
  // "npp::new_array<1, double>(errors, scratch, n, m)", of a kAssign of a kScratchArray.
  std::string array(const declare::Statement& statement, std::vector<std::string> sizes) const;

 private:
  // "npp::get<1>(pair).data()".
  std::string address(const analysis::HeldArray& held) const;

  struct Slots {
    std::string name;
    const analysis::ScratchSite* site;
  };

  const Scope& scope_;
  std::vector<analysis::ScratchSite> sites_;
  std::string frame_;
  std::map<const declare::Statement*, Slots> slots_;  // of sites in loops
  std::set<int> held_locals_;
};

}  // namespace numpy_plugin::emit
