"""The dtypes of the array API standard, and functions on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.untyped import np

__all__ = [
    "bool",
    "broadcast_arrays",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

DType = numpy.dtype[Any]

int8: DType = numpy.dtype("int8")
int16: DType = numpy.dtype("int16")
int32: DType = numpy.dtype("int32")
int64: DType = numpy.dtype("int64")
uint8: DType = numpy.dtype("uint8")
uint16: DType = numpy.dtype("uint16")
uint32: DType = numpy.dtype("uint32")
uint64: DType = numpy.dtype("uint64")
float32: DType = numpy.dtype("float32")
float64: DType = numpy.dtype("float64")
complex64: DType = numpy.dtype("complex64")
complex128: DType = numpy.dtype("complex128")

isdtype = np.isdtype
result_type = np.result_type


@dataclass(frozen=True)
class FloatInfo:
    """The limits of a dtype of real or complex numbers, as Python floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class IntegerInfo:
    """The limits of a dtype of integers, as Python ints."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(type: Any) -> DType:
    return type.dtype if isinstance(type, DeviceArray) else numpy.dtype(type)


def finfo(type: Any, /) -> FloatInfo:
    """Return the limits of a dtype of real or complex numbers, or of an array's dtype."""
    limits = np.finfo(_dtype_of(type))
    names = ("eps", "max", "min", "smallest_normal")
    values = {name: float(getattr(limits, name)) for name in names}
    return FloatInfo(bits=int(limits.bits), dtype=limits.dtype, **values)


def iinfo(type: Any, /) -> IntegerInfo:
    """Return the limits of a dtype of integers, or of an array's dtype."""
    limits = np.iinfo(_dtype_of(type))
    return IntegerInfo(int(limits.bits), int(limits.max), int(limits.min), limits.dtype)


def broadcast_arrays(*arrays: DeviceArray) -> list[DeviceArray]:
    """Return views of one shape."""
    return list(np.broadcast_arrays(*arrays))


def can_cast(from_: Any, to: Any, /) -> bool_:
    """Whether values of a dtype, or of an array, can be cast to a dtype by type promotion."""
    return bool_(np.can_cast(_dtype_of(from_), to))


bool_ = bool  # of Python: from here on the name is a dtype
bool: DType = numpy.dtype("bool")
