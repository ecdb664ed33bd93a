// Whether each part of a kernel has a form in lanes, and which lanes those parts need.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
  bool needs_mask_registers() const;

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
  bool needs_mask_registers_ = false;
  std::set<int> sizes_;
};

}  // namespace numpy_plugin::analysis
