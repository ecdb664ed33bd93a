// The local names of a function under inference, and the locals that the typed function gets for
// them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/infer_values.hpp"

namespace numpy_plugin::declare {

// Locals are numbered: the variables, copies of the widened parameters, temporaries.
struct Scope {
  std::vector<Variable> variables;    // the parameters first
  std::set<std::string> error_names;  // names that only a statement with an error binds

  // Of the pass under way.
  std::vector<Local> temporaries;
  std::vector<int> widened;  // parameters whose variable has a wider type than the argument
  std::set<std::string> reported_names;

  // Adds a name, or one more place that assigns it.
  void add(const std::string& name, bool is_parameter);
  // The variable of a name; -1 where it is no local name.
  int find(std::string_view name) const;
  Variable& variable(int index) { return variables[static_cast<std::size_t>(index)]; }
  const Variable& variable(int index) const { return variables[static_cast<std::size_t>(index)]; }
  // The type of a variable: that of the pass before, which is final where types are settled.
  std::optional<InferredType> type_of(int variable) const;

  int local_of(int variable) const;
  const ArrayStorage& storage_of(int local) const;
  int add_temporary(const InferredType& type);

  void begin_pass(const std::vector<InferredType>& arguments);
  bool is_settled() const;

 private:
  std::map<std::string, int, std::less<>> indices_;
};

}  // namespace numpy_plugin::declare
