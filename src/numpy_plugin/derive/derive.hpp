// The function that computes the derivatives of a typed function, in forward mode: a value that
// depends on a parameter carries its tangent through loops, branches and calls. It is an ordinary
// typed function.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "numpy_plugin/derive/activity.hpp"
#include "numpy_plugin/derive/differentiation.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"

namespace numpy_plugin::derive {

// The functions that a function calls, by the numbers in its calls.
class Callees {
 public:
  virtual ~Callees() = default;
  virtual const declare::Function& callee(int function) const = 0;
  virtual int add_callee(declare::Function function) = 0;
};

// A function whose parameters and results are followed by their tangents: of a parameter, then
// of the result, one for each of its directions.
struct TangentCallee {
  int function = 0;
  CalleeActivity activity;
};

// All functions of one differentiation.
class Differentiator {
 public:
  Differentiator(Callees& callees, std::vector<declare::Diagnostic>& errors)
      : callees_(callees), errors_(errors) {}

  // The differentiation's parts of a function of numbers, whose parameters stay the same; adds
  // those that no result depends on to `unused`.
  declare::Function differentiate(const declare::Function& function, const Differentiation& wanted,
                                  std::vector<int>& unused);

  CalleeActivity activity(int function, const std::vector<Directions>& arguments);
  // The function with tangents, made once for the same directions.
  TangentCallee tangent_callee(int function, const std::vector<Directions>& arguments,
                               const declare::SourceSpan& called_at);

  bool is_complex(int direction) const {
    return complex_directions_ >> static_cast<unsigned>(direction) & 1;
  }
  void error(const declare::SourceSpan& where, std::string message, std::string hint = {});

 private:
  Directions seed(const declare::Function& function, int parameter, int direction);

  using Key = std::pair<int, std::vector<Directions>>;

  Callees& callees_;
  std::vector<declare::Diagnostic>& errors_;
  Directions complex_directions_ = 0;
  std::map<Key, CalleeActivity> activities_;
  std::map<Key, TangentCallee> tangent_callees_;
};

}  // namespace numpy_plugin::derive
