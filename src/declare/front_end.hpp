// The front ends: a Python function's syntax, or a C++ body, and a type signature in; a typed
// kernel out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numpy_plugin/declare/kernel.hpp"
#include "numpy_plugin/declare/syntax.hpp"

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

// A C++ body as a person gives it.
struct CppBody {
  std::string name;
  std::string body;
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
};

// Checks a C++ body before any compiler sees it (brackets, #include, '**', outputs never assigned;
// the rows B5 to B10, B14 and B16 of the catalogue) and binds it to a signature. Throws base::Error
// of kind kCompiler whose text has the body's line underlined.
TypedKernel type_cpp_kernel(const CppBody& body, const TypeSignature& signature,
                            const std::optional<CoreSignature>& layout);

}  // namespace numpy_plugin::declare
