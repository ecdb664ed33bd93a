// Whether plain data is a function as Python's parser would give it. What is walked later takes its
// form for granted, and a pickle may bring anything.
#pragma once

#include "numpy_plugin/syntax/syntax.hpp"

namespace numpy_plugin::declare {

// Throws base::Error (kValue) that names what is missing or out of place. Functions that it calls
// are checked on their own.
void check_syntax(const FunctionSyntax& function);

}  // namespace numpy_plugin::declare
