// Inference: a function's syntax and its argument types in, a typed function out. A function is
// walked until the types of its variables stop changing; the findings of the last walk are kept.
//
// The class is in four parts, each of which knows only those before it: what is said to the user
// (infer_report.hpp), expressions, calls, and here statements and walks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/infer/calls/infer_calls.hpp"

namespace numpy_plugin::declare {

class FunctionInference final : private CallInference {
 public:
  FunctionInference(KernelInference& kernel, const FunctionTask& task);
  TypedFunction run();

 private:
  // infer.cpp
  void declare_names();
  void declare_names(const std::vector<SyntaxNode>& statements);
  void declare_target(const SyntaxNode& target);
  void add_variable(const std::string& name, bool is_parameter);
  void walk();
  bool is_settled() const;
  void finish(TypedFunction& result);
  InferredType declared_type() const;
  std::vector<Statement> copy_widened_parameters();

  // infer_statements.cpp
  std::vector<Statement> block(const std::vector<SyntaxNode>& statements);
  void statement(const SyntaxNode& node);
  void expression_statement(const SyntaxNode& node);
  void if_statement(const SyntaxNode& node);
  void unusable_statement(const SyntaxNode& node);
  void try_statement(const SyntaxNode& node);
  void give_up_names(const SyntaxNode& node);
  void break_statement(const SyntaxNode& node);
  void continue_statement(const SyntaxNode& node);
  void global_statement(const SyntaxNode& node);

  // infer_raise.cpp
  void raise_statement(const SyntaxNode& node);
  void assert_statement(const SyntaxNode& node);
  std::optional<RaisedException> raised_class(const SyntaxNode& node);
  bool add_message(const SyntaxNode& node, RaisedException& raised, Statement& statement);
  bool add_part(const SyntaxNode& node, std::vector<MessagePart>& parts, Statement& statement);
  Statement finish_raise(const SyntaxNode& node, RaisedException raised, Statement statement);

  // infer_loops.cpp
  void while_statement(const SyntaxNode& node);
  void for_statement(const SyntaxNode& node);
  void emit_first_trip(Statement loop);
  std::optional<std::vector<Value>> range_arguments(const SyntaxNode& node);
  void loop_else(const SyntaxNode& node);
  std::vector<Statement> loop_body(const SyntaxNode& node, Loop& loop);
  void leave_loop(const Loop& loop, const std::optional<Flow>& normal_exit, const Place& decides,
                  const PathEnd& never);
  void report_iterable(const SyntaxNode& node);
  int loop_variable(const SyntaxNode& target, std::vector<Statement>& head);
  bool is_constant_true(const Expression& condition) const;
  bool returns_in(const std::vector<Statement>& statements) const;
  void repeat_prelude(Statement& loop, std::vector<Statement> prelude) const;
  std::vector<int> assigned_in(const std::vector<SyntaxNode>& statements) const;

  // infer_assignments.cpp
  void assign_statement(const SyntaxNode& node);
  void annotated_assignment(const SyntaxNode& node);
  void augmented_assignment(const SyntaxNode& node);
  void assign(const SyntaxNode& target, Value value);
  void assign_name(const SyntaxNode& target, Value value);
  void assign_variable(int variable, const SyntaxNode& target, Value value);
  void assign_tuple(const SyntaxNode& target, Value value);
  bool check_second_name(int variable, const Value& value);
  bool reads_trip_array(const Expression& array) const;
  bool unify_variable(int variable, const SyntaxNode& target, const Value& value);
  void report_conflict(Variable& variable, const SyntaxNode& target, const Value& value);
  std::string conflict_hint(const std::string& name, const SyntaxNode& target, const Value& value,
                            const Assignment& first) const;
  void report_unpacking(const SyntaxNode& target, const Value& value);
  std::vector<Note> returned_note(const FunctionSyntax& function, const Value& value) const;
  void warn_small_sum(const SyntaxNode& statement, const Value& value);
  bool reads_assigned(const Expression& expression, const std::vector<SyntaxNode>& targets,
                      std::size_t n_earlier) const;
  bool reads_local(const Expression& expression, int local) const;

  // infer_array_stores.cpp
  void store(const SyntaxNode& target, Value value);
  void store_elements(const Value& array, const SyntaxNode& target, const Value& value);
  Expression stored_number(const Value& value, int array, base::DType dtype);
  void note_stored(int array, const InferredType& type);
  bool is_only_array(int local) const;
  bool may_share_elements(const Value& target, const Value& source) const;
  bool check_stored_array(const Value& part, const Value& value);

  // infer_results.cpp
  void return_statement(const SyntaxNode& node);
  std::string returned_hint(const SyntaxNode& value_node);
  void return_value(const SyntaxNode& node, const SyntaxNode& value_node);
  bool check_result_count(const SyntaxNode& node, const Value& value);
  void add_result(const SyntaxNode& node, const Value& value);
  void check_end_of_body();
  void check_outputs_written();
  Expression declared_result(const Value& value);
  Value reusable_tuple(const Value& value);
  std::string promised() const;

  // Of the walk under way.
  std::optional<InferredType> result_before_;
  std::optional<InferredType> result_now_;
  std::optional<Place> first_return_;
  std::size_t n_returned_ = 0;
  std::optional<Place> bare_return_;  // in a device function
  std::map<int, InferredType> stored_;
};

}  // namespace numpy_plugin::declare
