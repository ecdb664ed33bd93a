// Arguments of f(...) by NumPy's rules, and where a call with them runs.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// Parses the arguments for calls that bypass NumPy: on device arrays, and on offloaded host arrays.

// Arguments of a call in vectorcall form.
struct GivenArguments {
  PyObject* const* values = nullptr;  // positional, then keyword arguments
  std::size_t n_positional = 0;
  PyObject* names = nullptr;  // a tuple, or null

  std::size_t n_named() const {
    return names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_GET_SIZE(names));
  }
  std::size_t n_values() const { return n_positional + n_named(); }
  PyObject* name(std::size_t named) const {
    return PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(named));
  }
};

// Vectorcall form of a tuple and a dict, which outlive this.
class PythonArguments {
 public:
  PythonArguments(const nanobind::tuple& positional, const nanobind::dict& named);
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nanobind::object names_;
};

// Arguments for NumPy, which does not know `stream`.
class ArgumentsWithoutStream {
 public:
  explicit ArgumentsWithoutStream(const GivenArguments& given);
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nanobind::object names_;
};

// Borrowed references; null where not given or equal to NumPy's default.
struct CallArguments {
  GivenArguments given;
  std::size_t n_inputs = 0;
  std::size_t n_outputs = 0;
  // Inputs, then outputs: null for outputs to be allocated.
  std::array<nanobind::handle, NPY_MAXARGS> operands;
  nanobind::handle out;         // as given by keyword; its arrays are among the operands
  bool returns_arrays = false;  // out=...: arrays where NumPy would return scalars
  nanobind::handle where, dtype, signature, casting, order, subok, axis, axes, keepdims, stream;
  nanobind::handle library;  // an array of the results' library; null: the first device operand

  std::size_t n_operands() const { return n_inputs + n_outputs; }
  nanobind::handle output(std::size_t index) const { return operands[n_inputs + index]; }
};

// Whether a keyword is `text`.
bool is_name(PyObject* name, const char* text);

// Whether it is a keyword of NumPy's, or `stream`.
bool is_numpy_keyword(PyObject* name);

// Faster is_name() for keywords that are common in calls: compares the interned object first.
class Name {
 public:
  explicit Name(const char* text) : text_(text), object_(PyUnicode_InternFromString(text)) {}
  bool is(PyObject* name) const { return name == object_ || is_name(name, text_); }

 private:
  const char* text_;
  PyObject* object_;  // leaked on purpose
};

// Throws NumPy's exceptions for a wrong number of operands, unknown keywords and an invalid `out`.
CallArguments read_call(PyObject* ufunc, const UfuncState& state, const GivenArguments& given);

// Throws NumPy's own exception for an invalid call: repeats the call on host arrays without memory
// instead of the device arrays. The caller guarantees that NumPy raises; `reason` explains why, for
// the assertion.
[[noreturn]] void raise_numpys_error(PyObject* ufunc, const UfuncState& state,
                                     const GivenArguments& given, const char* reason);

// The device array in an object; null for other objects.
const DeviceArray* find_device_array(nanobind::handle object);

// Whether an object is an array on a device: of this package or of another library.
bool is_on_device(nanobind::handle object);

// Calls that pass operands by parameter name, or omit some that have defaults: f(x, sigma=2.0).
// NumPy knows neither and gets all operands by position.

// Reads the names and defaults of the inputs from a ufunc's declaration.
void read_parameters(UfuncState& state);

// Arguments of a call with fewer positional operands than the ufunc has. NumPy's own keywords (out,
// where, axis, ...) take precedence over parameters. Throws TypeError for operands that are
// missing, duplicate or unknown; a call without names or defaults is left for NumPy to reject.
class BoundArguments {
 public:
  BoundArguments(const UfuncState& state, const GivenArguments& given);
  GivenArguments given() const { return given_; }

 private:
  GivenArguments given_;
  std::vector<PyObject*> values_;
  nanobind::object names_;
};

// The library of the operands whose types override __array_ufunc__, where calls on its types are
// prepared for it.
enum class ForeignLibrary { kNone, kDask, kPandas, kPolars, kOther };  // kOther: also several

// Host, device or foreign dispatch, by the types of a call's operands.
struct CallDispatch {
  bool has_device_array = false;  // among the operands, `out` and `where`
  ForeignLibrary library = ForeignLibrary::kNone;
  nanobind::handle stream;  // value of `stream=`; null where not given

  bool has_foreign_dispatch() const { return library != ForeignLibrary::kNone; }
};

CallDispatch classify_operands(const GivenArguments& given);

// Likewise for a ufunc's method, all of whose arguments may be operands.
CallDispatch classify_method_operands(const GivenArguments& given);

}  // namespace numpy_plugin::ufunc
