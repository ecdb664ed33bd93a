// Inference of expressions: the type of each, and the typed expression it becomes. What is called
// is left to infer_calls.hpp.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/constants.hpp"
#include "numpy_plugin/infer/core/control_flow.hpp"
#include "numpy_plugin/infer/core/infer_report.hpp"
#include "numpy_plugin/syntax/operators.hpp"

namespace numpy_plugin::declare {

class ExpressionInference : protected FunctionReport {
 protected:
  using FunctionReport::FunctionReport;
  ~ExpressionInference() = default;

  virtual Value infer_call(const SyntaxNode& node) = 0;

  // infer_names.cpp
  int local_of(int variable) const;
  Value report_unknown(const SyntaxNode& node,
                       const std::string& otherwise =
                           "assign it first, make it an argument, or define it at module level");
  std::string shown_function() const;
  int find_variable(std::string_view name) const;
  std::string dotted(const SyntaxNode& node) const;
  std::optional<InferredType> final_type(int variable) const;

  // infer_bindings.cpp
  Value value_of(const Binding& binding, const SyntaxNode& node);
  const Binding* find_binding(const SyntaxNode& node) const;
  Value report_other(const Binding& binding, const SyntaxNode& node);
  const Binding* find_root_binding(const SyntaxNode& node) const;
  std::vector<Note> defined_here(const Binding& binding, std::string message) const;
  std::string spelling(std::string_view module, std::string_view function) const;
  bool check_in_device_kernel(const std::string& shown, const Place& where);
  Value thread_value(ThreadFunction function, const SyntaxNode& node) const;

  // infer_expressions.cpp
  Value infer(const SyntaxNode& node);
  Value tuple_of(const std::vector<Value>& items, const SyntaxNode& node) const;
  Value select(Expression condition, const Value& chosen, const Value& other,
               const SyntaxNode& node);
  std::string tuple_text(const SyntaxNode& node) const;
  std::string list_hint(const SyntaxNode& node);
  Value complex_part(Operation operation, const Value& number, const SyntaxNode& node);

  // infer_conversions.cpp
  Value constant(const PlainNumber& number, const SyntaxNode& node);
  Value boolean(bool value, const SyntaxNode& node) const;
  Expression constant_expression(base::DType dtype, ConstantValue value, const Place& where) const;
  Expression call(Operation operation, base::DType result, std::vector<Expression> operands,
                  const Place& where) const;
  // The value as `type`; a constant that does not fit is reported with `hint`.
  Expression convert(const Value& value, const InferredType& type, const std::string& hint = {});
  Expression cast(Expression expression, base::DType dtype) const;
  Value with_origin(Value value, const std::vector<const Value*>& operands, Origin origin) const;
  // The value in a local of its own where its expression is no plain read, so that it can be used
  // twice.
  Value reusable(Value value, bool even_plain_reads = false);
  int add_temporary(const InferredType& type);

  // infer_result_casts.cpp
  // The value as the declared type of a result or of a core array's element.
  Expression result_cast(const Value& value, base::DType dtype, const std::string& verb);

  // infer_operators.cpp
  Value binary(const OperatorInfo& info, const Value& left, const Value& right,
               const SyntaxNode& node);
  Value unary(SyntaxKind op, const Value& operand, const SyntaxNode& node);

  // infer_comparisons.cpp
  Expression condition(const SyntaxNode& node);
  Expression truth(const Value& value, const SyntaxNode& node);

  // infer_effects.cpp: what is evaluated once and in its place.
  Value once(Value value, const SyntaxNode& node);
  void evaluate(Expression expression);
  const ArrayStorage& storage_of(int local) const;
  bool is_own_array(const Expression& array) const;
  bool has_effect_inside(const SyntaxNode& statement) const;

  // infer_arrays.cpp
  std::string index_hint(const Value& value, const SyntaxNode& node) const;
  std::string array_hint(const InferredType& type) const;
  Value item(const Value& tuple, std::size_t index, const SyntaxNode& node) const;
  Value array_size(int array, int axis, const SyntaxNode& node) const;
  std::optional<std::vector<Expression>> indices(const Value& array, const SyntaxNode& node);
  std::optional<std::vector<Expression>> indices(const Value& array,
                                                 const std::vector<const SyntaxNode*>& nodes);
  std::optional<Expression> index(const Value& array, int axis, const SyntaxNode& node);
  static std::vector<const SyntaxNode*> index_nodes(const SyntaxNode& index);
  void report_index_count(const Value& array, std::size_t n_given, const SyntaxNode& node);

  // infer_views.cpp
  bool is_part(const Value& array, const SyntaxNode& node) const;
  Value array_part(const Value& array, const SyntaxNode& node);
  Value array_in_local(Value array);
  int element_owner(const Value& array, std::vector<Expression>& positions);
  void mark_written(const Expression& array);
  std::string slice_hint(const SyntaxNode& node) const;
  bool report_part(const Value& value);
  void report_read_only(const Value& array, const SyntaxNode& target);

  // infer_element_hints.cpp
  static bool has_slice(const SyntaxNode& target);
  static std::string element_text(const std::string& array, int n_dimensions);
  std::string element_hint(const SyntaxNode& statement) const;
  void emit(Statement statement) { statements_->push_back(std::move(statement)); }

  std::map<std::string, int, std::less<>> variable_indices_;
  std::vector<Variable> variables_;
  std::vector<Local> temporaries_;     // locals after the variables
  std::set<std::string> error_names_;  // names that only a statement with an error binds

  // Of the walk under way.
  std::vector<int> widened_;  // parameters whose variable has a wider type than the argument
  std::set<std::string> reported_names_;
  Flow flow_{0};
  std::vector<Statement>* statements_ = nullptr;
  bool can_hoist_ = true;
  bool has_effects_ = false;
  bool orders_loads_ = false;  // the statement has an effect: elements are read before or after it
  bool has_bad_return_ = false;
  bool is_tentative_ = true;  // the types are not settled: an error may be gone in the next walk
  const SyntaxNode* part_store_ = nullptr;  // the statement whose target is a part of an array
  std::set<int> written_arrays_;
  std::map<const ConstantArray*, int> constant_arrays_;

 private:
  // infer_names.cpp
  Value infer_name(const SyntaxNode& node);
  Value read_variable(const SyntaxNode& node, int variable);
  Value report_unassigned(const SyntaxNode& node, int variable);

  // infer_bindings.cpp
  Value number_value(const Binding& binding, const SyntaxNode& node);
  std::string definition_text(const Binding& binding) const;
  Value tuple_value(const Binding& binding, const SyntaxNode& node);
  Place binding_place(const Binding& binding) const;
  Value infer_thread_value(const Binding& binding, const SyntaxNode& node);
  Value constant_array(const Binding& binding, const SyntaxNode& node);

  // infer_expressions.cpp
  Value infer_any(const SyntaxNode& node);
  Value infer_constant(const SyntaxNode& node);
  Value infer_tuple(const SyntaxNode& node);
  Value infer_select(const SyntaxNode& node);
  Value infer_attribute(const SyntaxNode& node);
  Value report_missing_attribute(const Binding& module, const SyntaxNode& node);
  std::string outside_hint(const SyntaxNode& node) const;
  Value infer_unusable(const SyntaxNode& node);
  Value unusable_membership(const SyntaxNode& node);

  // infer_conversions.cpp
  Expression convert_scalar(const Value& value, base::DType dtype, const std::string& hint);
  Expression convert_tuple(const Value& value, const InferredType& type);
  bool report_loss(const Value& value, base::DType dtype, Conversion::Loss loss,
                   const std::string& hint);
  std::string value_text(const Value& value) const;
  Value local_value(int local, const InferredType& type, const Value& like) const;

  // infer_result_casts.cpp
  void report_result_cast(const Value& value, base::DType dtype, const std::string& verb);
  void warn_narrowing(const Value& value, base::DType dtype);

  // infer_operators.cpp
  Value infer_unary(const SyntaxNode& node);
  Value infer_binary(const SyntaxNode& node);
  bool check_numbers(const OperatorInfo& info, const Value& left, const Value& right,
                     const SyntaxNode& node);
  bool check_kinds(const OperatorInfo& info, const Value& left, const Value& right,
                   const SyntaxNode& node);
  bool check_bools(const OperatorInfo& info, const Value& left, const Value& right,
                   const SyntaxNode& node);
  bool check_constants(const OperatorInfo& info, const Value& left, const Value& right,
                       const SyntaxNode& node);
  std::string bitwise_hint(const OperatorInfo& info, const Value& left, const Value& right) const;
  std::string integer_hint(const OperatorInfo& info, const Value& wrong, const SyntaxNode& node);
  std::string wider_hint(const OperatorInfo& info, const Value& left, const Value& right) const;
  Value operate(const OperatorInfo& info, const InferredType& type, const Value& left,
                const Value& right, const SyntaxNode& node);
  std::string narrow_hint(const std::string& symbol, const Value& left, const Value& right) const;
  InferredType operator_type(const OperatorInfo& info, const Value& left, const Value& right) const;

  // infer_power.cpp
  Value report_negative_power(const Value& left, const Value& right);
  Value power(const OperatorInfo& info, const Value& left, const Value& right,
              const SyntaxNode& node);
  Value power_by_constant(const Value& base, const Value& right, const InferredType& type,
                          const SyntaxNode& node);

  // infer_comparisons.cpp
  Value infer_comparison(const SyntaxNode& node);
  Value compare(const SyntaxNode& operator_node, const Value& left, const Value& right,
                const SyntaxNode& node);
  Value compare_typed(const OperatorInfo& info, const Value& left, const Value& right,
                      const SyntaxNode& node);
  Value report_no_order(const OperatorInfo& info, const Value& left, const Value& right,
                        const SyntaxNode& node);
  void warn_nan(const OperatorInfo& info, const Value& left, const Value& right,
                const SyntaxNode& node);
  std::vector<Expression> comparison_operands(const Value& left, const Value& right);
  std::optional<Value> compare_out_of_range(const OperatorInfo& info, const Value& left,
                                            const Value& right, const SyntaxNode& node);
  void note_precedence(const SyntaxNode& comparison, const SyntaxNode& side);
  Value infer_bool_operator(const SyntaxNode& node);
  Value select_operand(const SyntaxNode& node, std::vector<Value> operands);

  // infer_effects.cpp: what is evaluated once and in its place.
  bool may_have_effect(const SyntaxNode& call) const;

  // infer_arrays.cpp
  Value array_attribute(const Value& array, const SyntaxNode& node);
  Value infer_subscript(const SyntaxNode& node);
  Value tuple_item(const Value& tuple, const SyntaxNode& node);
  Value tuple_item_at_run_time(const Value& tuple, const Value& index, const SyntaxNode& node);
  Value shape_item(const SyntaxNode& array_node, const Value& array, const SyntaxNode& node);
  Value array_element(const Value& array, const SyntaxNode& node);
  std::optional<Int128> constant_index(const SyntaxNode& node);
  void report_index_type(const Value& value, const SyntaxNode& node);
  bool check_index_count(const Value& array, std::size_t n_given, const SyntaxNode& node);
  std::optional<Value> integer_index(const SyntaxNode& node);
  void report_row(const SyntaxNode& node, std::size_t n_dimensions);
  const SyntaxNode* find_slice(const std::vector<const SyntaxNode*>& nodes) const;

  // infer_views.cpp
  std::optional<Expression> slice(const SyntaxNode& node);
  Expression as_view(Expression array) const;

  // infer_element_hints.cpp
  std::string with_elements(const SyntaxNode& node) const;

  std::string precedence_hint_;  // of a comparison around '&' or '|'
};

}  // namespace numpy_plugin::declare
