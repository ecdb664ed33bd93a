// The only place where errors of the C++ layers and of kernels become Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <tuple>
#include <vector>

#include "numpy_plugin/declaration/declaration.hpp"
#include "numpy_plugin/diagnostics/diagnostic.hpp"
#include "numpy_plugin/run/launch/raise_records.hpp"
#include "numpy_plugin/run/reports/kernel_reports.hpp"
#include "numpy_plugin/signature/signature_text.hpp"

namespace numpy_plugin::ufunc {

// Registers the translation of base::Error to the classes of numpy_plugin with nanobind.
void register_exceptions();

// The package's `Mistake`, whose position is yet to be found in the user's call.
nanobind::object mistake_object(const declare::ArgumentMistake& mistake);

// Sets the Python error for a C++ exception, for C callbacks. Requires the GIL.
void set_python_error(const std::exception_ptr& error);

// Issues each as a KernelWarning at the user's file and line; throws nanobind::python_error when a
// filter turns one into an error.
void issue_warnings(const std::vector<declare::KernelWarning>& warnings);

// Ctrl-C and other signals during long work in the main thread: runs their handlers immediately,
// and an exception raised by one ends the work.

// Lets the lower layers check for interrupts; once per process.
void register_interruption_test();

// Sets the Python error that ended this thread's work; once per interruption.
void raise_interruption();

// Returns a call's result; null with the Python error set where its loops were interrupted.
PyObject* result_or_interruption(PyObject* result);

// Python exceptions from records of what a kernel raised.

// While a scope is open, loops of this thread record exceptions for its owner; otherwise they set
// the Python error themselves. Nests.
class RaiseScope {
 public:
  RaiseScope();
  ~RaiseScope();
  RaiseScope(const RaiseScope&) = delete;
  RaiseScope& operator=(const RaiseScope&) = delete;

  const run::RaisedError& raised() const { return run::raised_error(); }

 private:
  run::RaisedError outer_;
  bool was_open_;
};

bool is_raise_scope_open();

// Sets the Python error: the user's exception with its arguments. It has the attribute `element`, a
// tuple of indices or None, a note with the position of the `raise`, and a traceback that ends at
// the kernel's line. Requires the GIL.
void set_raised_exception(const run::RaisedError& raised, const std::string& ufunc_name,
                          const nanobind::object& element);

// Likewise for an exception found after its call has returned: a note names the call.
void set_late_exception(const run::LateRaise& late);

// Maps errors in C++ source that is a literal in a user's file to that file.

// Plain data stored in a Python exception: line, column, end line, end column, source.
using PlaceData = std::tuple<int, int, int, int, int>;
using NoteData = std::tuple<std::string, PlaceData>;
using DiagnosticData = std::tuple<std::string, std::string, PlaceData, std::vector<NoteData>>;
using SourceData = std::tuple<std::string, std::vector<std::string>>;  // its label and its lines
using ErrorData = std::tuple<std::vector<DiagnosticData>, std::vector<SourceData>>;

ErrorData error_data(const declare::DiagnosedError& error);

// Position of a source's text: its number, the file, the function, line and column in bytes, and
// the file's lines from there on.
using Literal = std::tuple<int, std::string, std::string, int, int, std::vector<std::string>>;
// A diagnostic: file, line, column in characters from 1, message, hint.
using ShownDiagnostic = std::tuple<std::string, int, int, std::string, std::string>;

// The complete text of an error whose sources are those literals, and its diagnostics.
std::tuple<std::string, std::vector<ShownDiagnostic>> show_in_literals(
    const ErrorData& data, const std::vector<Literal>& literals);

}  // namespace numpy_plugin::ufunc
