// Front end of C++ bodies and external functions: syntactic checks before any compiler runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

// Checks a C++ body before any compiler runs (brackets, #include, '**', Python statements, outputs
// never assigned) and binds it to a signature. Throws DiagnosedError of kind kCompiler whose text
// underlines the body's line.
TypedKernel type_cpp_kernel(const CppBody& body, const TypeSignature& signature,
                            const std::optional<CoreSignature>& layout);

// Checks the C++ text of `name`'s preamble; throws like type_cpp_kernel.
void check_preamble(const std::string& name, const std::string& preamble);

// The signature of a kernel declared without one, whose types are not inferred from a text: the
// results have the dtype that NumPy's promotion gives for the operands.
TypeSignature promoted_signature(const std::vector<base::DType>& inputs, std::size_t n_outputs);

// Likewise of a C++ body: its patterns say which types the results have.
TypeSignature body_signature(const CppBody& body, const std::vector<base::DType>& inputs,
                             std::size_t n_outputs);

// Resolves the patterns of a body for a call; throws like resolve_pattern.
PatternedOperands patterned_operands(const CppBody& body);

// Throws a DeclarationError for a name that is invalid in C++, reserved or duplicate.
void check_operand_names(const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs);

// Whether the body may call a function that compilers don't reduce to a few instructions: true for
// every call except sqrt, fabs, abs, min, max, floor and ceil.
bool calls_functions(std::string_view body);

// Whether the body may branch: if, for, while, do, switch, goto, '?', '&&', '||'.
bool has_control_flow(std::string_view body);

// An external function as declared by declare_device, checked as far as its text permits. Throws
// base::Error: kSignature for an invalid name or signature, kValue for a source without the
// function.
std::shared_ptr<const ExternalFunction> declare_external_function(const std::string& name,
                                                                  const std::string& signature,
                                                                  DeclaredCode code,
                                                                  DeviceCodes linked);

}  // namespace numpy_plugin::declare
