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

  // Adds a name, or another assignment of it; an augmented one leaves an array in its place.
  void add(const std::string& name, bool is_parameter, bool is_augmented = false);
  // Gives the name of a parameter a variable of its own from a statement on, in `a = a + 1`.
  void add_rebinding(int parameter, const SyntaxNode& statement);
  // The variable that the statement's name has from then on; -1 for other statements.
  int rebound_by(const SyntaxNode& statement) const;
  void rebind(const SyntaxNode& statement);
  // The variable of a name; -1 where it is not local.
  int find(std::string_view name) const;
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
  struct Rebinding {
    int parameter;
    int variable;
  };

  std::map<std::string, int, std::less<>> indices_;
  std::map<const SyntaxNode*, Rebinding> rebindings_;
};

}  // namespace numpy_plugin::declare
