// The front ends: a Python function's syntax, or a C++ body, and a type signature in; a typed
// kernel out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/declare/kernel.hpp"
#include "numpy_plugin/declare/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

struct FrontEndResult {
  TypedKernel kernel;
  std::vector<Diagnostic> warnings;
  std::vector<SourceText> sources;  // what the warnings' places point into
};

// Types a Python function for one signature, NEP 50 arithmetic. With `outputs` empty in `signature`
// (a declaration without signatures) the results' types are those that the body has. Throws
// KernelError with all that is wrong.
FrontEndResult type_python_kernel(const FunctionSyntax& function, const TypeSignature& signature,
                                  const std::optional<CoreSignature>& layout);

// Types a Python function as a device kernel, which a user launches with a grid and a block: its
// parameters are numbers and arrays, and it returns nothing.
FrontEndResult type_device_kernel(const FunctionSyntax& function,
                                  const std::vector<OperandType>& parameters);

// Checks a C++ body before any compiler sees it (brackets, #include, '**', Python's statements,
// outputs never assigned) and binds it to a signature. Throws DiagnosedError of kind kCompiler
// whose text has the body's line underlined.
TypedKernel type_cpp_kernel(const CppBody& body, const TypeSignature& signature,
                            const std::optional<CoreSignature>& layout);

// The checks of C++ text for the preamble of `name`; throws as type_cpp_kernel does.
void check_preamble(const std::string& name, const std::string& preamble);

// The signature of a C++ body declared without any: its types are not read from the text, so the
// results have the one that NumPy's promotion has for the operands.
TypeSignature promoted_signature(const std::vector<base::DType>& inputs, std::size_t n_outputs);

}  // namespace numpy_plugin::declare
