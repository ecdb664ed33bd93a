"""Elementwise functions of NumPy that are no ufuncs there: each is one launch of a ufunc here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.operands import (
    as_bool_mask,
    as_operand,
    as_scalar,
    empty_stand_in,
    is_plain,
    required_on_device,
)
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import bits_of, imag, real, view_as
from numpy_plugin._cuda.numpy_ufuncs import host_only_error
from numpy_plugin._frontend.declare import vectorize

__all__ = [
    "astype",
    "clip",
    "copyto",
    "isclose",
    "nan_to_num",
    "round_",
    "select",
    "where",
]

_SIZES = ("uint8", "uint16", "uint32", "uint64", "complex128")


@functools.cache
def _ufunc(name: str) -> numpy.ufunc:
    """Return a ufunc of `_BODIES`, made on first use."""
    body, types = _BODIES[name]
    made: numpy.ufunc = vectorize(types, name=name, target="cpu")(body)
    return made


#: The body of each ufunc and the types of its loops, lazy where there are none.
_BODIES: dict[str, tuple[Callable[..., Any], Any]] = {
    "where": (lambda c, x, y: x if c else y, [f"{t}(bool, {t}, {t})" for t in _SIZES]),
    "copyto": (lambda x: x, [f"{t}({t})" for t in _SIZES]),
    "clip": (lambda x, low, high: np.minimum(np.maximum(x, low), high), None),
    "round": (lambda x, factor: np.rint(x * factor) / factor, None),
    "round_tens": (lambda x, factor: np.rint(x / factor) * factor, None),
    "isclose": (
        lambda x, y, rtol, atol: (abs(x - y) <= atol + rtol * abs(y) and np.isfinite(y)) or x == y,
        None,
    ),
    "isclose_with_nan": (
        lambda x, y, rtol, atol: (
            (abs(x - y) <= atol + rtol * abs(y) and np.isfinite(y)) or x == y or (x != x and y != y)
        ),
        None,
    ),
    "nan_to_num": (
        lambda x, nan, posinf, neginf: (
            nan if x != x else (posinf if x == np.inf else (neginf if x == -np.inf else x))
        ),
        None,
    ),
}


def _moved(operand: Any, dtype: numpy.dtype[Any], name: str) -> Any:
    """Return an operand of a function that only moves elements, as the kernels' dtype."""
    bits = bits_of(dtype)
    if bits is None:
        raise host_only_error(name, f" of {dtype}")
    if is_plain(operand):
        return np.asarray(operand, dtype).view(bits)[()]
    if operand.dtype != dtype:
        operand = operand.astype(dtype)
    return view_as(operand, bits)


def select(condition: Any, x: Any, y: Any) -> DeviceArray:
    """`numpy.where` with three arguments."""
    name = "numpy.where"
    condition, x, y = as_bool_mask(condition, name), as_operand(x, name), as_operand(y, name)
    types = [each.dtype if isinstance(each, DeviceArray) else each for each in (x, y)]
    dtype = np.result_type(*types)
    found = _ufunc("where")(condition, _moved(x, dtype, name), _moved(y, dtype, name))
    return view_as(found, dtype)


def where(condition: Any, /, *choices: Any) -> Any:
    """`numpy.where`: elements of one of two arrays, or the indices of nonzero elements."""
    if not choices:
        return np.nonzero(condition)
    if len(choices) != 2:
        raise ValueError("either both or neither of x and y should be given")
    return select(condition, *choices)


def copyto(dst: Any, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """`numpy.copyto` to a device array."""
    name = "numpy.copyto"
    dst, src, where = (
        required_on_device(dst, name),
        as_operand(src, name),
        as_bool_mask(where, name),
    )
    # NumPy checks the casts, the shapes, and values that do not fit.
    np.copyto(
        np.empty(0, dst.dtype), src if is_plain(src) else np.empty(1, src.dtype), casting=casting
    )
    if where is False:
        return
    if where is not True:
        source = _moved(src, dst.dtype, name)
        _ufunc("copyto")(source, out=_moved(dst, dst.dtype, name), where=where)
    elif is_plain(src):
        dst.fill(np.asarray(src).astype(dst.dtype)[()])
    else:
        dst.copy_to_device(src if src.dtype == dst.dtype else src.astype(dst.dtype))


def astype(x: DeviceArray, dtype: Any, /, *, copy: bool = True, device: Any = None) -> DeviceArray:
    """`numpy.astype` on the same device, or as a copy on another."""
    if device is not None and device is not x.device:
        x = x.to_device(device)
    return x.astype(dtype, copy=copy)


def _open_bounds(a: DeviceArray, low: Any, high: Any) -> tuple[Any, Any]:
    """Return None for bounds beyond the range of an integer dtype, which limit nothing."""
    if a.dtype.kind not in "iu":
        return low, high
    info = np.iinfo(a.dtype)
    is_open_below = type(low) is int and low <= info.min
    is_open_above = type(high) is int and high >= info.max
    return None if is_open_below else low, None if is_open_above else high


_NOT_GIVEN: Any = np._NoValue


def clip(
    a: Any,
    a_min: Any = _NOT_GIVEN,
    a_max: Any = _NOT_GIVEN,
    out: Any = None,
    *,
    min: Any = _NOT_GIVEN,
    max: Any = _NOT_GIVEN,
    **named: Any,
) -> Any:
    """`numpy.clip`: limit elements to an interval; NaN bounds and elements give NaN."""
    stand_ins = [empty_stand_in(each) for each in (a, a_min, a_max, min, max)]
    np.clip(*stand_ins[:3], min=stand_ins[3], max=stand_ins[4])  # NumPy checks them
    low = min if a_min is _NOT_GIVEN else a_min
    high = max if a_max is _NOT_GIVEN else a_max
    low, high = (None if each is _NOT_GIVEN else each for each in (low, high))
    a = required_on_device(a, "numpy.clip")
    low, high = _open_bounds(a, low, high)
    if low is None and high is None:
        return _unchanged(a, out, named)
    if low is None or high is None:
        bound: Any = np.minimum if low is None else np.maximum
        found: DeviceArray = bound(a, high if low is None else low, out=out, **named)
        return found
    if a.dtype.kind in "mM":
        return np.minimum(np.maximum(a, low, **named), high, out=out, **named)
    dtype = named.pop("dtype", None)
    dtype = np.clip(*(empty_stand_in(each) for each in (a, low, high)), dtype=dtype).dtype
    return _ufunc("clip")(a, low, high, out=out, signature=(dtype,) * 4, **named)


def _unchanged(a: DeviceArray, out: Any, named: dict[str, Any]) -> Any:
    if out is None:
        return a.copy()
    copyto(out, a, **{key: named[key] for key in ("casting", "where") if key in named})
    return out


def round_(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """`numpy.round`: half to even, with NumPy's scaling by a power of ten."""
    a = required_on_device(a, "numpy.round")
    if a.dtype.kind == "c":
        return _round_parts(a, decimals, out)
    dtype = np.round(np.empty(0, a.dtype), decimals).dtype
    if a.dtype.kind in "iu" and decimals >= 0:
        return _unchanged(a, out, {"casting": "unsafe"})
    if decimals == 0:
        return np.rint(a, out=out, casting="same_kind")
    # NumPy computes in double for integers.
    of = dtype if dtype.kind == "f" else np.dtype("f8")
    factor = as_scalar(10.0 ** abs(decimals), of)
    ufunc = _ufunc("round" if decimals > 0 else "round_tens")
    if out is None and of == dtype:
        return ufunc(a, factor, signature=(of, of, of))
    found = ufunc(a, factor, signature=(of, of, of)).astype(dtype)
    return found if out is None else _unchanged(found, out, {"casting": "unsafe"})


def _round_parts(a: DeviceArray, decimals: int, out: Any) -> Any:
    out = a.copy() if out is None else out
    round_(real(a), decimals, real(out))
    round_(imag(a), decimals, imag(out))
    return out


def isclose(a: Any, b: Any, rtol: Any = 1.0e-5, atol: Any = 1.0e-8, equal_nan: bool = False) -> Any:
    """`numpy.isclose`: `abs(a - b) <= atol + rtol * abs(b)`, in one launch."""
    a, b, rtol, atol = (as_operand(each, "numpy.isclose") for each in (a, b, rtol, atol))
    b_type = np.result_type(b.dtype if isinstance(b, DeviceArray) else np.asarray(b), 1.0)
    b = b.astype(b_type, copy=False) if isinstance(b, DeviceArray) else as_scalar(b, b_type)
    bounds = [
        as_scalar(each, np.empty(0, b_type).real.dtype) if is_plain(each) else each
        for each in (rtol, atol)
    ]
    ufunc = _ufunc("isclose_with_nan" if equal_nan else "isclose")
    return ufunc(a, b, *bounds)


def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """`numpy.nan_to_num`: replace NaN and infinities by numbers."""
    x = required_on_device(x, "numpy.nan_to_num")
    out = x.copy() if copy else x
    parts = [real(out), imag(out)] if x.dtype.kind == "c" else [out]
    for part in parts if x.dtype.kind in "fc" else ():
        info = np.finfo(part.dtype)
        posinf = info.max if posinf is None else posinf
        neginf = info.min if neginf is None else neginf
        named = {"out": part, "signature": (part.dtype,) * 5}
        _ufunc("nan_to_num")(part, nan, posinf, neginf, **named)
    return out
