// The mistakes in a C++ body that all compilers explain badly, found before any of them runs.
#pragma once

#include <vector>

#include "numpy_plugin/declare/diagnostic.hpp"
#include "numpy_plugin/declare/front_end.hpp"

namespace numpy_plugin::declare {

// In the order of the text; empty for a body that looks right.
std::vector<Diagnostic> check_cpp_body(const CppBody& body, bool is_generalized);

}  // namespace numpy_plugin::declare
