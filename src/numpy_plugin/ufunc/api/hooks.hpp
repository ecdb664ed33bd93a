// Python functions and classes of the package that C++ uses: registered by numpy_plugin/_hooks.py,
// the only module of the package that C++ names.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace numpy_plugin::ufunc {

// A function whose module is imported at its first call.
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
  nanobind::object mistake;          // class: an invalid argument, with its message
  nanobind::object issue_warning;    // at a kernel's file and line
  nanobind::object warn_of_mistake;  // at the user's call
  nanobind::object show_in_call;     // adds a mistake's position in the call to an exception
  LazyFunction show_in_file;         // maps an exception's positions to the user's file
  LazyFunction raised_exception;     // creates the exception of a kernel's `raise`
  LazyFunction show_line;            // writes a line of a kernel's `print`
  LazyFunction tell_lost_lines;      // of `print` on a device
  LazyFunction log_event;            // of a topic, with its level, text, duration and time
  LazyFunction is_logged;            // whether events of a topic are
  LazyFunction show_progress;        // of long compilations; returns whether to be called again
  LazyFunction warn_of_changes;      // for changed values of a ufunc's captured constants
  LazyFunction call_ufunc;           // of NumPy or another package, on device arrays
  LazyFunction call_function;        // of NumPy, on device arrays
  LazyFunction call_method;          // of DeviceArray, by its name
  LazyFunction call_on_dask;         // of a ufunc on dask arrays
  LazyFunction call_on_pandas;       // of a ufunc or its method on pandas' types
  LazyFunction call_on_polars;       // of a ufunc on polars' series
  LazyFunction outer_on_dask;        // of a ufunc's method
  LazyFunction to_library;           // converts a device array to an operand's library
  LazyFunction stream_of;            // the current stream of an array's library, or None
  LazyFunction stream_object;        // that owns the current stream of a library, or None
};

// Imports numpy_plugin._hooks at the first call. Requires the GIL.
const Hooks& hooks();

// Stores the hooks, given by the names above, for the process's lifetime.
void set_hooks(const nanobind::kwargs& given);

}  // namespace numpy_plugin::ufunc
