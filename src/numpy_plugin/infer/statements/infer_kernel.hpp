// The front end of Python kernels: a function's syntax and a type signature in; a typed kernel out.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

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

}  // namespace numpy_plugin::declare
