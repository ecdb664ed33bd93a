// Inference of names from outside the function: numbers, tuples, arrays, thread indices.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/infer/core/function_context.hpp"

namespace numpy_plugin::declare {

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
