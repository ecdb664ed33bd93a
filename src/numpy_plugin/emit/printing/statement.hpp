// Statements of a kernel as C++ text with the same control flow.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "numpy_plugin/analysis/running_extremum.hpp"
#include "numpy_plugin/analysis/scratch/scratch_sizes.hpp"
#include "numpy_plugin/analysis/tree.hpp"
#include "numpy_plugin/emit/printing/expression.hpp"

namespace numpy_plugin::emit {

// Position of declarations of locals in C++: at an assignment that precedes every other use, else
// uninitialized before the first statement that mentions them.

struct Declarations {
  std::set<const declare::Statement*> declaring;  // assignments and for-ranges with declarations
  std::map<const declare::Statement*, std::vector<int>> before;  // locals to declare before it
};

// `first_locals` are declared before the first statement.
Declarations plan_declarations(const declare::Function& function,
                               const std::set<int>& first_locals = {});

// Creation of scratch arrays, with the slots of those made in loops.

class ScratchPrinter {
 public:
  ScratchPrinter(const declare::Function& function, Scope& scope);

  // Statements before the function's first one.
  std::vector<std::string> first_lines() const;
  // Locals whose arrays are looked at wherever they are assigned: they exist from the beginning.
  const std::set<int>& held_locals() const { return held_locals_; }
  // "npp::new_array<1, double>(errors, scratch, n, m)", of a kAssign of a kScratchArray.
  std::string array(const declare::Statement& statement, std::vector<std::string> sizes) const;

 private:
  // "npp::get<1>(pair).data()".
  std::string address(const analysis::HeldArray& held) const;

  struct Slots {
    std::string name;
    const analysis::ScratchSite* site;
  };

  const Scope& scope_;
  std::vector<analysis::ScratchSite> sites_;
  std::string frame_;
  std::map<const declare::Statement*, Slots> slots_;  // of sites in loops
  std::set<int> held_locals_;
};

// Of a value where a condition holds, else another one of the type.
using Choice = std::function<std::string(const declare::ValueType& type, const std::string& value,
                                         const std::string& other)>;

// The statements themselves.

// Whether a trip of the loop may follow one that raised.
bool goes_on_after_errors(const declare::Statement& loop);

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
  void conditional_sum(const declare::Statement& statement);
  bool is_selection(const declare::Statement& statement) const;
  void selection(const declare::Statement& statement);
  bool is_selected_store(const declare::Statement& statement) const;
  void selected_store(const declare::Statement& statement);
  Choice choice_of(const declare::Statement& statement);
  void choose(const declare::Statement& statement, const Choice& outer);
  void choose(std::span<const declare::Statement> branch, const Choice& choice);
  void while_loop(const declare::Statement& statement);
  void for_range(const declare::Statement& statement);
  bool is_counting_loop(const declare::Statement& statement) const;
  void counting_loop(const declare::Statement& statement);
  void counted_loop(const declare::Statement& statement);
  void fold(const declare::Statement& loop);
  std::vector<analysis::RunningExtremum> running_extrema_of(const declare::Statement& loop) const;
  void running_extrema(const declare::Statement& loop,
                       std::span<const analysis::RunningExtremum> extrema);
  void element_function(const std::vector<int>& counters, const declare::Statement& loop,
                        std::size_t n_last, const declare::Expression& value);
  void columns(const declare::Statement& loop);
  void selected(const declare::Statement& loop);
  std::string whole(const declare::Expression& expression) const;
  std::string bound(const declare::Expression& expression) const;
  std::string hoisted(const declare::Expression& value, std::string_view name);
  void inner(std::span<const declare::Statement> statements);
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
  const declare::Statement* loop_ = nullptr;  // the innermost one
  std::string leave_;  // the statement that leaves the innermost C++ function
  int indent_;
};

}  // namespace numpy_plugin::emit
