// Concatenates the statements around the split loops, with the loops replaced by bounds checks.
#include "numpy_plugin/analysis/generalized_kernel.hpp"

#include <utility>

#include "numpy_plugin/analysis/tree.hpp"

namespace numpy_plugin::analysis {
namespace {

using declare::Expression;
using declare::ExpressionKind;
using declare::Function;
using declare::Operation;
using declare::Statement;
using declare::StatementKind;
using declare::TypedKernel;
using declare::ValueType;

Expression compare(Operation operation, Expression left, Expression right) {
  const declare::SourceSpan place = left.place;
  Expression result{
      ExpressionKind::kCall, ValueType::scalar(base::DType::kBool), place, {}, operation};
  result.operands = {std::move(left), std::move(right)};
  return result;
}

class IterationBuilder {
 public:
  IterationBuilder(const TypedKernel& kernel, const std::vector<SplitLoop>& loops)
      : layout_(*kernel.layout),
        function_(std::get<declare::PythonKernel>(kernel.body).function),
        loops_(loops) {}

  Function run() {
    add_level(function_.body, 0);
    Function result = function_;
    result.body = std::move(body_);
    result.n_parameters += loops_.size();
    put_first(result, parameters());
    return result;
  }

 private:
  // Adds the statements around loop `number`, then those inside it.
  void add_level(const Block& block, std::size_t number) {
    const auto is_this_loop = [&](const Statement& each) {
      return number < loops_.size() && each.kind == StatementKind::kForRange &&
             each.local == loops_[number].local;
    };
    for (const Statement& each : block) {
      if (is_this_loop(each)) {
        add_bounds(each, loops_[number]);
        return add_level(each.body, number + 1);
      }
      body_.push_back(each);
      if (number > 0) leave_by_return(body_.back());
    }
  }

  // A `continue` ends the iteration, and so returns.
  static void leave_by_return(Statement& statement) {
    if (is_loop(statement)) return;
    if (statement.kind == StatementKind::kContinue) statement.kind = StatementKind::kReturn;
    for (Statement& inner : statement.body) leave_by_return(inner);
    for (Statement& inner : statement.orelse) leave_by_return(inner);
  }

  // There is a thread for each index of the dimension, but the loop may skip some.
  void add_bounds(const Statement& loop, const SplitLoop& split) {
    const Expression variable{ExpressionKind::kLocal,
                              ValueType::scalar(base::DType::kInt64),
                              loop.place,
                              {},
                              declare::LocalReference{split.local}};
    if (!is_constant(loop.range[0], 0))
      add_skip(compare(Operation::kLess, variable, loop.range[0]));
    if (!is_whole_dimension(layout_, function_, loop.range[1], split.name))
      add_skip(compare(Operation::kGreaterEqual, variable, loop.range[1]));
  }

  void add_skip(Expression condition) {
    Statement leave{StatementKind::kReturn, condition.place, 0, {}, {}, {}, {}, {}};
    Statement skip{StatementKind::kIf, condition.place, 0, {}, {}, {}, {}, {}};
    skip.value = std::move(condition);
    skip.body.push_back(std::move(leave));
    body_.push_back(std::move(skip));
  }

  // The locals in their new order: the loops' variables are the last parameters.
  std::vector<int> parameters() const {
    std::vector<int> order;
    for (int i = 0; i < static_cast<int>(function_.n_parameters); ++i) order.push_back(i);
    for (const SplitLoop& loop : loops_) order.push_back(loop.local);
    return order;
  }

  const declare::CoreSignature& layout_;
  const Function& function_;
  const std::vector<SplitLoop>& loops_;
  Block body_;
};

}  // namespace

Function iteration_function(const TypedKernel& kernel, const std::vector<SplitLoop>& loops) {
  return IterationBuilder(kernel, loops).run();
}

}  // namespace numpy_plugin::analysis
