// The user's line that called into this package.
#pragma once

#include <memory>
#include <string>

#include "numpy_plugin/run/launch/launch_log.hpp"

namespace numpy_plugin::ufunc {

// "what at model.py:12", the innermost Python frame outside of this package; `what` alone where
// there is no such frame.
std::string at_caller_line(const std::string& what);

// That frame's stack level for PyErr_WarnEx.
int caller_stack_level();

// That line as the place of a call's launches; its text is formed when it is shown.
std::shared_ptr<const run::LaunchPlace> place_of_call(const std::string& kernel);

}  // namespace numpy_plugin::ufunc
