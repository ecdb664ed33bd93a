// The front end of C++ bodies: what is checked before any compiler sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

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

// Throws a DeclarationError for a name that is none in C++, is reserved, or is there twice.
void check_operand_names(const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs);

// Whether the body may call something that a compiler doesn't turn into a few instructions: true
// for every call but sqrt, fabs, abs, min, max, floor and ceil.
bool calls_functions(std::string_view body);

// Whether the body may branch: if, for, while, do, switch, goto, '?', '&&', '||'.
bool has_control_flow(std::string_view body);

}  // namespace numpy_plugin::declare
