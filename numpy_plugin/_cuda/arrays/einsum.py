"""`numpy.einsum` of one or two device arrays: views of diagonals, sums, and one product."""

from __future__ import annotations

import math
from typing import Any

from numpy_plugin import _core
from numpy_plugin._core import DeviceArray
from numpy_plugin._cuda.arrays.elementwise import copyto
from numpy_plugin._cuda.arrays.operands import required_on_device
from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._cuda.arrays.views import broadcast_to
from numpy_plugin._cuda.numpy_ufuncs import host_only_error

__all__ = ["einsum"]

#: Labels of the axes that an ellipsis stands for: no letters, so that they can't be given.
_ELLIPSIS_LABELS = [chr(ord("0") + i) for i in range(10)]


def einsum(
    *operands: Any,
    out: Any = None,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "same_kind",
    optimize: Any = False,
) -> Any:
    """`numpy.einsum` with the subscripts as a str, of one or two operands; a view if possible."""
    if not operands or not isinstance(operands[0], str):
        raise host_only_error("numpy.einsum", " of operands with lists of subscripts")
    subscripts, arrays = operands[0], [required_on_device(x, "numpy.einsum") for x in operands[1:]]
    if len(arrays) not in (1, 2):
        raise host_only_error("numpy.einsum", f" of {len(arrays)} operands")
    # NumPy checks the subscripts: axes of at most one element make this cheap.
    np.einsum(subscripts, *(np.zeros([min(n, 1) for n in x.shape]) for x in arrays))
    labels, result = _labels(subscripts.replace(" ", ""), arrays)
    parts = [_diagonal_view(x, names) for x, names in zip(arrays, labels, strict=True)]
    _check_sizes(parts)
    if dtype is not None:
        parts = [(x.astype(dtype, copy=False), names) for x, names in parts]
    found, names = _product(parts, result) if len(parts) == 2 else parts[0]
    found = _summed(found, names, result)
    if out is None:
        return found
    copyto(out, found, casting=casting)
    return out


def _labels(subscripts: str, arrays: list[DeviceArray]) -> tuple[list[str], str]:
    """Return the labels of each operand and of the result, one character an axis."""
    inputs, arrow, result = subscripts.partition("->")
    terms = inputs.split(",")
    wide = 0
    expanded = []
    for term, x in zip(terms, arrays, strict=True):
        n = x.ndim - len(term.replace("...", ""))
        wide = max(wide, n)
        expanded.append(term.replace("...", "".join(_ELLIPSIS_LABELS[:n][::-1])))
    rest = "".join(_ELLIPSIS_LABELS[:wide][::-1])
    if arrow:
        return expanded, result.replace("...", rest)
    letters = [c for c in "".join(expanded) if c.isalpha()]
    once = sorted(c for c in set(letters) if letters.count(c) == 1)
    return expanded, rest + "".join(once)


def _diagonal_view(x: DeviceArray, names: str) -> tuple[DeviceArray, str]:
    """Return a view with one axis per label: repeated labels select a diagonal."""
    different = "".join(dict.fromkeys(names))
    if different == names:
        return x, names
    sizes = {
        c: max(n for n, name in zip(x.shape, names, strict=True) if name == c) for c in different
    }
    wide = broadcast_to(x, tuple(sizes[c] for c in names))
    steps = {
        c: sum(step for step, name in zip(wide.strides, names, strict=True) if name == c)
        for c in different
    }
    shape = tuple(sizes[c] for c in different)
    return _core.view_of(x, shape, tuple(steps[c] for c in different), 0, x.dtype), different


def _check_sizes(parts: list[tuple[DeviceArray, str]]) -> None:
    """Raise an error if an index has two sizes, both other than 1."""
    sizes: dict[str, int] = {}
    for x, names in parts:
        for name, n in zip(names, x.shape, strict=True):
            if n != 1 and sizes.setdefault(name, n) != n:
                raise ValueError(f"index {name!r} has the sizes {sizes[name]} and {n}")


def _summed(x: DeviceArray, names: str, result: str) -> DeviceArray:
    """Sum over the labels that the result does not have, and order the rest."""
    axes = tuple(i for i, name in enumerate(names) if name not in result)
    if axes:
        x = np.add.reduce(x, axis=axes, dtype=x.dtype)
        names = "".join(name for name in names if name in result)
    return x.transpose([names.index(name) for name in result]) if names else x


def _product(parts: list[tuple[DeviceArray, str]], result: str) -> tuple[DeviceArray, str]:
    """Return the product of two operands as one of stacked matrices, and its labels."""
    (a, names_a), (b, names_b) = parts
    (a, names_a), (b, names_b) = (
        _only_shared(a, names_a, names_b + result),
        _only_shared(b, names_b, names_a + result),
    )
    both = [name for name in names_a if name in names_b]
    stacked = [name for name in both if name in result]
    inner = [name for name in both if name not in result]
    rows = [name for name in names_a if name not in both]
    columns = [name for name in names_b if name not in both]
    sizes = dict(zip(names_a + names_b, a.shape + b.shape, strict=True))
    for name in both:
        sizes[name] = max(a.shape[names_a.index(name)], b.shape[names_b.index(name)])
        if 0 in (a.shape[names_a.index(name)], b.shape[names_b.index(name)]):
            sizes[name] = 0

    def matrices(x: DeviceArray, names: str, *groups: list[str]) -> DeviceArray:
        order = [name for group in groups for name in group]
        x = x.transpose([names.index(name) for name in order])
        x = broadcast_to(x, tuple(sizes[name] for name in order))
        shape = [sizes[name] for name in groups[0]]
        return x.reshape(shape + [math.prod(sizes[name] for name in g) for g in groups[1:]])

    product = np.matmul(
        matrices(a, names_a, stacked, rows, inner), matrices(b, names_b, stacked, inner, columns)
    )
    names = stacked + rows + columns
    return product.reshape([sizes[name] for name in names]), "".join(names)


def _only_shared(x: DeviceArray, names: str, wanted: str) -> tuple[DeviceArray, str]:
    """Sum over the labels that appear nowhere else."""
    kept = "".join(name for name in names if name in wanted)
    return (x, names) if kept == names else (_summed(x, names, kept), kept)
