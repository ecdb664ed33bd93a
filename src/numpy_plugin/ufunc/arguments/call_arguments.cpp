#include "numpy_plugin/ufunc/arguments/call_arguments.hpp"

#include <string>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// A keyword argument and the field that stores its value.
struct Keyword {
  Name name;
  nb::handle CallArguments::*place;
};

const Keyword* find_keyword(PyObject* name) {
  static const Keyword keywords[] = {
      {Name("out"), &CallArguments::out},         {Name("where"), &CallArguments::where},
      {Name("stream"), &CallArguments::stream},   {Name("dtype"), &CallArguments::dtype},
      {Name("casting"), &CallArguments::casting}, {Name("signature"), &CallArguments::signature},
      {Name("sig"), &CallArguments::signature},   {Name("order"), &CallArguments::order},
      {Name("subok"), &CallArguments::subok},     {Name("axis"), &CallArguments::axis},
      {Name("axes"), &CallArguments::axes},       {Name("keepdims"), &CallArguments::keepdims},
  };
  for (const Keyword& keyword : keywords) {
    if (keyword.name.is(name)) return &keyword;
  }
  return nullptr;
}

// Whether a value equals NumPy's default.
bool is_default(const Keyword& keyword, nb::handle value) {
  if (keyword.place == &CallArguments::where) return value.ptr() == Py_True;
  return keyword.place == &CallArguments::stream && value.is_none();
}

// False for unknown or duplicate names.
bool take_named(const GivenArguments& given, CallArguments& call) {
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    const Keyword* keyword = find_keyword(given.name(i));
    if (keyword == nullptr || (call.*keyword->place).is_valid()) return false;
    const nb::handle value = given.values[given.n_positional + i];
    if (!is_default(*keyword, value)) call.*keyword->place = value;
  }
  return true;
}

nb::handle or_none_given(nb::handle value) { return value.is_none() ? nb::handle() : value; }

bool has_signature_once(const CallArguments& call) {
  if (!call.signature.is_valid()) return true;
  return !call.signature.is_none() && !call.dtype.is_valid();
}

// Supported since NumPy 2.3; the test uses the version of its C API.
bool is_ellipsis_for_out(nb::handle out) {
  constexpr unsigned kVersionOfNumpy23 = 0x14;
  return out.ptr() == Py_Ellipsis && PyArray_GetNDArrayCFeatureVersion() >= kVersionOfNumpy23;
}

// False for an invalid `out`.
bool take_outputs(CallArguments& call) {
  if (!call.out.is_valid()) return true;
  if (call.given.n_positional > call.n_inputs) return false;
  call.returns_arrays = is_ellipsis_for_out(call.out);
  if (call.returns_arrays) return true;
  if (!PyTuple_CheckExact(call.out.ptr())) {
    call.operands[call.n_inputs] = or_none_given(call.out);
    return call.n_outputs == 1 || call.out.is_none();
  }
  if (PyTuple_GET_SIZE(call.out.ptr()) != static_cast<Py_ssize_t>(call.n_outputs)) return false;
  for (std::size_t i = 0; i < call.n_outputs; ++i) {
    call.operands[call.n_inputs + i] =
        or_none_given(PyTuple_GET_ITEM(call.out.ptr(), static_cast<Py_ssize_t>(i)));
  }
  return true;
}

bool take_positional(const GivenArguments& given, CallArguments& call) {
  if (given.n_positional < call.n_inputs || given.n_positional > call.n_operands()) return false;
  for (std::size_t i = 0; i < given.n_positional; ++i) {
    const nb::handle value = given.values[i];
    call.operands[i] = i < call.n_inputs ? value : or_none_given(value);
  }
  return true;
}

}  // namespace

const DeviceArray* find_device_array(nb::handle object) {
  static auto* const type = reinterpret_cast<PyTypeObject*>(nb::type<DeviceArray>().ptr());
  if (Py_TYPE(object.ptr()) != type && !PyType_IsSubtype(Py_TYPE(object.ptr()), type)) {
    return nullptr;
  }
  return nb::inst_ready(object) ? nb::inst_ptr<DeviceArray>(object) : nullptr;
}

bool is_on_device(nb::handle object) {
  if (find_device_array(object) != nullptr) return true;
  if (PyArray_Check(object.ptr())) return false;  // it supports DLPack, too
  return may_be_foreign_device_array(object) && is_foreign_device_array(object);
}

bool is_name(PyObject* name, const char* text) {
  return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

bool is_numpy_keyword(PyObject* name) { return find_keyword(name) != nullptr; }

CallArguments read_call(PyObject* ufunc, const UfuncState& state, const GivenArguments& given) {
  const declare::Declaration& declaration = state.library->declaration();
  CallArguments call;
  call.given = given;
  call.n_inputs = declaration.n_inputs;
  call.n_outputs = declaration.n_outputs;
  if (take_positional(given, call) && take_named(given, call) && has_signature_once(call) &&
      take_outputs(call))
    return call;
  raise_numpys_error(ufunc, state, given, "its arguments are not those of a ufunc");
}

PythonArguments::PythonArguments(const nb::tuple& positional, const nb::dict& named)
    : n_positional_(positional.size()) {
  for (const nb::handle value : positional) values_.push_back(value.ptr());
  nb::list names;
  for (const auto& [name, value] : named) {
    names.append(name);
    values_.push_back(value.ptr());
  }
  names_ = nb::tuple(names);
}

ArgumentsWithoutStream::ArgumentsWithoutStream(const GivenArguments& given)
    : values_(given.values, given.values + given.n_positional), n_positional_(given.n_positional) {
  nb::list names;
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (is_name(given.name(i), "stream")) continue;
    values_.push_back(given.values[given.n_positional + i]);
    names.append(nb::handle(given.name(i)));
  }
  names_ = nb::tuple(names);
}

void raise_numpys_error(PyObject* ufunc, const UfuncState& state, const GivenArguments& given,
                        const char* reason) {
  const ArgumentsWithoutStream others(given);
  std::vector<nb::object> owned;
  std::vector<PyObject*> values;
  for (std::size_t i = 0; i < others.given().n_values(); ++i) {
    owned.push_back(with_stand_ins(others.given().values[i]));
    values.push_back(owned.back().ptr());
  }
  const nb::object result =
      nb::steal(state.numpy_call(ufunc, values.data(), given.n_positional, others.given().names));
  if (!result.is_valid()) throw nb::python_error();
  NPP_ASSERT(false, format("NumPy takes a call of '{}' that was refused: {}", state.name, reason));
  throw nb::python_error();  // unreachable
}

}  // namespace numpy_plugin::ufunc
