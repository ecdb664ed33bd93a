// The user's line that a call into this package came from.
#pragma once

#include <string>

namespace numpy_plugin::ufunc {

// "what at model.py:12": of all Python frames the first outside of this package; `what` alone where
// there is none.
std::string at_caller_line(const std::string& what);

// That frame's place as PyErr_WarnEx counts them.
int caller_stack_level();

}  // namespace numpy_plugin::ufunc
