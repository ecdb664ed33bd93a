// Python functions and classes of the package that C++ calls: numpy_plugin/_hooks.py hands them
// over, and no other module of the package is named in C++.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace numpy_plugin::ufunc {

// A function whose module is imported when it is first called.
class LazyFunction {
 public:
  // `load` returns the function.
  explicit LazyFunction(nanobind::object load) : load_(std::move(load)) {}

  const nanobind::object& get() const {
    if (!function_.is_valid()) function_ = load_();
    return function_;
  }

  template <typename... Arguments>
  nanobind::object operator()(Arguments&&... arguments) const {
    return get()(std::forward<Arguments>(arguments)...);
  }

 private:
  nanobind::object load_;
  mutable nanobind::object function_;
};

struct Hooks {
  nanobind::dict exceptions;         // classes of the package, by name
  nanobind::object diagnostic;       // class: file, line, column, message, hint
  nanobind::object mistake;          // class: what is wrong with an argument
  nanobind::object issue_warning;    // at a kernel's file and line
  nanobind::object warn_of_mistake;  // at the user's call
  nanobind::object show_in_call;     // adds a mistake's place to an exception
  LazyFunction show_in_file;         // moves an exception's places into the user's file
  LazyFunction raised_exception;     // makes the exception of a kernel's `raise`
  LazyFunction warn_of_changes;      // of values that were built into a ufunc's kernel
  LazyFunction call_ufunc;           // of NumPy or of another package, on device arrays
  LazyFunction call_function;        // of NumPy, on device arrays
  LazyFunction to_library;           // makes a device array one of an operand's library
  LazyFunction stream_of;            // the stream that an array's library works on, or None
};

// Imports numpy_plugin._hooks when first called. The GIL is held.
const Hooks& hooks();

// Keeps the hooks, given by the names above, until the process ends.
void set_hooks(const nanobind::kwargs& given);

}  // namespace numpy_plugin::ufunc
