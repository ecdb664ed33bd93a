// Local names of a function under inference, and the typed function's locals for them.
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

// Locals are numbered in this order: variables, copies of widened parameters, temporaries.
struct Scope {
  std::vector<Variable> variables;    // parameters first
  std::set<std::string> error_names;  // names bound only by an erroneous statement

  // Of the current pass.
  std::vector<Local> temporaries;
  std::vector<int> widened;  // parameters whose variable is wider than the argument
  std::set<std::string> reported_names;
  bool knows_least = true;  // until a pass does not find a variable's least value again
  // Inputs that a kernel changes, with the first place that does: it has copies of them.
  std::map<int, SourceSpan> changed_inputs;
  std::size_t n_copied = 0;  // of these, in the current pass

  void add_parameter(const std::string& name);
  // Adds the variable of a target, or another assignment of it; an augmented one leaves an array in
  // its place.
  void add(const SyntaxNode& target, bool is_augmented);
  // The variable of a name; -1 of one that is not local, and of other expressions.
  int find(const SyntaxNode& node) const;
  // The parameter with this name; -1 where there is none.
  int find_parameter(std::string_view name) const;
  Variable& variable(int index) { return variables[static_cast<std::size_t>(index)]; }
  const Variable& variable(int index) const { return variables[static_cast<std::size_t>(index)]; }
  // The type of a variable: that of the previous pass, which is final once types are settled.
  std::optional<InferredType> type_of(int variable) const;

  int local_of(int variable) const;
  const ArrayStorage& storage_of(int local) const;
  int add_temporary(const InferredType& type) { return add_temporary(storage(type)); }
  int add_temporary(const ValueType& type);

  void begin_pass(const std::vector<InferredType>& arguments);
  bool is_settled() const;

 private:
  Variable& add_variable(const std::string& name, int version);

  std::map<std::pair<std::string, int>, int> indices_;  // by name and version
};

}  // namespace numpy_plugin::declare
