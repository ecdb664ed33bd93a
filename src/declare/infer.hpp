// Inference: a function's syntax and its argument types in, a typed function out. A function is
// walked until the types of its variables stop changing; the findings of the last walk are kept.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/declare/constants.hpp"
#include "numpy_plugin/declare/control_flow.hpp"
#include "numpy_plugin/declare/functions.hpp"
#include "numpy_plugin/declare/infer_types.hpp"
#include "numpy_plugin/declare/kernel.hpp"
#include "numpy_plugin/declare/kernel_inference.hpp"
#include "numpy_plugin/declare/operators.hpp"

namespace numpy_plugin::declare {

// Why a value is wider than the result it goes into: what a warning then says.
struct Origin {
  bool is_declared = false;  // an operand of that type: nothing is said
  std::string message;       // "float32 * int32 is float64"
  std::string hint;          // "{}" stands for the declared result's name
  std::vector<Note> notes;
  Place place;
};
using OriginPointer = std::shared_ptr<const Origin>;

// A typed expression and what else is known of it.
struct Value {
  InferredType type;
  Expression expression{ExpressionKind::kConstant, {}, {}, {}};
  std::optional<PlainNumber> constant;  // of a weak number known now
  const SyntaxNode* node = nullptr;
  OriginPointer origin;
};

struct Assignment {
  InferredType type;
  Place target;
  const SyntaxNode* value = nullptr;  // null for arguments and loop variables
};

// A local name of the function, over the walks.
struct Variable {
  std::string name;
  bool is_parameter = false;
  int n_targets = 0;                   // places in the source that assign it
  bool has_error = false;              // an assignment of this walk was wrong
  std::optional<InferredType> before;  // its type at the end of the walk before
  std::optional<InferredType> now;     // the type of this walk's assignments so far
  std::vector<Assignment> assignments;
  ArrayStorage storage;  // of an array, in this walk
  OriginPointer origin;
};

class FunctionInference {
 public:
  FunctionInference(KernelInference& kernel, const FunctionTask& task);
  static bool has_builtin(std::string_view name) { return builtins().contains(name); }
  TypedFunction run();

 private:
  struct Loop {
    std::optional<Flow> at_break;
    std::optional<Flow> at_continue;
  };

  // infer.cpp: walks.
  void declare_names();
  void declare_names(const std::vector<SyntaxNode>& statements);
  void declare_target(const SyntaxNode& target);
  void add_variable(const std::string& name, bool is_parameter);
  void walk();
  bool is_settled() const;
  void finish(TypedFunction& result);
  InferredType declared_type() const;
  int local_of(int variable) const;
  std::vector<Statement> copy_widened_parameters();

  // infer_report.cpp: what is said to the person.
  Place place(const SyntaxNode& node) const;
  Place keyword_place(const SyntaxNode& node, std::string_view keyword) const;
  Place first_line_place(const SyntaxNode& node) const;
  Place find_token(std::string_view token, const Place& from, const Place& to) const;
  std::string text(const SyntaxNode& node) const;
  std::string text(const Place& where) const;
  std::string inner_text(const SyntaxNode& node) const;
  Value error(const Place& where, std::string message, std::string hint = {},
              std::vector<Note> notes = {});
  void warn(const Place& where, std::string message, std::string hint = {},
            std::vector<Note> notes = {});

  // infer_names.cpp
  Value infer_name(const SyntaxNode& node);
  Value read_variable(const SyntaxNode& node, int variable);
  Value report_unassigned(const SyntaxNode& node, int variable);
  Value report_unknown(const SyntaxNode& node);
  Value value_of(const Binding& binding, const SyntaxNode& node);
  Value report_other(const Binding& binding, const SyntaxNode& node);
  Value number_value(const Binding& binding, const SyntaxNode& node);
  std::string definition_text(const Binding& binding) const;
  std::string shown_function() const;
  Value tuple_value(const Binding& binding, const SyntaxNode& node);
  int find_variable(std::string_view name) const;
  const Binding* find_binding(const SyntaxNode& node) const;
  const Binding* find_root_binding(const SyntaxNode& node) const;
  std::string dotted(const SyntaxNode& node) const;
  Place binding_place(const Binding& binding) const;
  std::vector<Note> defined_here(const Binding& binding, std::string message) const;
  std::string spelling(std::string_view module, std::string_view function) const;

  // infer_expressions.cpp
  Value infer(const SyntaxNode& node);
  Value infer_any(const SyntaxNode& node);
  Value infer_constant(const SyntaxNode& node);
  Value infer_tuple(const SyntaxNode& node);
  Value infer_select(const SyntaxNode& node);
  Value infer_attribute(const SyntaxNode& node);
  Value array_attribute(const Value& array, const SyntaxNode& node);
  Value report_missing_attribute(const Binding& module, const SyntaxNode& node);
  std::string outside_hint(const SyntaxNode& node) const;
  Value infer_unusable(const SyntaxNode& node);
  Value unusable_membership(const SyntaxNode& node);

  // infer_conversions.cpp
  Value constant(const PlainNumber& number, const SyntaxNode& node);
  Value boolean(bool value, const SyntaxNode& node) const;
  Expression constant_expression(base::DType dtype, ConstantValue value, const Place& where) const;
  Expression call(Operation operation, base::DType result, std::vector<Expression> operands,
                  const Place& where) const;
  // The value as `type`; a constant that does not fit is reported with `hint`.
  Expression convert(const Value& value, const InferredType& type, const std::string& hint = {});
  Expression convert_scalar(const Value& value, base::DType dtype, const std::string& hint);
  Expression convert_tuple(const Value& value, const InferredType& type);
  Expression cast(Expression expression, base::DType dtype) const;
  bool report_loss(const Value& value, base::DType dtype, Conversion::Loss loss,
                   const std::string& hint);
  std::string value_text(const Value& value) const;
  Value with_origin(Value value, const std::vector<const Value*>& operands, Origin origin) const;
  // The value in a local of its own where its expression is no plain read, so that it can be used
  // twice.
  Value reusable(Value value, bool even_plain_reads = false);

  // infer_operators.cpp
  Value infer_unary(const SyntaxNode& node);
  Value infer_binary(const SyntaxNode& node);
  Value binary(const OperatorInfo& info, const Value& left, const Value& right,
               const SyntaxNode& node);
  bool check_numbers(const OperatorInfo& info, const Value& left, const Value& right,
                     const SyntaxNode& node);
  bool check_kinds(const OperatorInfo& info, const Value& left, const Value& right,
                   const SyntaxNode& node);
  bool check_bools(const OperatorInfo& info, const Value& left, const Value& right,
                   const SyntaxNode& node);
  bool check_constants(const OperatorInfo& info, const Value& left, const Value& right,
                       const SyntaxNode& node);
  std::string integer_hint(const OperatorInfo& info, const Value& wrong, const SyntaxNode& node);
  std::string wider_hint(const OperatorInfo& info, const Value& left, const Value& right) const;
  Value operate(const OperatorInfo& info, const InferredType& type, const Value& left,
                const Value& right, const SyntaxNode& node);
  std::string narrow_hint(const std::string& symbol, const Value& left, const Value& right) const;
  Value unary(std::string_view operator_name, const Value& operand, const SyntaxNode& node);

  // infer_power.cpp
  Value report_negative_power(const Value& left, const Value& right);
  Value power(const Value& left, const Value& right, const SyntaxNode& node);
  Value power_by_constant(const Value& base, const Value& right, const InferredType& type,
                          const SyntaxNode& node);
  InferredType operator_type(const OperatorInfo& info, const Value& left, const Value& right) const;

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
  Expression condition(const SyntaxNode& node);
  Expression truth(const Value& value, const SyntaxNode& node);

  // infer_calls.cpp
  Value infer_call(const SyntaxNode& node);
  Value call_binding(const Binding& binding, const SyntaxNode& node);
  Value call_function(const std::string& name, const SyntaxNode& node);
  Value call_dtype(base::DType dtype, const SyntaxNode& node);
  Value report_uncallable(const std::string& name, const SyntaxNode& node);
  Value report_not_a_function(const Value& value, const SyntaxNode& node);
  bool check_starred_arguments(const SyntaxNode& node);
  bool check_plain_arguments(const std::string& name, const SyntaxNode& node,
                             const std::vector<std::string>& keywords = {});
  // Whether an argument of the function shown is a number; says so where it is not.
  bool check_number(const Value& value, const std::string& shown);
  std::optional<std::vector<Value>> scalar_arguments(const std::string& name, int n_least,
                                                     int n_most, const SyntaxNode& node,
                                                     const std::vector<std::string>& keywords = {});
  Value explicit_cast(const Value& value, base::DType dtype, const SyntaxNode& node);

  // infer_methods.cpp: what NumPy's arrays can be asked for element by element.
  using Method = Value (FunctionInference::*)(const Value& owner, const SyntaxNode& node);
  static const std::map<std::string_view, Method>& methods();
  Value call_method(const SyntaxNode& node, const SyntaxNode& attribute);
  Value method_astype(const Value& owner, const SyntaxNode& node);
  Value method_clip(const Value& owner, const SyntaxNode& node);
  Value method_conjugate(const Value& owner, const SyntaxNode& node);
  Value method_copy(const Value& owner, const SyntaxNode& node);
  Value method_round(const Value& owner, const SyntaxNode& node);
  std::optional<base::DType> dtype_argument(const SyntaxNode& node);
  std::optional<std::vector<const SyntaxNode*>> clip_bounds(const SyntaxNode& node,
                                                            std::size_t n_before);
  Value clip(Value number, const std::vector<const SyntaxNode*>& bounds, const SyntaxNode& node);
  Value numpy_round(const Value& number, const Value* digits, const SyntaxNode& node);

  // infer_functions.cpp: the rows of functions.def.
  Value call_table_function(const FunctionInfo& row, const SyntaxNode& node);
  bool check_argument_kinds(const FunctionInfo& row, const std::vector<Value>& arguments,
                            const SyntaxNode& node);
  bool check_whole_arguments(const std::vector<Value>& arguments, const SyntaxNode& node);
  Expression fold_calls(Operation operation, base::DType result, std::vector<Expression> operands,
                        const Place& where) const;
  Value math_function(const FunctionInfo& row, const std::vector<Value>& arguments,
                      const SyntaxNode& node);
  Value numpy_function(const FunctionInfo& row, std::vector<Value> arguments,
                       const SyntaxNode& node);
  Value numpy_operator(const FunctionInfo& row, const std::vector<Value>& arguments,
                       const SyntaxNode& node);
  Value apply(const FunctionInfo& row, const InferredType& type,
              const std::vector<Value>& arguments, const SyntaxNode& node);

  // infer_builtins.cpp and infer_*_functions.cpp: functions that are no single operation.
  using Builtin = Value (FunctionInference::*)(const std::string& name, const SyntaxNode& node);
  static const std::map<std::string_view, Builtin>& builtins();
  Value builtin_extremum(const std::string& name, const SyntaxNode& node);
  Value fold_extremum(const std::string& shown, const std::vector<Value>& values,
                      const SyntaxNode& node);
  Value builtin_absolute(const std::string& name, const SyntaxNode& node);
  Value builtin_round(const std::string& name, const SyntaxNode& node);
  Value builtin_convert(const std::string& name, const SyntaxNode& node);
  Value builtin_complex(const std::string& name, const SyntaxNode& node);
  Value builtin_power(const std::string& name, const SyntaxNode& node);
  Value builtin_divmod(const std::string& name, const SyntaxNode& node);
  Value builtin_length(const std::string& name, const SyntaxNode& node);
  Value builtin_fold(const std::string& name, const SyntaxNode& node);
  Value builtin_pair(const std::string& name, const SyntaxNode& node);
  Value builtin_ldexp(const std::string& name, const SyntaxNode& node);
  Value builtin_close(const std::string& name, const SyntaxNode& node);
  Value keyword_number(const std::string& keyword, double usual, const SyntaxNode& node);
  Value tuple_of(const std::vector<Value>& items, const SyntaxNode& node) const;
  Expression whole_operand(const Value& value);
  Value builtin_order(const std::string& name, const SyntaxNode& node);
  Value builtin_angle(const std::string& name, const SyntaxNode& node);
  Value builtin_logarithm(const std::string& name, const SyntaxNode& node);
  Value builtin_where(const std::string& name, const SyntaxNode& node);
  Value builtin_clip(const std::string& name, const SyntaxNode& node);
  Value builtin_logical(const std::string& name, const SyntaxNode& node);
  Value builtin_like(const std::string& name, const SyntaxNode& node);
  Value builtin_part(const std::string& name, const SyntaxNode& node);
  Value builtin_range(const std::string& name, const SyntaxNode& node);
  Value builtin_nan_to_num(const std::string& name, const SyntaxNode& node);
  Value finite_number(const Value& number, const std::vector<std::optional<Value>>& given,
                      const SyntaxNode& node);
  std::optional<std::vector<Value>> tuple_numbers(const std::string& shown, const SyntaxNode& node);
  Value builtin_reduce(const std::string& name, const SyntaxNode& node);
  Value builtin_any_all(const std::string& name, const SyntaxNode& node);
  Value builtin_distance(const std::string& name, const SyntaxNode& node);
  Value round_to_digits(const Value& number, const Value& digits, const SyntaxNode& node);
  Value select(Expression condition, const Value& chosen, const Value& other,
               const SyntaxNode& node);
  Value complex_part(Operation operation, const Value& number, const SyntaxNode& node);

  // infer_device.cpp
  Value call_device_function(const Binding& binding, const SyntaxNode& node);
  std::optional<std::vector<const SyntaxNode*>> bind_arguments(const Binding& binding,
                                                               const SyntaxNode& node);
  void report_unknown_keyword(const FunctionSyntax& callee, const SyntaxNode& keyword,
                              const std::vector<std::string>& names,
                              const std::vector<const SyntaxNode*>& bound);
  Value call_typed(const FunctionSyntax& function, const std::vector<Value>& arguments,
                   const SyntaxNode& node);
  bool take_findings(const TypedFunction& callee, const std::string& types, const SyntaxNode& node);
  bool check_depth(const SyntaxNode& node);
  bool check_recursion(const Binding& binding, const SyntaxNode& node);
  std::vector<Note> definition_note(const FunctionSyntax& function) const;

  // infer_ufuncs.cpp
  Value call_ufunc(const Binding& binding, const SyntaxNode& node);
  const TypeSignature* choose_signature(const UfuncSyntax& ufunc,
                                        const std::vector<base::DType>& dtypes,
                                        const SyntaxNode& node);
  Value call_ufunc_function(const UfuncSyntax& ufunc, const TypeSignature& signature,
                            const std::vector<Value>& arguments, const SyntaxNode& node);
  Value call_external(ExternalFunction function, const std::vector<Value>& arguments,
                      const SyntaxNode& node);
  Value call_declared(const ExternalFunction& function, const SyntaxNode& node);
  Value cast_and_call(Expression call, const TypeSignature& signature, const InferredType& type,
                      const std::vector<Value>& arguments, const SyntaxNode& node);

  // infer_threads.cpp: what only device kernels have.
  bool check_in_device_kernel(const std::string& shown, const Place& where);
  Value thread_value(ThreadFunction function, const SyntaxNode& node) const;
  Value infer_thread_value(const Binding& binding, const SyntaxNode& node);
  Value call_thread_function(const std::string& name, const SyntaxNode& node);
  Value grid_value(const std::string& name, const SyntaxNode& node);
  bool effect_statement(const SyntaxNode& node);

  // infer_atomics.cpp
  Value call_atomic(const std::string& name, const SyntaxNode& node);
  bool check_atomic_dtype(const AtomicInfo& info, const Value& array, const SyntaxNode& node);
  std::optional<std::vector<Expression>> atomic_indices(const Value& array, const SyntaxNode& node);
  Value atomic_value(Atomic function, const Value& array, const SyntaxNode& node);

  // infer_effects.cpp: what is evaluated once and in its place.
  Value once(Value value, const SyntaxNode& node);
  void evaluate(Expression expression);
  bool is_own_array(const Expression& array) const;
  bool may_have_effect(const SyntaxNode& call) const;
  bool has_effect_inside(const SyntaxNode& statement) const;

  // infer_arrays.cpp
  Value infer_subscript(const SyntaxNode& node);
  Value tuple_item(const Value& tuple, const SyntaxNode& node);
  Value tuple_item_at_run_time(const Value& tuple, const Value& index, const SyntaxNode& node);
  Value item(const Value& tuple, std::size_t index, const SyntaxNode& node) const;
  Value array_size(int array, int axis, const SyntaxNode& node) const;
  Value shape_item(const SyntaxNode& array_node, const Value& array, const SyntaxNode& node);
  Value array_element(const Value& array, const SyntaxNode& node);
  std::optional<std::vector<Expression>> indices(const Value& array, const SyntaxNode& node);
  std::optional<Expression> index(const Value& array, int axis, const SyntaxNode& node);
  std::optional<Int128> constant_index(const SyntaxNode& node);
  void report_index_type(const Value& value, const SyntaxNode& node);
  static std::vector<const SyntaxNode*> index_nodes(const SyntaxNode& node);
  bool check_index_count(const Value& array, std::size_t n_given, const SyntaxNode& node);
  std::optional<Value> integer_index(const SyntaxNode& node);
  void report_row(const SyntaxNode& node, std::size_t n_dimensions);
  const SyntaxNode* find_slice(const std::vector<const SyntaxNode*>& nodes) const;

  // infer_views.cpp
  bool is_part(const Value& array, const SyntaxNode& node) const;
  Value array_part(const Value& array, const SyntaxNode& node);
  std::optional<Expression> slice(const SyntaxNode& node);
  Value array_in_local(Value array);
  int element_owner(const Value& array, std::vector<Expression>& positions);
  void mark_written(const Expression& array);
  bool report_part(const Value& value);

  // infer_local_arrays.cpp
  Value constant_array(const Binding& binding, const SyntaxNode& node);
  Expression as_view(Expression array) const;
  Value builtin_local_array(const std::string& name, const SyntaxNode& node);
  Value make_array(ArrayStorage::Kind kind, const SyntaxNode& node);
  Value dynamic_array(base::DType dtype, const SyntaxNode& node);
  std::optional<std::vector<std::int64_t>> array_shape(const SyntaxNode& node,
                                                       ArrayStorage::Kind kind);
  std::optional<std::int64_t> array_extent(const Expression& expression, const Value& whole,
                                           ArrayStorage::Kind kind);
  std::optional<base::DType> array_dtype(const SyntaxNode& node);
  bool check_array_bytes(const std::vector<std::int64_t>& sizes, base::DType dtype,
                         ArrayStorage::Kind kind, const SyntaxNode& node);
  int local_for_array(const InferredType& type, ArrayStorage storage, const SyntaxNode& call);

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
  void emit(Statement statement) { statements_->push_back(std::move(statement)); }

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
  void augmented_assignment(const SyntaxNode& node);
  void assign(const SyntaxNode& target, Value value);
  void assign_name(const SyntaxNode& target, Value value);
  void assign_variable(int variable, const SyntaxNode& target, Value value);
  void assign_tuple(const SyntaxNode& target, Value value);
  void store(const SyntaxNode& target, Value value);
  void report_read_only(const Value& array, const SyntaxNode& target);
  bool check_second_name(int variable, const Value& value);
  bool reads_trip_array(const Expression& array) const;
  bool unify_variable(int variable, const SyntaxNode& target, const Value& value);
  void report_conflict(Variable& variable, const SyntaxNode& target, const InferredType& type);
  void report_unpacking(const SyntaxNode& target, const Value& value);
  std::vector<Note> returned_note(const FunctionSyntax& function, const Value& value) const;
  void warn_small_sum(const SyntaxNode& statement, const Value& value);
  bool reads_assigned(const Expression& expression, const std::vector<SyntaxNode>& targets,
                      std::size_t n_earlier) const;
  bool reads_local(const Expression& expression, int local) const;
  std::optional<InferredType> final_type(int variable) const;
  int add_temporary(const InferredType& type);
  Value local_value(int local, const InferredType& type, const Value& like) const;

  // infer_results.cpp
  void return_statement(const SyntaxNode& node);
  void return_value(const SyntaxNode& node, const SyntaxNode& value_node);
  bool check_result_count(const SyntaxNode& node, const Value& value);
  void add_result(const SyntaxNode& node, const Value& value);
  void check_end_of_body();
  void check_outputs_written();
  // The value as the declared type of a result or of a core array's element.
  Expression result_cast(const Value& value, base::DType dtype, const std::string& verb);
  Expression declared_result(const Value& value);
  Value reusable_tuple(const Value& value);
  void report_result_cast(const Value& value, base::DType dtype, const std::string& verb);
  void warn_narrowing(const Value& value, base::DType dtype);
  std::string promised() const;

  KernelInference& kernel_;
  const FunctionTask& task_;
  const FunctionSyntax& syntax_;
  int source_base_;

  std::map<std::string, int, std::less<>> variable_indices_;
  std::vector<Variable> variables_;
  std::vector<Local> temporaries_;     // locals after the variables
  std::set<std::string> error_names_;  // names that only a statement with an error binds

  // Of the walk under way.
  std::vector<int> widened_;  // parameters whose variable has a wider type than the argument
  Findings findings_;
  std::set<std::string> reported_names_;
  Flow flow_{0};
  std::vector<Loop> loops_;
  std::vector<Statement>* statements_ = nullptr;
  bool can_hoist_ = true;
  std::string precedence_hint_;  // of a comparison around '&' or '|'
  std::optional<InferredType> result_before_;
  std::optional<InferredType> result_now_;
  std::optional<Place> first_return_;
  std::size_t n_returned_ = 0;
  bool has_bad_return_ = false;
  std::set<int> written_arrays_;
  std::map<int, InferredType> stored_;
  bool has_effects_ = false;
  bool orders_loads_ = false;  // the statement has an effect: elements are read before or after it
  std::optional<Place> bare_return_;       // in a device function
  const SyntaxNode* discarded_ = nullptr;  // the expression whose value no statement uses
  std::int64_t n_local_bytes_ = 0;         // of local arrays
  std::int64_t n_shared_bytes_ = 0;        // likewise
  std::set<int> trip_arrays_;              // local arrays that a loop makes on each trip
  std::map<const ConstantArray*, int> constant_arrays_;
  // The call whose array is the only value of a variable: the variable is where its elements are.
  const SyntaxNode* only_value_ = nullptr;
  int only_target_ = 0;
};

}  // namespace numpy_plugin::declare
