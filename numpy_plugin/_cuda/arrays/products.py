"""Products of device arrays through `numpy.matmul` and `numpy.vecdot`, and norms."""

from __future__ import annotations

import math
from typing import Any

from numpy.lib.array_utils import normalize_axis_index

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import copyto
from numpy_plugin._cuda.arrays.operands import as_operand, required_on_device
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import diagonal
from numpy_plugin._cuda.numpy_ufuncs import host_only_error

__all__ = ["dot", "inner", "norm", "outer", "outer_of_vectors", "tensordot", "trace", "vdot"]


def _product(a: DeviceArray, b: DeviceArray) -> Any:
    """Return the product of matrices; of no inner elements, zeros."""
    if a.dtype == np.bool_ and b.dtype == np.bool_:
        return np.matmul(a.astype(np.uint8), b.astype(np.uint8)) != 0
    return np.matmul(a, b)


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`: a product of vectors or matrices, or a sum over two axes."""
    a, b = as_operand(a, "numpy.dot"), as_operand(b, "numpy.dot")
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(a, b, out=out)
    axis_of_b = b.ndim - 2 if b.ndim > 1 else 0
    if a.shape[-1] != b.shape[axis_of_b]:
        _raise_as_dot(a, b, axis_of_b)
    found = _product(a, b) if b.ndim <= 2 else tensordot(a, b, (a.ndim - 1, axis_of_b))
    if out is None:
        return found
    copyto(out, found, casting="no")
    return out


def _raise_as_dot(a: DeviceArray, b: DeviceArray, axis_of_b: int) -> None:
    raise ValueError(
        f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: {a.shape[-1]} (dim "
        f"{a.ndim - 1}) != {b.shape[axis_of_b]} (dim {axis_of_b})"
    )


def _text(shape: tuple[int, ...]) -> str:
    return str(shape).replace(" ", "")


def vdot(a: Any, b: Any, /) -> Any:
    """`numpy.vdot`: the conjugate of the first times the second."""
    a, b = required_on_device(a, "numpy.vdot").ravel(), required_on_device(b, "numpy.vdot").ravel()
    if a.shape != b.shape:
        raise ValueError(f"cannot reshape array of size {b.size} into shape {a.shape}")
    if a.dtype == b.dtype == np.bool_:
        return np.logical_or.reduce(a & b)
    return np.vecdot(a, b)


def inner(a: Any, b: Any, /) -> Any:
    """`numpy.inner`."""
    a, b = as_operand(a, "numpy.inner"), as_operand(b, "numpy.inner")
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(a, b)
    return dot(a, b.swapaxes(-1, -2) if b.ndim > 1 else b)


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.outer`."""
    a, b = (
        required_on_device(a, "numpy.outer").ravel(),
        required_on_device(b, "numpy.outer").ravel(),
    )
    return np.multiply.outer(a, b, out=out)


def outer_of_vectors(x1: Any, x2: Any, /) -> Any:
    """`numpy.linalg.outer`."""
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError(
            "Input arrays must be one-dimensional, "
            f"but they are x1.ndim={np.ndim(x1)} and x2.ndim={np.ndim(x2)}."
        )
    return outer(x1, x2)


def _axis_pairs(a: DeviceArray, b: DeviceArray, axes: Any) -> tuple[list[int], list[int]]:
    """Return the axes to sum over of both operands, as `numpy.tensordot` takes them."""
    if isinstance(axes, (int, np.integer)):
        n = int(axes)
        pair: Any = (range(a.ndim - n, a.ndim), range(n))
    else:
        pair = axes
    of_a, of_b = ([each] if isinstance(each, (int, np.integer)) else list(each) for each in pair)
    of_a = [normalize_axis_index(axis, a.ndim) for axis in of_a]
    of_b = [normalize_axis_index(axis, b.ndim) for axis in of_b]
    shapes = [[x.shape[axis] for axis in of] for x, of in ((a, of_a), (b, of_b))]
    if shapes[0] != shapes[1] or len(set(of_a)) < len(of_a) or len(set(of_b)) < len(of_b):
        raise ValueError("shape-mismatch for sum")
    return of_a, of_b


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """`numpy.tensordot`: one product of matrices."""
    a, b = required_on_device(a, "numpy.tensordot"), required_on_device(b, "numpy.tensordot")
    of_a, of_b = _axis_pairs(a, b, axes)
    rest_a = [axis for axis in range(a.ndim) if axis not in of_a]
    rest_b = [axis for axis in range(b.ndim) if axis not in of_b]
    n_summed = math.prod(a.shape[axis] for axis in of_a)
    shape_a, shape_b = ([x.shape[axis] for axis in rest] for x, rest in ((a, rest_a), (b, rest_b)))
    left = a.transpose(rest_a + of_a).reshape(math.prod(shape_a), n_summed)
    right = b.transpose(of_b + rest_b).reshape(n_summed, math.prod(shape_b))
    return _product(left, right).reshape(shape_a + shape_b)


def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Any:
    """`numpy.trace`."""
    lines = diagonal(required_on_device(a, "numpy.trace"), offset, axis1, axis2)
    return np.add.reduce(lines, axis=-1, dtype=dtype, out=out)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`numpy.linalg.norm`, except for the norms that need singular values."""
    x = required_on_device(x, "numpy.linalg.norm")
    if x.dtype.kind in "iub":
        x = x.astype(np.float64)
    if axis is None and ord is None:
        found = _vector_norm(x.ravel(), 2, 0, False)
        return found.reshape((1,) * x.ndim) if keepdims else found
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(normalize_axis_index(each, x.ndim) for each in axes)
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _matrix_norm(x, ord, axes, keepdims)


def _vector_norm(x: DeviceArray, order: Any, axis: Any, keepdims: bool) -> Any:
    if order in (math.inf, -math.inf):
        ufunc: Any = np.maximum if order > 0 else np.minimum
        return ufunc.reduce(np.absolute(x), axis=axis, keepdims=keepdims)
    if order == 0:
        return np.add.reduce(
            (x != 0).astype(np.empty(0, x.dtype).real.dtype), axis=axis, keepdims=keepdims
        )
    if isinstance(order, str):
        raise ValueError(f"Invalid norm order '{order}' for vectors")
    sizes = np.absolute(x)
    if order == 1:
        return np.add.reduce(sizes, axis=axis, keepdims=keepdims)
    if order == 2:
        return np.sqrt(np.add.reduce(np.square(sizes), axis=axis, keepdims=keepdims))
    total = np.add.reduce(np.power(sizes, order), axis=axis, keepdims=keepdims)
    return np.power(total, 1 / order)


def _matrix_norm(x: DeviceArray, order: Any, axes: tuple[int, int], keepdims: bool) -> Any:
    if order in (None, "fro"):
        return _vector_norm(x, 2, axes, keepdims)
    rows, columns = axes
    first, last = {1: (rows, columns), -1: (rows, columns)}.get(order, (columns, rows))
    if order in (1, -1, math.inf, -math.inf):
        sums = np.add.reduce(np.absolute(x), axis=first, keepdims=True)
        ufunc: Any = np.maximum if order > 0 else np.minimum
        found = ufunc.reduce(sums, axis=last, keepdims=True)
        return found if keepdims else np.squeeze(found, axes)
    if order in (2, -2, "nuc"):
        raise host_only_error("numpy.linalg.norm", f" of ord={order!r}")
    raise ValueError("Invalid norm order for matrices.")
