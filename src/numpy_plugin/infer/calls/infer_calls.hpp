// Inference of calls: of Python's and NumPy's functions, of device functions and ufuncs, of what
// only device kernels have, and of the functions that make arrays.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/expressions/infer_expressions.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

// The value given for a keyword of a call; null where it is not given.
const SyntaxNode* find_keyword(const SyntaxNode& call, std::string_view name);
// The argument at a position or under its name; nullptr where it is not given.
const SyntaxNode* find_argument(const SyntaxNode& call, std::size_t position,
                                std::string_view name);

// A function's name as users write it: "print", "cuda.zeros".
std::string without_builtins(const std::string& name);

class CallInference : protected ExpressionInference {
 public:
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();  // of arguments

  static bool has_builtin(std::string_view name) { return builtins().contains(name); }

 protected:
  using ExpressionInference::ExpressionInference;
  ~CallInference() = default;

  Value infer_call(const SyntaxNode& node) override;
  std::optional<std::vector<Value>> scalar_arguments(const std::string& name, int n_least,
                                                     int n_most, const SyntaxNode& node,
                                                     const std::vector<std::string>& keywords = {});
  bool effect_statement(const SyntaxNode& node);

  struct Loop {
    std::optional<Flow> at_break;
    std::optional<Flow> at_continue;
  };

  // Of the walk under way.
  std::vector<Loop> loops_;
  const SyntaxNode* discarded_ = nullptr;  // the expression whose value no statement uses
  std::int64_t n_local_bytes_ = 0;         // of local arrays
  std::int64_t n_shared_bytes_ = 0;        // likewise
  std::set<int> trip_arrays_;              // local arrays that a loop makes on each trip
  // The call whose array is the only value of a variable: the variable is where its elements are.
  const SyntaxNode* only_value_ = nullptr;
  int only_target_ = 0;

 private:
  // infer_calls.cpp
  Value call_binding(const Binding& binding, const SyntaxNode& node);
  Value call_function(const std::string& name, const SyntaxNode& node);
  Value call_dtype(base::DType dtype, const SyntaxNode& node);
  Value report_not_a_function(const Value& value, const SyntaxNode& node);
  bool check_starred_arguments(const SyntaxNode& node);
  bool check_plain_arguments(const std::string& name, const SyntaxNode& node,
                             const std::vector<std::string>& keywords = {});
  // Whether as many arguments are given; the hint is the function's usual ones, as "(x, y)".
  bool check_argument_count(int n_least, int n_most, const SyntaxNode& node,
                            const std::string& hint);
  // Whether an argument of the function shown is a number; says so where it is not.
  bool check_number(const Value& value, const std::string& shown);
  Value explicit_cast(const Value& value, base::DType dtype, const SyntaxNode& node);

  // infer_uncallable.cpp
  std::string constant_shape(const SyntaxNode& shape) const;
  std::string local_array_hint(const std::string& name, const SyntaxNode& node) const;
  std::string iteration_hint(const std::string& name, const SyntaxNode& node);
  Value report_uncallable(const std::string& name, const SyntaxNode& node);

  // infer_methods.cpp: what NumPy's arrays can be asked for element by element.
  std::string array_like_hint(const std::string& name, const SyntaxNode& node) const;
  using Method = Value (CallInference::*)(const Value& owner, const SyntaxNode& node);
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
  Value builtin_clip(const std::string& name, const SyntaxNode& node);
  Value builtin_like(const std::string& name, const SyntaxNode& node);

  // infer_functions.cpp: the rows of functions.def.
  Value call_table_function(const FunctionInfo& row, const SyntaxNode& node);
  bool check_argument_kinds(const FunctionInfo& row, const std::vector<Value>& arguments,
                            const SyntaxNode& node);
  bool check_whole_arguments(const std::vector<Value>& arguments, const SyntaxNode& node);
  Expression fold_calls(Operation operation, base::DType result, std::vector<Expression> operands,
                        const Place& where) const;
  Value math_function(const FunctionInfo& row, const std::vector<Value>& arguments,
                      const SyntaxNode& node);
  Value numpy_scalar(Value number);
  Value numpy_function(const FunctionInfo& row, std::vector<Value> arguments,
                       const SyntaxNode& node);
  Value numpy_operator(const FunctionInfo& row, const std::vector<Value>& arguments,
                       const SyntaxNode& node);
  Value apply(const FunctionInfo& row, const InferredType& type,
              const std::vector<Value>& arguments, const SyntaxNode& node);

  // infer_builtins.cpp and infer_*_functions.cpp: functions that are no single operation.
  using Builtin = Value (CallInference::*)(const std::string& name, const SyntaxNode& node);
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
  Value builtin_range(const std::string& name, const SyntaxNode& node);
  Value round_to_digits(const Value& number, const Value& digits, const SyntaxNode& node);
  Value builtin_where(const std::string& name, const SyntaxNode& node);
  Value builtin_logical(const std::string& name, const SyntaxNode& node);
  Value builtin_part(const std::string& name, const SyntaxNode& node);
  Value builtin_nan_to_num(const std::string& name, const SyntaxNode& node);
  Value finite_number(const Value& number, const std::vector<std::optional<Value>>& given,
                      const SyntaxNode& node);
  std::optional<std::vector<Value>> tuple_numbers(const std::string& shown, const SyntaxNode& node);
  Value builtin_reduce(const std::string& name, const SyntaxNode& node);
  Value builtin_any_all(const std::string& name, const SyntaxNode& node);
  Value builtin_distance(const std::string& name, const SyntaxNode& node);
  Value builtin_fold(const std::string& name, const SyntaxNode& node);
  Value builtin_pair(const std::string& name, const SyntaxNode& node);
  Value builtin_ldexp(const std::string& name, const SyntaxNode& node);
  Value builtin_close(const std::string& name, const SyntaxNode& node);
  Value keyword_number(const std::string& keyword, double usual, const SyntaxNode& node);
  Expression whole_operand(const Value& value);
  Value builtin_order(const std::string& name, const SyntaxNode& node);
  Value builtin_angle(const std::string& name, const SyntaxNode& node);
  Value builtin_logarithm(const std::string& name, const SyntaxNode& node);

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
  Value call_thread_function(const std::string& name, const SyntaxNode& node);
  Value grid_value(const std::string& name, const SyntaxNode& node);
  Value thread_row_value(ThreadFunction function, const SyntaxNode& node);
  std::optional<std::vector<Value>> thread_arguments(const ThreadFunctionInfo& row,
                                                     const SyntaxNode& node);
  std::optional<std::vector<Expression>> thread_operands(const ThreadFunctionInfo& row,
                                                         const std::vector<Value>& arguments,
                                                         const SyntaxNode& node);
  Expression thread_operand(char letter, const Value& value, const SyntaxNode& node);
  Expression lane_mask(const Value& value);
  static InferredType thread_result(const ThreadFunctionInfo& row,
                                    const std::vector<Value>& arguments);

  // infer_atomics.cpp
  Value call_atomic(const std::string& name, const SyntaxNode& node);
  bool check_atomic_dtype(const AtomicInfo& info, const Value& array, const SyntaxNode& node);
  Value atomic_value(Atomic function, const Value& array, const SyntaxNode& node);

  // infer_local_arrays.cpp
  Value builtin_local_array(const std::string& name, const SyntaxNode& node);
  Value builtin_constant_array(const std::string& name, const SyntaxNode& node);
  Value make_array(ArrayStorage::Kind kind, const SyntaxNode& node);
  Value dynamic_array(base::DType dtype, const SyntaxNode& node);
  std::optional<std::vector<std::int64_t>> array_shape(const SyntaxNode& node,
                                                       ArrayStorage::Kind kind);
  std::optional<std::int64_t> array_extent(const Expression& expression, const Value& whole,
                                           ArrayStorage::Kind kind);
  bool check_array_bytes(const std::vector<std::int64_t>& sizes, base::DType dtype,
                         ArrayStorage::Kind kind, const SyntaxNode& node);
  int local_for_array(const InferredType& type, ArrayStorage storage, const SyntaxNode& call);
};

}  // namespace numpy_plugin::declare
