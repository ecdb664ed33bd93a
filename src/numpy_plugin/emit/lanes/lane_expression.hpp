// Expressions of a kernel for all lanes of a block. Operands that Python evaluates for some
// elements only are computed under a mask.
#pragma once

#include <map>
#include <optional>

#include "numpy_plugin/analysis/lanes/lane_plan.hpp"
#include "numpy_plugin/emit/lanes/lane_writer.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"

namespace numpy_plugin::emit {

class LaneExpressionPrinter : public ExpressionPrinter {
 public:
  LaneExpressionPrinter(const Scope& scope, const analysis::LanePlan& plan, LaneWriter& writer)
      : ExpressionPrinter(scope), scope_(scope), plan_(plan), writer_(writer), scalars_(scope) {}

  using ExpressionPrinter::print;
  // The values in lanes; what they need first is written as lines.
  std::string print(const declare::Expression& expression) const override;
  // The one value of a uniform expression.
  std::string print_uniform(const declare::Expression& expression) const;
  // Indices of an element: int64 for all lanes, or lanes each.
  Texts print_indices(const std::vector<declare::Expression>& indices) const;
  // Only for the lanes of a mask.
  std::string print_under(const std::string& mask, const declare::Expression& expression);
  // Likewise, with names for the parts, which statements in narrower masks use until `forget`.
  std::string print_shared(const std::string& mask, const declare::Expression& expression);
  // Drops the parts that read a local, or all.
  void forget(int local);
  void forget() { shared_.clear(); }
  // "a"; "npp::Lanes<bool, 8>(true)" for the empty text of all lanes.
  std::string whole_mask(const std::string& mask) const;
  // "npp::Lanes<double, 8>(1.0)".
  std::string spread(base::DType dtype, const std::string& value) const;

 private:
  std::string element(const declare::Expression& load) const;
  std::string operation(const declare::Expression& call) const;
  std::string shared(const declare::Expression& part, std::string value) const;
  std::string function(const declare::Expression& call, Texts operands) const;
  std::string for_all(const declare::Expression& call) const;
  std::string device_function(const declare::Expression& call) const;
  std::string cast(const declare::Expression& cast) const;
  std::string choice(const declare::Expression& select) const;
  std::string connective(const declare::Expression& expression, bool is_and) const;
  std::string branch(const std::string& mask, const declare::Expression& expression) const;
  Texts with_mask(bool is_needed, Texts arguments) const;

  struct Part {
    declare::Expression expression;
    std::string name;
  };

  const Scope& scope_;
  const analysis::LanePlan& plan_;
  LaneWriter& writer_;
  const ExpressionPrinter scalars_;
  mutable std::string mask_;                    // of the active lanes; empty: all
  mutable std::map<std::string, Part> shared_;  // by their scalar text
  std::optional<std::string> sharing_;          // the mask of an expression with shared parts
};

}  // namespace numpy_plugin::emit
