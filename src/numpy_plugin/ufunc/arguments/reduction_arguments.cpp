#include "numpy_plugin/ufunc/arguments/reduction_arguments.hpp"

#include <utility>

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/ufunc/arguments/stand_ins.hpp"
#include "numpy_plugin/ufunc/loops/promotion.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

using base::DType;

// Position of a positional `dtype`; `out` follows it.
std::size_t dtype_position(Reduction method) { return method == Reduction::kReduceAt ? 3 : 2; }

PyObject* argument(const GivenArguments& given, std::size_t position, const char* name) {
  PyObject* found = position < given.n_positional ? given.values[position] : nullptr;
  for (std::size_t i = 0; i < given.n_named(); ++i) {
    if (is_name(given.name(i), name)) found = given.values[given.n_positional + i];
  }
  return found == Py_None ? nullptr : found;
}

// Whether no other library's __array_ufunc__ is involved.
bool is_numpys_array(PyObject* object) {
  if (PyArray_CheckExact(object)) return true;
  if (!PyArray_Check(object)) return false;
  const char* const name = "__array_ufunc__";
  const nb::handle numpys(reinterpret_cast<PyObject*>(&PyArray_Type));
  return nb::handle(object).type().attr(name).is(numpys.attr(name));
}

// The array that NumPy makes of a list or a number; null for other libraries' arrays.
nb::object as_numpys_array(PyObject* object) {
  if (is_numpys_array(object)) return nb::borrow(object);
  const bool is_plain = PyList_CheckExact(object) || PyTuple_CheckExact(object) ||
                        PyLong_Check(object) || PyFloat_Check(object);
  nb::object made = is_plain ? nb::steal(PyArray_FROM_O(object)) : nb::object();
  if (!made.is_valid()) PyErr_Clear();  // NumPy raises it again
  return made;
}

std::optional<DType> dtype_of_array(PyObject* array) {
  return dtype_of_descriptor(PyArray_DESCR(as_array(array)));
}

// The value of dtype=; nullopt for invalid values, which NumPy reports.
std::optional<DType> named_dtype(PyObject* dtype) {
  PyArray_Descr* converted = nullptr;
  if (PyArray_DescrConverter2(dtype, &converted) != NPY_SUCCEED) PyErr_Clear();
  const nb::object descriptor = nb::steal(reinterpret_cast<PyObject*>(converted));
  return converted == nullptr ? std::nullopt : dtype_of_descriptor(converted);
}

bool is_lazy(const UfuncState& state) { return state.library->declaration().signatures.empty(); }

bool has_sums_name(const UfuncState& state) {
  return state.name == "add" || state.name == "multiply";
}

// The dtype to which NumPy widens small integers in reductions of these names.
std::optional<DType> widened_dtype(const UfuncState& state, DType array) {
  const bool counts = array == DType::kBool || base::is_integer(array);
  if (!has_sums_name(state) || !counts || base::info(array).n_bytes >= sizeof(npy_intp)) return {};
  const bool is_signed = base::info(array).kind != base::DTypeKind::kUnsigned;
  return is_signed ? DType::kInt64 : DType::kUInt64;
}

std::optional<DType> result_dtype(const UfuncState& state, DType first, DType second) {
  try {
    return state.library->result_dtypes({first, second}).front();
  } catch (const base::Error&) {
    return std::nullopt;  // the call reports the reason
  }
}

// The dtype of a lazy ufunc's whole reduction, where the call requests one. `array` is nullopt for
// a dtype that no kernel has.
std::optional<DType> reduction_dtype(const UfuncState& state, const GivenReduction& given,
                                     std::optional<DType> array) {
  if (given.dtype != nullptr) return named_dtype(given.dtype);
  if (!array) return std::nullopt;
  if (given.out == nullptr) return widened_dtype(state, *array);
  const bool is_known = is_numpys_array(given.out);
  const auto out = is_known ? dtype_of_array(given.out) : std::nullopt;
  return out ? result_dtype(state, *out, *array) : std::nullopt;
}

// The array as another dtype; where only types matter, without its values.
nb::object cast_array(const nb::object& array, nb::object dtype) {
  if (TypesOnly::is_active()) {
    const npy_intp* const shape = PyArray_DIMS(as_array(array));
    return stand_in(dtype, {shape, shape + PyArray_NDIM(as_array(array))}, /*is_writable=*/true);
  }
  return checked(PyArray_CastToType(as_array(array), as_descriptor(dtype.release()), 0));
}

// Whether elements are cast to the dtype before the computation; a reduction with an initial number
// can read elements uncast even where casting would lose values.
bool is_cast_first(const UfuncState& state, std::optional<DType> array, DType dtype) {
  return !array || !has_initial(state) || can_cast(*array, dtype, NPY_SAME_KIND_CASTING);
}

bool has_type_resolution(PyObject* ufunc, const nb::tuple& dtypes, bool is_reduction) {
  try {
    const TypesOnly types_only;
    nb::handle(ufunc).attr("resolve_dtypes")(dtypes, nb::arg("reduction") = is_reduction);
    return true;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return false;
  }
}

// The result dtype of a call, where NumPy finds no loop for reducing in a wider one.
nb::object narrow_dtype(PyObject* ufunc, DType array) {
  const nb::object own = descriptor_of(array);
  if (has_type_resolution(ufunc, nb::make_tuple(nb::none(), own, nb::none()), true)) return {};
  const nb::tuple operands = nb::make_tuple(own, own, nb::none());
  if (!has_type_resolution(ufunc, operands, false)) return {};
  const TypesOnly types_only;
  return nb::handle(ufunc).attr("resolve_dtypes")(operands)[2];
}

}  // namespace

GivenReduction read_reduction(Reduction method, const GivenArguments& given) {
  const std::size_t position = dtype_position(method);
  GivenReduction found = {argument(given, 0, "array"), argument(given, position, "dtype"),
                          argument(given, position + 1, "out")};
  if (found.out != nullptr && PyTuple_CheckExact(found.out) && PyTuple_GET_SIZE(found.out) == 1) {
    found.out = PyTuple_GET_ITEM(found.out, 0);
  }
  return found;
}

bool changes_reductions(const UfuncState& state) {
  const declare::Declaration& declaration = state.library->declaration();
  const bool reduces =
      declaration.n_inputs == 2 && declaration.n_outputs == 1 && !declaration.layout;
  return reduces && (is_lazy(state) || has_sums_name(state));
}

bool changes_reductions_of(const UfuncState& state, PyObject* array) {
  if (is_lazy(state)) return true;
  const int type = PyArray_TYPE(reinterpret_cast<PyArrayObject*>(array));
  return !PyTypeNum_ISFLOAT(type) && changes_reductions(state);
}

ReductionArguments::ReductionArguments(PyObject* ufunc, Reduction method,
                                       const GivenArguments& given)
    : values_(given.values, given.values + given.n_values()),
      n_positional_(given.n_positional),
      names_(nb::borrow(given.names)) {
  const UfuncState& state = *find_state(ufunc);
  const GivenReduction read_as = read_reduction(method, given);
  nb::object array = read_as.array ? as_numpys_array(read_as.array) : nb::object();
  if (!array.is_valid()) return;
  const auto own = dtype_of_array(array.ptr());
  if (!is_lazy(state)) {
    if (!own) return;
    const bool is_wide = read_as.dtype || read_as.out || !widened_dtype(state, *own);
    nb::object dtype = is_wide ? nb::object() : narrow_dtype(ufunc, *own);
    if (dtype.is_valid()) replace(dtype_position(method), "dtype", std::move(dtype));
    return;
  }
  const auto dtype = reduction_dtype(state, read_as, own);
  if (!dtype || result_dtype(state, *dtype, *dtype) != dtype) return;
  if (dtype != own && !is_cast_first(state, own, *dtype)) return;
  if (read_as.dtype == nullptr) replace(dtype_position(method), "dtype", descriptor_of(*dtype));
  if (dtype == own) return;
  replace(0, "array", cast_array(array, descriptor_of(*dtype)));
}

// Replaces an argument given by position or by name, or adds it by name.
void ReductionArguments::replace(std::size_t position, const char* name, nb::object value) {
  owned_.push_back(std::move(value));
  PyObject* const object = owned_.back().ptr();
  if (position < n_positional_) {
    values_[position] = object;
    return;
  }
  const nb::tuple named = names_.is_valid() ? nb::borrow<nb::tuple>(names_) : nb::tuple();
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (!is_name(named[i].ptr(), name)) continue;
    values_[n_positional_ + i] = object;
    return;
  }
  names_ = named + nb::make_tuple(name);
  values_.push_back(object);
}

}  // namespace numpy_plugin::ufunc
