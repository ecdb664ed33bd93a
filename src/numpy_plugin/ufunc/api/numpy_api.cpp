#define NPP_IMPORTS_NUMPY
#include "numpy_plugin/ufunc/api/numpy_api.hpp"

#include "numpy_plugin/base/error.hpp"
#include "numpy_plugin/base/time_type.hpp"
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

// -1 until ml_dtypes is found; it may be installed and imported at any time.
int find_bfloat16_number() {
  static int number = -1;
  if (number >= 0) return number;
  try {
    const nb::object type = nb::module_::import_("ml_dtypes").attr("bfloat16");
    number = nb::cast<int>(nb::module_::import_("numpy").attr("dtype")(type).attr("num"));
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;
  }
  return number;
}

// Whether bfloat16 arrays can exist in this process.
bool ml_dtypes_is_imported() {
  return PyDict_GetItemString(PyImport_GetModuleDict(), "ml_dtypes") != nullptr;
}

}  // namespace

void import_numpy() {
  if (_import_array() < 0 || _import_umath() < 0) throw nb::python_error();
  run::set_numpy_sorts([](int type_number) {
    const nb::object dtype =
        nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(type_number)));
    return PyDataType_GetArrFuncs(as_descriptor(dtype));
  });
}

int numpy_type_number(base::DType dtype) {
  if (dtype != base::DType::kBFloat16) return base::info(dtype).numpy_type_number;
  const int number = find_bfloat16_number();
  if (number < 0) {
    throw base::Error(base::ErrorKind::kType,
                      "bfloat16 needs the package ml_dtypes, which is not installed; "
                      "pip install ml_dtypes");
  }
  return number;
}

std::optional<base::DType> dtype_of_number(int type_number) {
  if (type_number == NPY_LONGLONG) return base::DType::kInt64;
  if (type_number == NPY_ULONGLONG) return base::DType::kUInt64;
  for (const base::DTypeInfo& row : base::kDTypes) {
    if (row.numpy_type_number >= 0 && row.numpy_type_number == type_number) return row.dtype;
  }
  if (type_number >= NPY_USERDEF && ml_dtypes_is_imported() &&
      type_number == find_bfloat16_number()) {
    return base::DType::kBFloat16;
  }
  return std::nullopt;
}

std::optional<base::DType> dtype_of_descriptor(const PyArray_Descr* descriptor) {
  const int number = descriptor->type_num;
  if (!PyTypeNum_ISDATETIME(number)) return dtype_of_number(number);
  const auto* const data =
      reinterpret_cast<const PyArray_DatetimeDTypeMetaData*>(PyDataType_C_METADATA(descriptor));
  // NumPy's numbers are those of time_unit.def, but for business days, which are gone.
  constexpr int kGone = 3;
  const int unit = data->meta.base;
  base::TimeType type{number == NPY_TIMEDELTA};
  type.unit = static_cast<base::TimeUnit>(unit > kGone ? unit - 1 : unit);
  if (!type.is_generic()) type.count = data->meta.num;
  return base::time_dtype(type);
}

nb::object descriptor_of(base::DType dtype) {
  const nb::object descriptor =
      base::is_time(dtype)
          ? nb::module_::import_("numpy").attr("dtype")(std::string(base::name(dtype)).c_str())
          : nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpy_type_number(dtype))));
  if (!descriptor.is_valid()) throw nb::python_error();
  return descriptor;
}

nb::object scalar_of(base::DType dtype, const nb::object& number) {
  const nb::object descriptor = descriptor_of(dtype);
  if (!base::is_time(dtype)) return descriptor.attr("type")(number);
  return descriptor_of(base::DType::kInt64).attr("type")(number).attr("view")(descriptor);
}

nb::object dtype_class(base::DType dtype) {
  const nb::object descriptor = descriptor_of(dtype);
  return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(descriptor.ptr())));
}

std::optional<base::DType> dtype_of_class(PyArray_DTypeMeta* dtype_class) {
  const int number = dtype_class->type_num;
  return PyTypeNum_ISDATETIME(number) ? base::time_dtype({number == NPY_TIMEDELTA})
                                      : dtype_of_number(number);
}

}  // namespace numpy_plugin::ufunc
