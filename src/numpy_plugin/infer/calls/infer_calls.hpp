// Calls of functions and methods. One that is no single operation has a row of builtins.def and the
// function that the row names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"
#include "numpy_plugin/syntax/functions.hpp"

namespace numpy_plugin::declare {

// A call, dispatched by the binding of the callee's name.
Value infer_call(FunctionContext& context, const SyntaxNode& node);

// The table of Python's and NumPy's functions that are no single operation.

// Types a call; the name is that of the row: one function may serve several rows.
using Builtin = Value (*)(FunctionContext& context, const std::string& name,
                          const SyntaxNode& node);

// nullptr where the table has no such row.
Builtin find_builtin(std::string_view name);

#define NPP_BUILTIN(qualified_name, function) \
  Value function(FunctionContext& context, const std::string& name, const SyntaxNode& node);
#include "numpy_plugin/infer/calls/builtins.def"

// Calls of functions that are one operation: argument and result types by each row's rule.
Value call_table_function(FunctionContext& context, const FunctionInfo& row,
                          const SyntaxNode& node);
bool check_argument_kinds(FunctionContext& context, const FunctionInfo& row,
                          const std::vector<Value>& arguments, const SyntaxNode& node);
bool check_whole_arguments(FunctionContext& context, const std::vector<Value>& arguments,
                           const SyntaxNode& node);
Value math_function(FunctionContext& context, const FunctionInfo& row,
                    const std::vector<Value>& arguments, const SyntaxNode& node);
// Converts a plain number to a NumPy scalar.
Value numpy_scalar(FunctionContext& context, Value number);
Value numpy_function(FunctionContext& context, const FunctionInfo& row,
                     std::vector<Value> arguments, const SyntaxNode& node);

// As in NumPy: scaled by a power of ten, rounded, scaled back.
Value round_to_digits(FunctionContext& context, const Value& number, const Value& digits,
                      const SyntaxNode& node);

// The real number given for a keyword, or its default.
Value keyword_number(FunctionContext& context, const std::string& keyword, double usual,
                     const SyntaxNode& node);

// Elementwise methods and attributes of NumPy's arrays: x.astype(np.float32), x.clip(0, 1),
// x.conj(), and the equivalent functions. Numbers in a kernel support them like arrays, so that
// code written for whole arrays is a valid kernel.
Value call_method(FunctionContext& context, const SyntaxNode& node, const SyntaxNode& attribute);
// A dtype argument: np.float32, npp.float32, float, y.dtype. Reports anything else.
std::optional<base::DType> dtype_argument(FunctionContext& context, const SyntaxNode& node);
// Rounds to an integer or to a number of decimals, keeping the type.
Value numpy_round(FunctionContext& context, const Value& number, const Value* digits,
                  const SyntaxNode& node);

// Calls of NumPy's reductions and of the methods of the same names, on arrays and on elementwise
// expressions of arrays.

// Whether a call's function is the reduction of an array: a.sum, (a * b).max.
bool is_array_method(const FunctionContext& context, const SyntaxNode& callee);
Value call_array_method(FunctionContext& context, const SyntaxNode& node);

// Arrays that NumPy's functions create in a kernel.

// numpy.zeros_like(a), empty_like, ones_like and full_like of an array.
Value new_array_like(FunctionContext& context, const std::string& name, const Value& array,
                     const SyntaxNode& node);

// a.copy(), numpy.copy(a), numpy.array(a, dtype).
Value copied_array(FunctionContext& context, const Value& array, const SyntaxNode& node,
                   std::optional<base::DType> dtype = {});

// An array of the numbers in a tuple; unknown after an error.
Value array_of_items(FunctionContext& context, const Value& tuple);

// Arrays created in a kernel: npp.local_array(shape, dtype), private to the function, and
// cuda.shared.array(shape, dtype), shared by the threads of a block.
Value make_array(FunctionContext& context, ArrayStorage::Kind kind, const SyntaxNode& node);

// Functions available only in device kernels: thread indices, barriers, and warp exchanges.
Value call_thread_function(FunctionContext& context, const std::string& name,
                           const SyntaxNode& node);
// Of numpy_plugin.time: "numpy_plugin.time.year", "numpy_plugin.time.noleap.year".
Value call_calendar(FunctionContext& context, const std::string& qualified_name,
                    const SyntaxNode& node);
// Barriers and other functions without a value; false for other expressions.
bool effect_statement(FunctionContext& context, const SyntaxNode& node);

// cuda.atomic: atomic operations on elements. Each is evaluated exactly once at its position: its
// value goes into a local before the rest of its expression.
Value call_atomic(FunctionContext& context, const std::string& name, const SyntaxNode& node);

// The parameter of a device function that is the array which it returns: no name of a program.
constexpr const char* kReturnedArray = ".returned";

// Calls of device functions: arguments bound to parameters, one typed function per combination of
// argument types.
bool check_depth(FunctionContext& context, const SyntaxNode& node);
Value call_device_function(FunctionContext& context, const Binding& binding,
                           const SyntaxNode& node);
// A call with arguments for all parameters.
Value call_with_values(FunctionContext& context, const FunctionSyntax& function,
                       const std::vector<Value>& arguments, const SyntaxNode& node);
// A call of a function that returns arrays of its own; nullopt where the caller does not know their
// sizes.
std::optional<Value> call_for_array(FunctionContext& context, const FunctionSyntax& function,
                                    std::vector<Value> arguments, const SyntaxNode& node);
// Calls the kernel of a generalized ufunc, with one core array for each operand.
Value call_core_function(FunctionContext& context, const UfuncSyntax& ufunc,
                         const SyntaxNode& node);
// Reports mistakes in the callee, with the call as a note; false where there are errors.
bool propagate_findings(FunctionContext& context, const TypedFunction& callee,
                        const std::string& types, const SyntaxNode& node);

// Calls of other ufuncs of this package and of external functions. A Python kernel is typed like a
// device function, a C++ body becomes a function of the same translation unit. The loop is the one
// that NumPy would choose.
Value call_ufunc(FunctionContext& context, const Binding& binding, const SyntaxNode& node);
// Calls an external function: arguments are cast like results to declared types.
Value call_declared(FunctionContext& context, const ExternalFunction& function,
                    const SyntaxNode& node);

// Functions not supported in kernels, and their replacements.

Value report_uncallable(FunctionContext& context, const std::string& name, const SyntaxNode& node);

Value report_not_a_function(FunctionContext& context, const Value& value, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
