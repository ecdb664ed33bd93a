// User-written C++ kernels: their unchanged text, with #line directives so that compiler messages
// refer to the user's lines.
#pragma once

#include <string>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

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

}  // namespace numpy_plugin::emit
