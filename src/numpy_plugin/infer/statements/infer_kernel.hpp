// Front end of Python kernels: turns a function's syntax and a type signature into a typed kernel.
#pragma once

#include <optional>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

struct FrontEndResult {
  TypedKernel kernel;
  std::vector<Diagnostic> warnings;
  std::vector<SourceText> sources;  // sources of the warnings' places
};

// Types a Python function for one signature by NEP 50. With `outputs` empty in `signature` (a
// declaration without signatures) the results' types are inferred from the body. Scalar inputs that
// are `plain` are int64, and take the type of others; empty: none. Throws KernelError with all
// errors.
FrontEndResult type_python_kernel(const FunctionSyntax& function, const TypeSignature& signature,
                                  const std::optional<CoreSignature>& layout,
                                  const std::vector<bool>& plain = {});

// Types a Python function as a device kernel, launched with a grid and a block: its parameters are
// numbers and arrays, and it returns nothing.
FrontEndResult type_device_kernel(const FunctionSyntax& function,
                                  const std::vector<OperandType>& parameters);

}  // namespace numpy_plugin::declare
