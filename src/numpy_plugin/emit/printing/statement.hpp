// Statements of a kernel as C++ text with the same control flow.
#pragma once

#include <span>
#include <string>

#include "numpy_plugin/emit/printing/declarations.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"
#include "numpy_plugin/emit/printing/scratch_arrays.hpp"

namespace numpy_plugin::emit {

class StatementPrinter {
 public:
  // `indent` spaces precede the outermost statements.
  StatementPrinter(const declare::Function& function, Scope& scope, int indent);

  std::string print();

 private:
  void block(std::span<const declare::Statement> statements);
  void statement(const declare::Statement& statement);
  void assign(const declare::Statement& statement);
  void assign_scratch(const std::string& target, const declare::Statement& statement);
  void conditional(const declare::Statement& statement);
  void while_loop(const declare::Statement& statement);
  void for_range(const declare::Statement& statement);
  bool is_counting_loop(const declare::Statement& statement) const;
  void counting_loop(const declare::Statement& statement);
  void counted_loop(const declare::Statement& statement);
  void pairwise_sum(const declare::Statement& loop);
  std::string whole(const declare::Expression& expression) const;
  std::string bound(const declare::Expression& expression) const;
  std::string hoisted(const declare::Expression& value, std::string_view name);
  void inner(const declare::Block& statements);
  void loop_body(const declare::Statement& loop);
  void leave_after_errors();
  void raise(const declare::Statement& statement);
  void place(const declare::Statement& statement);
  void line(const std::string& text);
  std::string declarator(int local) const;

  const declare::Function& function_;
  Scope& scope_;
  const ExpressionPrinter expressions_;
  const ScratchPrinter scratch_;
  const Declarations declarations_;
  std::string text_;
  std::string leave_;  // the statement that leaves the innermost C++ function
  int indent_;
};

}  // namespace numpy_plugin::emit
