// Kernels that a user wrote in C++: their text as it is, with #line around it, so that a compiler
// speaks of it in its own lines.
#pragma once

#include <string>

#include "numpy_plugin/emit/printing/program.hpp"

namespace numpy_plugin::emit {

// The member functions of the kernel's struct: aliases of types, `call`, and what it needs.
std::string print_cpp_body(const declare::TypedKernel& kernel);

// The user's preamble to a ufunc, ready to be put before the kernels; empty where there is none.
std::string print_preamble(const std::string& name, const std::string& preamble);

// The user's text between #line directives: messages speak of it by the label.
std::string print_user_text(const std::string& label, const std::string& text);

// The header of what C++ bodies may call; kernels from Python do without, and compile faster.
std::string print_body_include(const Program& program, Target target);

// "<body of 'hypot'>"; of Python kernels the first text they call, empty where they call none.
UserText user_text(const Program& program, Target target);

}  // namespace numpy_plugin::emit
