// Users' code in a source: C++ bodies and external functions, and the #line directives by which
// compilers' messages refer to users' lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

// #line directives of kernels from Python. Lines are relative to the function's first one and files
// are labels, so that compiled code stays in the cache when a function moves in its file.

// `#line 12 "label"` and a line feed; the label is a base::source_label.
std::string line_directive(int line, const std::string& label);

// The directive of a place in a kernel's sources; empty where it is unknown.
std::string line_directive(const std::vector<declare::SourceText>& sources,
                           const declare::SourceSpan& place);
// Ends the lines of a function.
std::string end_of_lines();

// A source as shown to users: without the directives above, which C++ bodies' are not.
std::string without_line_directives(std::string_view text);

// The texts that labels in the kernels' compiled code name.
std::vector<declare::LabelledSource> labelled_sources(const Program& program);

// User-written C++ kernels: their unchanged text, with #line directives.

// Members of the kernel's struct: type aliases, `call`, and its helpers.
std::string print_cpp_body(const declare::TypedKernel& kernel);

// A __global__ function of this name with the kernel's inputs as parameters, as scalars or as
// npp::View, and the struct that it calls.
std::string print_launched_body(const declare::TypedKernel& kernel, const std::string& name);

// The user's preamble of a ufunc, to be placed before the kernels; empty where there is none.
std::string print_preamble(const std::string& name, const std::string& preamble);

// The user's text between #line directives, which compiler messages refer to by the label.
std::string print_user_text(const std::string& label, const std::string& text);

// "<body of 'hypot'>", "<preamble of 'hypot'>": labels of a kernel's texts.
std::string body_label(const std::string& name);
std::string preamble_label(const std::string& name);

// Includes the functions available to C++ bodies; kernels from Python omit it to compile faster.
std::string print_body_include(const Program& program, Target target);

// "<body of 'hypot'>"; for Python kernels the first C++ text they call, empty without one.
UserText user_text(const Program& program, Target target);

// C++ functions that Python kernels call: bodies of other ufuncs and external functions, each in a
// struct, in one namespace with the text it needs.

struct ExternalFunctions {
  std::string text;  // precedes the kernels
  // The C++ names by kernel of the program and index into its external functions.
  std::vector<std::vector<std::string>> names;
  std::vector<LibraryFunction> library_functions;  // as in Source
  declare::DeviceCodes linked;
  std::string missing;
};

// Throws base::Error (kCompiler) for a function without device code.
ExternalFunctions print_external_functions(const Program& program, Target target);

}  // namespace numpy_plugin::emit
