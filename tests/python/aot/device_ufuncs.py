"""Ufuncs for device arrays: an elementwise and a generalized one, and one that raises."""

import numpy_plugin as npp


@npp.vectorize(["float64(float64, float64)"], identity="reorderable")
def largest(x, y):
    return max(x, 0.5 * y, y)


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def product(a, b, out):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    out[0] = total


@npp.vectorize(["float64(float64)"])
def checked(x):
    if x < 0:
        raise ValueError(f"{x} is negative")
    return x**0.5
