// Mistakes in a C++ body that all compilers explain badly, found before any of them runs.
#pragma once

#include <string>
#include <vector>

#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/kernel/kernel.hpp"
#include "numpy_plugin/syntax/ufunc_syntax.hpp"

namespace numpy_plugin::declare {

// In the order of the text; empty without mistakes.
std::vector<Diagnostic> check_cpp_body(const CppBody& body, bool is_generalized);

// Likewise for a preamble, which may include files and has no results.
std::vector<Diagnostic> check_cpp_preamble(const std::string& preamble);

}  // namespace numpy_plugin::declare
