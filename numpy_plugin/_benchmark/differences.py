"""Differences between the results of two functions that are meant to compute the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Difference", "largest_difference"]


class Difference(NamedTuple):
    """The largest difference between two results, relative to the second one.

    Attributes:
        ulp: in units in the last place of the first result's dtype; for integers and bool the
            difference itself; infinite where only one result is finite.
        relative: the largest relative difference, 0 where both are equal.
        place: the indices of the element with the largest `ulp`; () for equal results.
        result: which of several results differs most, 0 for the first.
    """

    ulp: float
    relative: float
    place: tuple[int, ...]
    result: int = 0


def largest_difference(ours: Any, theirs: Any) -> Difference:
    """Return the largest difference between results, each an array or a tuple of arrays.

    Raises:
        ValueError: they have different numbers of results, or results of different shapes.
    """
    first = ours if isinstance(ours, tuple) else (ours,)
    second = theirs if isinstance(theirs, tuple) else (theirs,)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} results compared with {len(second)}")
    found = [
        _difference(np.asarray(a), np.asarray(b))._replace(result=number)
        for number, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    return max(found, key=lambda difference: difference.ulp)


def _difference(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> Difference:
    if a.shape != b.shape:
        raise ValueError(f"a result of shape {a.shape} compared with one of shape {b.shape}")
    if a.size == 0:
        return Difference(0.0, 0.0, ())
    ulp, relative = _parts(a, b) if a.dtype.kind == "c" or b.dtype.kind == "c" else _real(a, b)
    place = np.unravel_index(int(np.argmax(ulp)), ulp.shape)
    largest = float(np.max(ulp))
    return Difference(
        largest,
        float(np.max(relative)),
        tuple(int(index) for index in place) if largest > 0 else (),
    )


def _parts(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Compare real and imaginary parts."""
    real = _real(np.real(a), np.real(b))
    imaginary = _real(np.imag(a), np.imag(b))
    return np.maximum(real[0], imaginary[0]), np.maximum(real[1], imaginary[1])


def _real(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Return the differences of elements in ulp, and relative to the second."""
    if a.dtype.kind not in "f":
        return _exact(a, b)
    b = b.astype(a.dtype, copy=False)
    is_equal = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        distance = np.abs(a.astype(np.longdouble) - b.astype(np.longdouble))
        ulp = distance / np.spacing(np.maximum(np.abs(b), np.finfo(a.dtype).smallest_normal))
        relative = distance / np.abs(b.astype(np.longdouble))
    return _settled(ulp, is_equal), _settled(relative, is_equal)


def _exact(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Likewise for integers and bool."""
    is_equal = a == b
    distance = np.abs(a.astype(np.longdouble) - b.astype(np.longdouble))
    with np.errstate(all="ignore"):
        relative = distance / np.abs(b.astype(np.longdouble))
    return _settled(distance, is_equal), _settled(relative, is_equal)


def _settled(distance: Any, is_equal: Any) -> Any:
    """Return distances with 0 for equal elements, and inf where there is none."""
    return np.where(is_equal, 0.0, np.where(np.isfinite(distance), distance, np.inf))
