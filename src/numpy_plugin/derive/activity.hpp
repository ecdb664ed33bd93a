// Which values of a function depend on which parameters of a differentiation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::derive {

// A bit for each direction that a value has a tangent in.
using Directions = std::uint64_t;

// Whether a value has tangents: numbers with a fraction, and arrays and tuples of them.
bool has_tangents(const declare::ValueType& type);

// What a call of a function depends on, where its arguments depend on these directions.
struct CalleeActivity {
  Directions result = 0;
  std::vector<Directions> parameters;  // after the call: arrays that it writes
};
using FindCallee =
    std::function<CalleeActivity(int function, const std::vector<Directions>& arguments)>;

class Activity {
 public:
  // Finds it for all locals, given that of the parameters.
  Activity(const declare::Function& function, const std::vector<Directions>& parameters,
           FindCallee callee);

  Directions of(const declare::Expression& expression) const;
  Directions of_local(int local) const { return locals_[static_cast<std::size_t>(local)]; }
  // Of all values that are returned.
  Directions result() const { return result_; }

 private:
  void visit(const std::vector<declare::Statement>& block);
  void visit(const declare::Statement& statement);
  void visit_calls(const declare::Expression& expression);
  void visit_copy(const declare::Expression& copy);
  void add(int local, Directions directions);
  std::vector<Directions> of_operands(const declare::Expression& expression) const;

  const declare::Function& function_;
  FindCallee callee_;
  std::vector<Directions> locals_;
  Directions result_ = 0;
  bool has_changed_ = false;
};

}  // namespace numpy_plugin::derive
