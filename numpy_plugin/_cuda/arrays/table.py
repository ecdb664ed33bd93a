"""NumPy's functions and the methods of `DeviceArray`: one row each."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy

from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays import (
    choosing,
    creation,
    einsum,
    elementwise,
    histograms,
    joining,
    notebook,
    operands,
    products,
    reductions,
    searching,
    selecting,
    sorting,
    views,
)
from numpy_plugin._cuda.arrays.reductions import reduction
from numpy_plugin._cuda.arrays.untyped import np

__all__ = ["FUNCTIONS", "METHODS"]

Function = Callable[..., Any]

_VIEWS = [
    *(np.array_split, np.broadcast_to, np.diagonal, np.dsplit, np.expand_dims, np.flip, np.fliplr),
    *(np.flipud, np.hsplit, np.lib.stride_tricks.sliding_window_view, np.matrix_transpose),
    *(np.linalg.diagonal, np.linalg.matrix_transpose),
    *(np.moveaxis, np.permute_dims, np.rollaxis, np.rot90, np.split, np.squeeze, np.swapaxes),
    *(np.transpose, np.vsplit),
]

_sum, _prod = reduction(np.add, "sum"), reduction(np.multiply, "prod")
_min, _max = reduction(np.minimum, "min"), reduction(np.maximum, "max")


def _accumulation(ufunc: numpy.ufunc) -> Function:
    """Return `numpy.cumsum` or `numpy.cumprod`."""

    def call(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        a = operands.required_on_device(a, ufunc.__name__)
        a = a.ravel() if axis is None or a.ndim == 0 else a
        return ufunc.accumulate(a, 0 if axis is None else operator.index(axis), dtype, out)

    return call


def _cumulative(ufunc: numpy.ufunc) -> Function:
    """Return `numpy.cumulative_sum` or `numpy.cumulative_prod`."""

    def call(
        x: Any,
        /,
        *,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> Any:
        if axis is None and x.ndim > 1:
            raise ValueError(
                "For arrays which have more than one dimension ``axis`` argument is required."
            )
        axis = 0 if axis is None else axis
        found: Any = ufunc.accumulate(operands.required_on_device(x, ufunc.__name__), axis, dtype)
        if include_initial:
            first = list(found.shape)
            first[axis] = 1
            initial = creation.full_like(found, ufunc.identity, shape=first)
            found = joining.concatenate([initial, found], axis)
        if out is None:
            return found
        elementwise.copyto(out, found)
        return out

    return call


FUNCTIONS: dict[Function, Function] = {
    **{function: views.view_function(function) for function in _VIEWS},
    np.all: reductions.all_,
    np.allclose: searching.allclose,
    np.any: reductions.any_,
    np.append: joining.append,
    np.argmax: searching.argmax,
    np.argmin: searching.argmin,
    np.argsort: sorting.argsort,
    np.argwhere: selecting.argwhere,
    np.around: elementwise.round_,
    np.array_equal: searching.array_equal,
    np.array_equiv: searching.array_equiv,
    np.astype: elementwise.astype,
    np.atleast_1d: views.at_least(np.atleast_1d),
    np.atleast_2d: views.at_least(np.atleast_2d),
    np.atleast_3d: views.at_least(np.atleast_3d),
    np.average: reductions.average,
    np.bincount: histograms.bincount,
    np.broadcast_arrays: views.broadcast_arrays,
    np.clip: elementwise.clip,
    np.column_stack: joining.column_stack,
    np.compress: choosing.compress,
    np.concatenate: joining.concatenate,
    np.copy: lambda a, order="K", subok=False: a.copy(),
    np.copyto: elementwise.copyto,
    np.count_nonzero: reductions.count_nonzero,
    np.cumprod: _accumulation(np.multiply),
    np.cumsum: _accumulation(np.add),
    np.cumulative_prod: _cumulative(np.multiply),
    np.cumulative_sum: _cumulative(np.add),
    np.diff: searching.diff,
    np.dot: products.dot,
    np.einsum: einsum.einsum,
    np.empty_like: creation.empty_like,
    np.extract: selecting.extract,
    np.flatnonzero: selecting.flatnonzero,
    np.full_like: creation.full_like,
    np.histogram: histograms.histogram,
    np.imag: views.imag,
    np.inner: products.inner,
    np.isclose: elementwise.isclose,
    np.linalg.norm: products.norm,
    np.linalg.outer: products.outer_of_vectors,
    np.linalg.tensordot: products.tensordot,
    np.linalg.trace: lambda x, /, *, offset=0, dtype=None: products.trace(x, offset, -2, -1, dtype),
    np.max: _max,
    np.mean: reductions.mean,
    np.meshgrid: creation.meshgrid,
    np.min: _min,
    np.nan_to_num: elementwise.nan_to_num,
    np.nanmax: reduction(np.fmax, "nanmax"),
    np.nanmean: reductions.nanmean,
    np.nanmin: reduction(np.fmin, "nanmin"),
    np.nanprod: reductions.nan_ignoring(_prod, 1),
    np.nansum: reductions.nan_ignoring(_sum, 0),
    np.nonzero: selecting.nonzero,
    np.ones_like: creation.ones_like,
    np.outer: products.outer,
    np.pad: joining.pad,
    np.partition: sorting.partition,
    np.prod: _prod,
    np.ptp: reductions.ptp,
    np.put_along_axis: selecting.put_along_axis,
    np.ravel: joining.ravel,
    np.real: views.real,
    np.repeat: joining.repeat,
    np.reshape: joining.reshape,
    np.roll: joining.roll,
    np.round: elementwise.round_,
    np.searchsorted: sorting.searchsorted,
    np.sort: sorting.sort,
    np.stack: joining.stack,
    np.std: reductions.std,
    np.sum: _sum,
    np.take: choosing.take,
    np.take_along_axis: selecting.take_along_axis,
    np.tensordot: products.tensordot,
    np.tile: joining.tile,
    np.trace: products.trace,
    np.tril: creation.tri_part(np.greater_equal),
    np.triu: creation.tri_part(np.less_equal),
    np.unique: sorting.unique,
    np.unique_all: sorting.unique_all,
    np.unique_counts: sorting.unique_counts,
    np.unique_inverse: sorting.unique_inverse,
    np.unique_values: sorting.unique_values,
    np.unstack: views.unstack,
    np.var: reductions.var,
    np.vdot: products.vdot,
    np.where: elementwise.where,
    np.zeros_like: creation.zeros_like,
}


def _to_list(array: DeviceArray) -> Any:
    return array.copy_to_host().tolist()


def _to_device(array: DeviceArray, device: Any, /, *, stream: Any = None) -> DeviceArray:
    """Return the array on a device: itself, or a copy."""
    if device is array.device:
        return array
    with device:
        made = creation.empty_like(array, device=device)
        made.copy_to_device(array, stream)
    return made


def _array_namespace(array: DeviceArray, /, *, api_version: str | None = None) -> Any:
    from numpy_plugin import array_api
    from numpy_plugin.array_api._info import check_version

    check_version(api_version)
    return array_api


METHODS: dict[str, Function] = {
    **{
        name: FUNCTIONS[getattr(np, name)]
        for name in (
            *(
                "all",
                "any",
                "argmax",
                "argmin",
                "argsort",
                "clip",
                "cumprod",
                "cumsum",
                "diagonal",
                "dot",
            ),
            *("imag", "max", "mean", "min", "prod", "real", "repeat", "round", "squeeze"),
            *("nonzero", "std", "searchsorted", "sum", "swapaxes", "take", "trace", "var"),
        )
    },
    "__array_namespace__": _array_namespace,
    "_repr_html_": notebook.html_of,
    "compress": selecting.compress_method,
    "conj": lambda array, out=None, /: np.conjugate(array, out=out),
    "conjugate": lambda array, out=None, /: np.conjugate(array, out=out),
    "flatten": lambda array, order="C": joining.ravel(array, order).copy(),
    "sort": sorting.sort_in_place,
    "to_device": _to_device,
    "tolist": _to_list,
}
