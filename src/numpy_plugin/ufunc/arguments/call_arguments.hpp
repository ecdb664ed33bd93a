// Reads the arguments of f(...) as NumPy reads them, for calls that NumPy does
// not make itself: on device arrays, and on host arrays that go to a device.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "numpy_plugin/ufunc/api/numpy_api.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"
#include "numpy_plugin/ufunc/loops/ufunc_state.hpp"

namespace numpy_plugin::ufunc {

// The arguments of a call as Python hands them over.
struct GivenArguments {
  PyObject* const* values = nullptr;  // positional, then named
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

// The same from a tuple and a dict, which outlive this.
class PythonArguments {
 public:
  PythonArguments(const nanobind::tuple& positional, const nanobind::dict& named);
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nanobind::object names_;
};

// The same arguments for NumPy, which does not know `stream`.
class ArgumentsWithoutStream {
 public:
  explicit ArgumentsWithoutStream(const GivenArguments& given);
  GivenArguments given() const { return {values_.data(), n_positional_, names_.ptr()}; }

 private:
  std::vector<PyObject*> values_;
  std::size_t n_positional_;
  nanobind::object names_;
};

// Borrowed references; null where not given, or given with the value that is NumPy's default.
struct CallArguments {
  GivenArguments given;
  std::size_t n_inputs = 0;
  std::size_t n_outputs = 0;
  // Inputs, then outputs: null for one that is to be made.
  std::array<nanobind::handle, NPY_MAXARGS> operands;
  nanobind::handle out;         // as it was given by name; its arrays are among the operands
  bool returns_arrays = false;  // out=...: where NumPy would return scalars
  nanobind::handle where, dtype, signature, casting, order, subok, axis, axes, keepdims, stream;

  std::size_t n_operands() const { return n_inputs + n_outputs; }
  nanobind::handle output(std::size_t index) const { return operands[n_inputs + index]; }
};

// Whether the name of an argument is this one.
bool is_name(PyObject* name, const char* text);

// Whether it is the name of something that NumPy takes, or `stream`.
bool is_numpy_keyword(PyObject* name);

// As is_name() for a name that is looked for in every call: mostly it is one and the same object.
class Name {
 public:
  explicit Name(const char* text) : text_(text), object_(PyUnicode_InternFromString(text)) {}
  bool is(PyObject* name) const { return name == object_ || is_name(name, text_); }

 private:
  const char* text_;
  PyObject* object_;  // never freed
};

// Throws what NumPy throws for a wrong number of operands, unknown names and a wrong `out`.
CallArguments read_call(PyObject* ufunc, const UfuncState& state, const GivenArguments& given);

// For a call that is wrong in a way that NumPy has words for: NumPy makes it, on host
// arrays without memory in place of the device arrays, and its exception is thrown. That it raises
// is the caller's promise; `reason` says why it should, for the assertion.
[[noreturn]] void raise_numpys_error(PyObject* ufunc, const UfuncState& state,
                                     const GivenArguments& given, const char* reason);

// The device array that an object is; null for any other object.
const DeviceArray* find_device_array(nanobind::handle object);

// Whether an object is an array on a device: one of this package's, or another library's.
bool is_on_device(nanobind::handle object);

}  // namespace numpy_plugin::ufunc
