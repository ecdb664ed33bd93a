// The user's line that called into this package.
#pragma once

#include <string>

namespace numpy_plugin::ufunc {

// "what at model.py:12", the innermost Python frame outside of this package; `what` alone where
// there is no such frame.
std::string at_caller_line(const std::string& what);

// That frame's stack level for PyErr_WarnEx.
int caller_stack_level();

}  // namespace numpy_plugin::ufunc
