// Whether lanes pay for a kernel, and on which targets.
#pragma once

#include <set>
#include <string>
#include <tuple>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/analysis/lanes/own_function.hpp"

namespace numpy_plugin::analysis {

// Properties of a kernel for or against lanes.
struct Profit {
  const declare::PythonKernel& kernel;
  declare::MathMode math;
  bool has_loops = false;
  bool has_guarded_math = false;
  bool rounds_to_halves = false;      // which lanes do by few instructions
  int own_vector_bytes = kNoVectors;  // from which some function of this package pays
  int library_since = 0;              // with vector variants of all that have one of this package
  bool has_scalar_calls = false;
  bool has_scalar_calls_in_loops = false;
  std::set<std::tuple<int, bool, bool>> called = {};  // functions, and where they are

  // Adds those of statements.
  void block(const Block& statements, bool is_in_loop, bool is_guarded);
  void value(const declare::Expression& expression, bool is_in_loop, bool is_guarded);
  void call(const declare::Expression& call, bool is_in_loop, bool is_guarded);
};

LanePlan::Target target_of(const Profit& profit);
// Empty where lanes pay.
std::string why_not_worth(const declare::TypedKernel& kernel, const LanePlan& plan,
                          const Profit& profit);

}  // namespace numpy_plugin::analysis
