// Methods of DeviceArray that Python functions implement: one row each, with the signature for type
// checkers.
#include "numpy_plugin/ufunc/bindings/bindings.hpp"

#include "numpy_plugin/ufunc/api/hooks.hpp"
#include "numpy_plugin/ufunc/arrays/device_array.hpp"

namespace numpy_plugin::ufunc {
namespace {

namespace nb = nanobind;

struct Method {
  const char* name;
  const char* signature;
  const char* doc;
};

#define NPP_AXES "axis: int | collections.abc.Sequence[int] | None = None"
#define NPP_REDUCTION \
  NPP_AXES ", dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False"
#define NPP_WHERE "*, where: typing.Any = True"

constexpr Method kReductions[] = {
    {"sum",
     "def sum(self, " NPP_REDUCTION ", initial: object = ..., where: typing.Any = True) "
     "-> DeviceArray",
     "Return the sum over axes, like `numpy.sum`."},
    {"prod",
     "def prod(self, " NPP_REDUCTION ", initial: object = ..., where: typing.Any = True) "
     "-> DeviceArray",
     "Return the product over axes, like `numpy.prod`."},
    {"min",
     "def min(self, " NPP_AXES ", out: DeviceArray | None = None, keepdims: bool = False, "
     "initial: object = ..., where: typing.Any = True) -> DeviceArray",
     "Return the smallest element over axes, like `numpy.min`."},
    {"max",
     "def max(self, " NPP_AXES ", out: DeviceArray | None = None, keepdims: bool = False, "
     "initial: object = ..., where: typing.Any = True) -> DeviceArray",
     "Return the largest element over axes, like `numpy.max`."},
    {"mean", "def mean(self, " NPP_REDUCTION ", " NPP_WHERE ") -> DeviceArray",
     "Return the mean over axes, like `numpy.mean`."},
    {"var",
     "def var(self, " NPP_AXES ", dtype: object = None, out: DeviceArray | None = None, ddof: "
     "float = 0, keepdims: bool = False, *, where: typing.Any = True, mean: typing.Any = ..., "
     "correction: float = ...) -> DeviceArray",
     "Return the variance over axes, like `numpy.var`, in two passes."},
    {"std",
     "def std(self, " NPP_AXES ", dtype: object = None, out: DeviceArray | None = None, ddof: "
     "float = 0, keepdims: bool = False, *, where: typing.Any = True, mean: typing.Any = ..., "
     "correction: float = ...) -> DeviceArray",
     "Return the standard deviation over axes, like `numpy.std`, in two passes."},
    {"any",
     "def any(self, " NPP_AXES
     ", out: DeviceArray | None = None, keepdims: bool = False, " NPP_WHERE ") -> DeviceArray",
     "Return whether any element over axes is true, like `numpy.any`."},
    {"all",
     "def all(self, " NPP_AXES
     ", out: DeviceArray | None = None, keepdims: bool = False, " NPP_WHERE ") -> DeviceArray",
     "Return whether all elements over axes are true, like `numpy.all`."},
    {"argmin",
     "def argmin(self, axis: int | None = None, out: DeviceArray | None = None, *, keepdims: bool "
     "= False) -> DeviceArray",
     "Return the index of the first smallest element, like `numpy.argmin`."},
    {"argmax",
     "def argmax(self, axis: int | None = None, out: DeviceArray | None = None, *, keepdims: bool "
     "= False) -> DeviceArray",
     "Return the index of the first largest element, like `numpy.argmax`."},
    {"cumsum",
     "def cumsum(self, axis: int | None = None, dtype: object = None, out: DeviceArray | None = "
     "None) -> DeviceArray",
     "Return the cumulative sums along an axis, like `numpy.cumsum`."},
    {"cumprod",
     "def cumprod(self, axis: int | None = None, dtype: object = None, out: DeviceArray | None = "
     "None) -> DeviceArray",
     "Return the cumulative products along an axis, like `numpy.cumprod`."},
};

constexpr Method kElementwise[] = {
    {"clip",
     "def clip(self, min: object = None, max: object = None, out: DeviceArray | None = None, "
     "**named: typing.Any) -> DeviceArray",
     "Return the elements limited to an interval, like `numpy.clip`."},
    {"round", "def round(self, decimals: int = 0, out: DeviceArray | None = None) -> DeviceArray",
     "Return the elements rounded to decimals, like `numpy.round`."},
    {"conj", "def conj(self) -> DeviceArray", "Return the complex conjugates."},
    {"conjugate", "def conjugate(self) -> DeviceArray", "Return the complex conjugates."},
    {"dot", "def dot(self, b: object, out: DeviceArray | None = None) -> DeviceArray",
     "Return the dot product, like `numpy.dot`."},
};

constexpr Method kSelections[] = {
    {"sort", "def sort(self, axis: int = -1, *, stable: bool | None = None) -> None",
     "Sort the elements in place along an axis, like `numpy.ndarray.sort`; always stable."},
    {"argsort",
     "def argsort(self, axis: int | None = -1, *, stable: bool | None = None) -> "
     "DeviceArray",
     "Return the indices that sort along an axis, like `numpy.argsort`; always stable."},
    {"nonzero", "def nonzero(self) -> tuple[DeviceArray, ...]",
     "Return the indices of the elements that are not zero, like `numpy.nonzero`."},
    {"take",
     "def take(self, indices: object, axis: int | None = None, out: DeviceArray | None = None, "
     "mode: str = 'raise') -> DeviceArray",
     "Return the elements at indices along an axis, like `numpy.take`."},
    {"compress",
     "def compress(self, condition: object, axis: int | None = None, out: DeviceArray | None = "
     "None) -> DeviceArray",
     "Return the slices along an axis where a mask is true, like `numpy.compress`."},
    {"searchsorted",
     "def searchsorted(self, v: object, side: str = 'left', sorter: object = None) -> DeviceArray",
     "Return the indices where values keep the array sorted, like `numpy.searchsorted`."},
    {"repeat", "def repeat(self, repeats: object, axis: int | None = None) -> DeviceArray",
     "Return the elements repeated along an axis, like `numpy.repeat`."},
    {"squeeze",
     "def squeeze(self, axis: int | collections.abc.Sequence[int] | None = None) -> DeviceArray",
     "Return a view without axes of length one."},
    {"swapaxes", "def swapaxes(self, axis1: int, axis2: int) -> DeviceArray",
     "Return a view with two axes interchanged."},
    {"diagonal",
     "def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> DeviceArray",
     "Return a view of the diagonals, like `numpy.diagonal`."},
    {"trace",
     "def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: object = None, out: "
     "DeviceArray | None = None) -> DeviceArray",
     "Return the sums along the diagonals, like `numpy.trace`."},
    {"flatten", "def flatten(self) -> DeviceArray",
     "Return a copy of the elements in C order along one axis."},
    {"tolist", "def tolist(self) -> typing.Any",
     "Copy the elements to the host, as nested lists of Python scalars."},
    {"to_device", "def to_device(self, device: Device, /, *, stream: object = None) -> DeviceArray",
     "Return the array on a device: itself, or a copy on another device."},
    {"_repr_html_", "def _repr_html_(self) -> str",
     "Return a table of the elements that `repr` shows, for notebooks."},
    {"__array_namespace__",
     "def __array_namespace__(self, /, *, api_version: str | None = None) -> typing.Any",
     "Return `numpy_plugin.array_api`, the functions of the array API standard."},
};

#undef NPP_AXES
#undef NPP_REDUCTION
#undef NPP_WHERE

void define_method(nb::class_<DeviceArray>& type, const Method& row) {
  const char* const name = row.name;
  type.def(
      name,
      [name](nb::handle self, const nb::args& args, const nb::kwargs& named) -> nb::object {
        return hooks().call_method(name, self, args, named);
      },
      nb::sig(row.signature), row.doc);
}

}  // namespace

void bind_array_methods(nb::class_<DeviceArray>& type) {
  for (const Method& row : kReductions) define_method(type, row);
  for (const Method& row : kElementwise) define_method(type, row);
  for (const Method& row : kSelections) define_method(type, row);
}

}  // namespace numpy_plugin::ufunc
