#include "numpy_plugin/ufunc/refusals/refused_call.hpp"

#include <algorithm>

#include "numpy_plugin/ufunc/arguments/reduction_arguments.hpp"
#include "numpy_plugin/ufunc/arrays/foreign_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

bool is_weak(nb::handle object) {
  return PyFloat_CheckExact(object.ptr()) || PyLong_CheckExact(object.ptr()) ||
         PyComplex_CheckExact(object.ptr());
}

nb::object dtype_of(nb::handle object) {
  if (const DeviceArray* array = find_device_array(object)) return array->dtype;
  if (is_on_device(object)) return foreign_device_array(object, nullptr)->dtype;
  const nb::object array = checked(PyArray_FROM_O(object.ptr()));
  return nb::borrow(reinterpret_cast<PyObject*>(PyArray_DESCR(as_array(array))));
}

}  // namespace

RefusedCall::RefusedCall(PyObject* ufunc, const UfuncState& state, CalledAs called_as,
                         const GivenArguments& given)
    : ufunc_(ufunc), called_as_(called_as), n_inputs_(state.library->declaration().n_inputs) {
  if (is_reduction()) {
    read_reduction(given);
  } else if (called_as == CalledAs::kAt) {
    read_at(given);
  } else {
    read_call(ufunc::read_call(ufunc, state, given));
  }
}

// Classes of Python numbers are valid types only for inputs of calls: NumPy's outer turns numbers
// into arrays, and NumPy crashes when asked about an output of such a type.
void RefusedCall::add(nb::handle operand) {
  const bool may_be_weak = called_as_ != CalledAs::kOuter && n_operands() < n_inputs_;
  operands_.push_back(nb::borrow(operand));
  types_.push_back(!operand.is_valid()               ? nb::none()
                   : may_be_weak && is_weak(operand) ? nb::borrow(operand.type())
                                                     : dtype_of(operand));
}

void RefusedCall::name_types(nb::handle dtype, nb::handle signature) {
  if (signature.is_valid() && !signature.is_none()) {
    name_of_types_ = "signature";
    named_types_ = nb::borrow(signature);
  }
  if (!dtype.is_valid() || dtype.is_none()) return;
  name_of_types_ = "dtype";
  nb::list types;
  for (std::size_t i = 0; i < n_operands(); ++i) {
    const bool is_named = i >= n_inputs_ || (i == 0 && is_reduction());
    types.append(is_named ? dtype : nb::handle(Py_None));
  }
  named_types_ = nb::tuple(types);
}

void RefusedCall::read_call(const CallArguments& call) {
  for (std::size_t i = 0; i < call.n_operands(); ++i) add(call.operands[i]);
  name_types(call.dtype, call.signature);
  if (call.casting.is_valid()) casting_ = nb::borrow(call.casting);
}

void RefusedCall::read_reduction(const GivenArguments& given) {
  const GivenReduction reduction = ufunc::read_reduction(static_cast<Reduction>(called_as_), given);
  for (const nb::handle operand : {reduction.array, reduction.array, reduction.out}) add(operand);
  name_types(reduction.dtype, {});
}

void RefusedCall::read_at(const GivenArguments& given) {
  constexpr std::size_t kIndices = 1;
  for (std::size_t i = 0; i < given.n_positional; ++i) {
    if (i != kIndices) add(given.values[i]);
  }
  const auto n_all = nb::cast<std::size_t>(ufunc_.attr("nargs"));
  while (n_operands() < n_all) add({});
}

bool RefusedCall::has_all_operands() const {
  const auto inputs_end = operands_.begin() + static_cast<std::ptrdiff_t>(n_inputs_);
  return n_operands() == nb::cast<std::size_t>(ufunc_.attr("nargs")) &&
         std::all_of(operands_.begin(), inputs_end,
                     [](const auto& input) { return input.is_valid(); });
}

bool RefusedCall::has_arrays() const {
  return std::any_of(types_.begin(), types_.begin() + static_cast<std::ptrdiff_t>(n_inputs_),
                     [](const auto& type) { return !PyType_Check(type.ptr()); });
}

nb::object RefusedCall::dtype(std::size_t index) const {
  return PyType_Check(types_[index].ptr()) ? dtype_of(operands_[index]) : types_[index];
}

std::optional<std::vector<nb::object>> RefusedCall::find_loop(bool with_named_types) const {
  nb::dict named;
  named["casting"] = "unsafe";
  if (with_named_types && !named_types_.is_none()) named["signature"] = named_types_;
  nb::list types;
  for (const nb::object& type : types_) types.append(type);
  if (is_reduction()) {
    named["reduction"] = true;
    types[0] = types[2];
  }
  try {
    std::vector<nb::object> dtypes;
    const nb::object found = ufunc_.attr("resolve_dtypes")(nb::tuple(types), **named);
    for (const nb::handle dtype : found) dtypes.push_back(nb::borrow(dtype));
    return dtypes;
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    return std::nullopt;
  }
}

}  // namespace numpy_plugin::ufunc
