"""NumPy's functions of linear algebra in the kernel language, as those of `array_functions`.

They eliminate with partial pivoting, as LAPACK does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from numpy_plugin._frontend.array_functions import device
from numpy_plugin._frontend.joining_functions import common

__all__: list[str] = []


@device
def unit(a: Any, b: Any) -> Any:
    """Return 1 in the floating-point dtype of both."""
    return np.mean(a[:0]).dtype.type(1) * np.mean(b[:0]).dtype.type(1)


@device
def factorized(a: Any, order: Any) -> Any:
    """Replace a square matrix by its factors L and U; return the sign of the rows' order.

    `order` has the numbers of the rows in their order before and afterwards.
    """
    assert a.ndim == 2, "it takes a matrix in a kernel"
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    n = a.shape[0]
    sign = 1
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if pivot != k:
            sign = -sign
            order[k], order[pivot] = order[pivot], order[k]
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
        if a[k, k] != 0:
            for i in range(k + 1, n):
                a[i, k] = a[i, k] / a[k, k]
                for j in range(k + 1, n):
                    a[i, j] -= a[i, k] * a[k, j]
    return sign


@device
def determinant(a: Any, order: Any) -> Any:
    """Return the determinant of a matrix, whose elements are overwritten."""
    result = a.dtype.type(factorized(a, order))
    for k in range(a.shape[0]):
        result = result * a[k, k]
    return result


@device
def solved(result: Any, b: Any, a: Any, order: Any) -> Any:
    """Write the solution of a x = b, of one or several columns; overwrite a."""
    n = a.shape[0]
    factorized(a, order)
    if b.shape[0] != n:
        raise ValueError(f"solve: the matrix has {n} rows, the right side {b.shape[0]}")
    for k in range(n):
        if a[k, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
    for i in range(n):
        result[i] = b[order[i]]
        for k in range(i):
            result[i] -= a[i, k] * result[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            result[i] -= a[i, k] * result[k]
        result[i] /= a[i, i]
    return result


@device
def factor(a: Any) -> Any:
    """Replace a positive definite matrix by its factor L, of which it is the product with L^H."""
    assert a.ndim == 2, "it takes a matrix in a kernel"
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    n = a.shape[0]
    for j in range(n):
        for i in range(j):
            a[i, j] = 0
        for k in range(j):
            for i in range(j, n):
                a[i, j] -= a[i, k] * np.conjugate(a[j, k])
        square = np.real(a[j, j])
        if not square > 0:
            raise np.linalg.LinAlgError("Matrix is not positive definite")
        a[j, j] = np.sqrt(square)
        for i in range(j + 1, n):
            a[i, j] = a[i, j] / np.sqrt(square)
    return a


@device
def with_row_below(m: Any, y: Any) -> Any:
    """Return a matrix of two vectors."""
    if m.ndim != 1 or y.ndim != 1 or m.shape[0] != y.shape[0]:
        raise ValueError("in a kernel two variables are vectors of the same length")
    rows = np.empty((2, m.shape[0]), common(m, y).dtype)
    rows[0] = m
    rows[1] = y
    return rows


@device
def covariances(m: Any, y: Any, bias: Any, ddof: Any) -> Any:
    """Return the covariances of the rows of a matrix or of two vectors; the variance of a vector.

    `y` is the second vector, or None.
    """
    if y is not None:
        return covariances(with_row_below(m, y), None, bias, ddof)
    lost = ddof if ddof is not None else 1 - int64(bias)
    scale = np.float64(1) / max(m.shape[-1] - lost, 0)
    away = m * np.float64(1)
    if m.ndim == 1:
        away -= np.mean(away)
        return np.dot(away, np.conjugate(away)) * scale
    result = np.empty((m.shape[0], m.shape[0]), away.dtype)
    for i in range(m.shape[0]):
        away[i] -= np.mean(away[i])
        for j in range(i + 1):
            result[i, j] = np.dot(away[i], np.conjugate(away[j])) * scale
            result[j, i] = np.conjugate(result[i, j])
    return result


@device
def correlations(c: Any) -> Any:
    """Divide covariances by the standard deviations."""
    if c.ndim == 0:
        return c / c
    result = np.empty(c.shape, c.dtype)
    for i in range(c.shape[0]):
        for j in range(c.shape[0]):
            ratio = c[i, j] / np.sqrt(np.real(c[i, i])) / np.sqrt(np.real(c[j, j]))
            result[i, j] = limited(ratio)
    return result


@device
def limited(ratio: Any) -> Any:
    """Return a number of which no part is larger than 1, as rounding makes it."""
    if ratio.dtype.kind == "c":
        return complex(min(max(ratio.real, -1.0), 1.0), min(max(ratio.imag, -1.0), 1.0))
    return min(max(ratio, -1.0), 1.0)


@device
def diagonal_size(a: Any, k: Any) -> Any:
    """Return the number of elements k places above the main diagonal."""
    assert a.ndim == 2, "it takes a matrix in a kernel"
    return max(min(a.shape[0] + np.minimum(int64(k), 0), a.shape[1] - np.maximum(int64(k), 0)), 0)


@device
def diagonal(result: Any, a: Any, k: Any) -> Any:
    """Copy the elements k places above the main diagonal."""
    for i in range(result.shape[0]):
        result[i] = a[i - np.minimum(int64(k), 0), i + np.maximum(int64(k), 0)]
    return result


@device
def trace(a: Any, k: Any) -> Any:
    """Add up the elements k places above the main diagonal."""
    total = np.sum(a[:0])
    for i in range(diagonal_size(a, k)):
        total += a[i - np.minimum(int64(k), 0), i + np.maximum(int64(k), 0)]
    return total


@device
def triangle(a: Any, k: Any, side: Any) -> Any:
    """Write zeros above the k-th diagonal for side 1, below it for -1."""
    assert a.ndim == 2, "it takes a matrix in a kernel"
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if (j - i - int64(k)) * side > 0:
                a[i, j] = 0
    return a
