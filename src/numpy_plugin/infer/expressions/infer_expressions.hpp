// Expressions: dispatch by kind, names, constants, tuples, conditional expressions, attributes, and
// unsupported ones.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

// Every value records its node: messages quote it.
Value infer(FunctionContext& context, const SyntaxNode& node);
// Likewise where the value may be None; elsewhere None is an error.
Value infer_optional(FunctionContext& context, const SyntaxNode& node);
// An attribute of a value: `node` is `value.x`.
Value attribute_of(FunctionContext& context, const Value& value, const SyntaxNode& node);
Value tuple_of(const FunctionContext& context, const std::vector<Value>& items,
               const SyntaxNode& node);

// The tuple with the names of its fields, which commas separate. "1:x,y" are those of records with
// one dimension, "0:x,y" those of a single one.
Value with_names(Value tuple, std::string_view names);
Value select(FunctionContext& context, Expression condition, const Value& chosen,
             const Value& other, const SyntaxNode& node);
Value complex_part(FunctionContext& context, Operation operation, const Value& number,
                   const SyntaxNode& node);
// `a is b` of integers compares their values, as Numba does; others are errors.
Value infer_identity(FunctionContext& context, const SyntaxNode& node);
// `x in items` and `x not in items`.
Value infer_membership(FunctionContext& context, const SyntaxNode& node);
// The items of a list that is only iterated over are a tuple, each of its own type.
Value infer_listed(FunctionContext& context, const SyntaxNode& node);

// Names: which are local variables, and their values where they are read.

// "math.sqrt" for a chain of attributes of a nonlocal name; empty for other expressions.
std::string dotted(const FunctionContext& context, const SyntaxNode& node);
Value infer_name(FunctionContext& context, const SyntaxNode& node);
// Reports each name once, at its first use: the value of an assignment is inferred before its
// target.
Value report_unknown(FunctionContext& context, const SyntaxNode& node,
                     const std::string& otherwise =
                         "assign it first, make it an argument, or define it at module level");
std::string shown_function(const FunctionContext& context);

// An integer that is known although names hold it: those that are assigned once are constants.
std::optional<Int128> known_integer(FunctionContext& context, const SyntaxNode& node);
// The shape of a new array, a number or a tuple, of constants where all of them are known.
Value infer_shape(FunctionContext& context, const SyntaxNode& node);

// Names from outside the function: numbers, tuples, arrays, thread indices.
const Binding* find_binding(const FunctionContext& context, const SyntaxNode& node);
const Binding* find_root_binding(const FunctionContext& context, const SyntaxNode& node);
// The user's spelling of a module's function: "np.sqrt" where numpy was imported as np.
std::string spelling(const FunctionContext& context, std::string_view module,
                     std::string_view function);
std::vector<Note> defined_here(const FunctionContext& context, const Binding& binding,
                               std::string message);
Value value_of(FunctionContext& context, const Binding& binding, const SyntaxNode& node);
// An array built into the kernel, as a local that is never assigned.
Value constant_array(FunctionContext& context, const std::shared_ptr<const ConstantArray>& array,
                     const std::string& name, const SyntaxNode& node);
bool check_in_device_kernel(FunctionContext& context, const std::string& shown,
                            const SourceSpan& where);
Value thread_value(const FunctionContext& context, ThreadFunction function, const SyntaxNode& node);
// Reports a module's name whose value kernels do not support.
Value report_other(FunctionContext& context, const Binding& binding, const SyntaxNode& node);

}  // namespace numpy_plugin::declare
