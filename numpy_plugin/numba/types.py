"""Numba's names of the types of signatures.

`float32(float32, float32)` is a signature, `float32[:, ::1]` an array, as in `numba.types`.
"""

from numpy_plugin._frontend.types import (
    ArrayType,
    KernelType,
    RecordType,
    bool_,
    complex64,
    complex128,
    datetime64,
    float16,
    float32,
    float64,
    from_dtype,
    int8,
    int16,
    int32,
    int64,
    intc,
    intp,
    timedelta64,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)

__all__ = [
    "Array",
    "NPDatetime",
    "NPTimedelta",
    "b1",
    "bool_",
    "boolean",
    "byte",
    "c8",
    "c16",
    "char",
    "complex64",
    "complex128",
    "double",
    "f2",
    "f4",
    "f8",
    "float16",
    "float32",
    "float64",
    "float_",
    "from_dtype",
    "i1",
    "i2",
    "i4",
    "i8",
    "int8",
    "int16",
    "int32",
    "int64",
    "int_",
    "intc",
    "intp",
    "long_",
    "longlong",
    "none",
    "short",
    "size_t",
    "ssize_t",
    "u1",
    "u2",
    "u4",
    "u8",
    "uchar",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintc",
    "uintp",
    "ulong",
    "ulonglong",
    "ushort",
    "void",
]

b1 = boolean = bool_
i1 = char = int8
i2 = short = int16
i4 = int32
i8 = int_ = long_ = longlong = ssize_t = int64
u1 = byte = uchar = uint8
u2 = ushort = uint16
u4 = uintc = uint32
u8 = uint = uintp = ulong = ulonglong = size_t = uint64
f2 = float16
f4 = float_ = float32
f8 = double = float64
c8 = complex64
c16 = complex128
none = void


def Array(dtype: KernelType | RecordType, ndim: int, layout: str = "A") -> ArrayType | RecordType:
    """Return the type of an array, as `numba.types.Array` does; every layout is accepted.

    Args:
        dtype: the type of the elements.
        ndim: the number of dimensions.
        layout: "C", "F" or "A"; arrays of any strides are taken whatever it is.
    """
    if isinstance(dtype, RecordType):
        return RecordType(dtype.dtype, ndim)
    return ArrayType(dtype.name, ndim)


def NPDatetime(unit: str) -> KernelType:
    """Return the type of dates in a unit; "" is any."""
    return datetime64(unit) if unit else datetime64


def NPTimedelta(unit: str) -> KernelType:
    """Return the type of durations in a unit; "" is any."""
    return timedelta64(unit) if unit else timedelta64
