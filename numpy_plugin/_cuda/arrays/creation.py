"""New arrays on a device: like another array, or with values that a kernel computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import copyto, select
from numpy_plugin._cuda.arrays.indices import count, count_beside, write_steps
from numpy_plugin._cuda.arrays.operands import (
    as_operand,
    empty_beside,
    order_of,
    required_on_device,
)
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to, diagonal

__all__ = [
    "arange",
    "empty_like",
    "eye",
    "full_like",
    "linspace",
    "meshgrid",
    "ones_like",
    "tri_part",
    "zeros_like",
]


def empty_like(
    prototype: DeviceArray,
    /,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> DeviceArray:
    """`numpy.empty_like`: on the device of the prototype, or on another one."""
    name = "numpy.empty_like"
    prototype = required_on_device(prototype, name)
    dtype = prototype.dtype if dtype is None else dtype
    order = order_of(prototype) if order in ("K", "A") else order
    shape = prototype.shape if shape is None else shape
    if device is None:
        return empty_beside(prototype, shape, dtype, name, order)
    with device:
        return _core.make_device_array(shape, dtype, order, None, name)


def full_like(
    a: DeviceArray,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> DeviceArray:
    """`numpy.full_like`."""
    made = empty_like(a, dtype, order, subok, shape, device=device)
    copyto(made, as_operand(fill_value, "numpy.full_like"), casting="unsafe")
    return made


def zeros_like(
    a: DeviceArray,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> DeviceArray:
    """`numpy.zeros_like`."""
    zero = np.zeros((), a.dtype if dtype is None else dtype)[()]
    return full_like(a, zero, dtype, order, subok, shape, device=device)


def ones_like(
    a: DeviceArray,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> DeviceArray:
    """`numpy.ones_like`."""
    return full_like(a, 1, dtype, order, subok, shape, device=device)


def eye(
    N: int, M: int | None = None, k: int = 0, dtype: Any = np.float64, stream: Any = None
) -> DeviceArray:
    """Return an array with ones on a diagonal and zeros elsewhere."""
    made = _core.make_device_array((N, N if M is None else M), dtype, "C", stream, "eye")
    made.fill(0, stream)
    if -made.shape[0] < k < made.shape[1]:
        diagonal(made, k).fill(1, stream)
    return made


#: Dtypes whose sums and products NumPy's arange computes in the dtype itself, or in float32.
_STEPPED = "bBhHiIlLqQefd"
_FEWEST_STEPS, _MOST_STEPS = 3, 1 << 62


def arange(limits: tuple[Any, ...], dtype: Any, stream: Any) -> DeviceArray:
    """Return evenly spaced values with NumPy's rounding: the first one and multiples of a step."""
    n = _n_steps(limits)
    if _FEWEST_STEPS <= n < _MOST_STEPS:
        start, stop, step = _all_limits(limits)
        if dtype is None:  # the limits' types choose it
            dtype = np.arange(start, type(stop)(start), step).dtype
        made = np.dtype(dtype)
        if made.char in _STEPPED and made.isnative:
            first = np.array([start, start + step], made)
            of = np.float32 if made.char == "e" else made
            first, second = first.astype(of)
            values = _core.make_device_array(n, of, "C", stream, "arange")
            with np.errstate(over="ignore"):
                values = write_steps(values, first, second - first, stream)
            return values.astype(made, copy=False)
    return _core.to_device(np.arange(*limits, dtype=dtype), stream, True)


def _all_limits(limits: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    start, stop, step = (0, *limits, 1) if len(limits) == 1 else (*limits, 1)[:3]
    return start, stop, step


def _n_steps(limits: tuple[Any, ...]) -> int:
    """Return the number of values for plain finite numbers; 0 for other limits."""
    if not 1 <= len(limits) <= 3 or any(type(limit) not in (int, float) for limit in limits):
        return 0
    start, stop, step = _all_limits(limits)
    if not step or not all(-_MOST_STEPS < limit < _MOST_STEPS for limit in (start, stop, step)):
        return 0
    n: int = math.ceil((stop - start) / step)
    return n


def linspace(
    start: complex, stop: complex, num: int, endpoint: bool, dtype: Any, stream: Any
) -> tuple[DeviceArray, Any]:
    """Return evenly spaced numbers, with NumPy's rounding, and their step."""
    # NumPy checks the arguments and chooses the dtype.
    limits = np.linspace(start, stop, min(num, 2), endpoint, dtype=dtype)
    n_steps = num - 1 if endpoint else num
    # As floating-point numbers, whose difference does not wrap as that of integers does.
    start, stop = np.asanyarray(start) * 1.0, np.asanyarray(stop) * 1.0
    of = np.result_type(start, stop, float(num))
    step = (stop - start) / n_steps if n_steps > 0 else np.nan
    values: Any = count(_core.make_device_array(num, of, "C", stream, "linspace"), stream)
    # Products and sums in NumPy's order, for the same rounding.
    if n_steps > 0 and step == 0:
        np.divide(values, n_steps, out=values)
    np.multiply(values, step if n_steps > 0 and step != 0 else stop - start, out=values)
    np.add(values, start, out=values)
    if endpoint and num > 1:
        values[-1] = of.type(stop)
    if limits.dtype.kind in "iu":
        np.floor(values, out=values)
    return values.astype(limits.dtype, copy=False), step


def tri_part(keeps: Callable[..., Any]) -> Callable[..., Any]:
    """Return `numpy.tril` or `numpy.triu`; `keeps` compares the rows with the shifted columns."""

    def call(m: Any, k: int = 0) -> DeviceArray:
        m = required_on_device(m, "numpy.tril")
        if m.ndim == 0:
            raise TypeError("expected an array with axes")
        if m.ndim < 2:
            # NumPy broadcasts a row to a square.
            m = broadcast_to(m, (m.shape[0], m.shape[0]))
        rows, columns = (count_beside(m, n, "numpy.tril") for n in m.shape[-2:])
        return select(keeps(rows[:, None], columns - k), m, m.dtype.type(0))

    return call


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[DeviceArray, ...]:
    """`numpy.meshgrid`."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n_axes = len(xi)
    axes = list(range(n_axes))
    if indexing == "xy" and n_axes > 1:
        axes[0], axes[1] = 1, 0
    vectors = [required_on_device(x, "numpy.meshgrid") for x in xi]
    grids = [
        x.reshape((1,) * axis + (-1,) + (1,) * (n_axes - axis - 1))
        for x, axis in zip(vectors, axes, strict=True)
    ]
    if not sparse:
        shape = np.broadcast_shapes(*(grid.shape for grid in grids))
        grids = [broadcast_to(grid, shape) for grid in grids]
    return tuple(grid.copy() if copy else grid for grid in grids)
