// Whether kernels can run in lanes, and whether that pays.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "numpy_plugin/analysis/lanes/lane_form.hpp"
#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/kernel/kernel.hpp"

namespace numpy_plugin::analysis {

// Looks for the first part that has no form in lanes.
class Eligibility {
 public:
  explicit Eligibility(declare::MathMode math) : math_(math) {}

  // `uniform` and `refilled`: of the plan for this function.
  void function(const declare::Function& function, const std::set<int>& uniform,
                std::optional<std::size_t> refilled = {});
  // Parameters of a generalized kernel may be arrays.
  void generalized(const declare::Function& function, const std::set<int>& uniform);
  void type(const declare::ValueType& type, const char* of);

  // Why there are no lanes; empty where every part has a form.
  std::string reason() const { return reason_; }
  bool has_no_numbers() const { return sizes_.empty(); }
  // Of the largest type, in bytes.
  int size() const;

 private:
  bool is_uniform(const declare::Expression& expression) const;
  bool is_counted_in_words(const declare::Statement& loop) const;
  void body(const declare::Function& function, const std::set<int>& uniform);
  void block(const Block& statements);
  void statement(const declare::Statement& statement);
  void for_range(const declare::Statement& loop);
  void element(int array, int exception, const std::vector<declare::Expression>& indices);
  void value(const declare::Expression& expression);
  void refuse(const std::string& reason);

  declare::MathMode math_;
  const declare::Function* function_ = nullptr;
  const std::set<int>* uniform_ = nullptr;
  std::optional<std::size_t> refilled_;
  std::string reason_;
  std::set<int> sizes_;
};

// Whether lanes pay for a kernel, and on which targets.

// Properties of a kernel for or against lanes.
struct Profit {
  const declare::PythonKernel& kernel;
  declare::MathMode math;
  bool has_loops = false;
  bool has_times = false;
  bool has_guarded_math = false;
  bool rounds_to_halves = false;      // which lanes do by few instructions
  int own_vector_bytes = kNoVectors;  // from which some function of this package pays
  int library_since = 0;              // with vector variants of all that have one of this package
  bool divides_numbers = false;       // floor divisions of floating-point numbers
  bool lacks_instructions = false;    // conversions, quotients, comparisons: g++'s code for AVX2
  bool has_branches = false;          // that are statements
  bool divides_integers = false;      // by numbers that are unknown
  bool has_scalar_calls = false;
  bool has_scalar_calls_in_loops = false;
  std::set<std::tuple<int, bool, bool>> called = {};  // functions, and where they are

  // Whether compilers branch where lanes have masks.
  bool has_masked_branches() const;

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
