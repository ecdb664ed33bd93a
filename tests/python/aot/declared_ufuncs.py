"""Ufuncs for a built module: elementwise and generalized ones of many types."""

import math

import numpy as np

import numpy_plugin as npp

#: Frozen when it is compiled.
SCALE = 0.5


@npp.device
def squared(x):
    return x * x


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def hypotenuse(x, y):
    """Length of the hypotenuse."""
    return (squared(x) + squared(y)) ** 0.5


@npp.vectorize(["complex128(complex128)", "float16(float16)"])
def scaled(x):
    """Half of a number."""
    return SCALE * x


@npp.vectorize(["int64(int64, int64)"])
def ratio(x, y):
    """Quotient of integers, rounded down."""
    return x // y


@npp.vectorize(["float64(float64)"])
def checked_root(x):
    """Square root, of numbers that have one."""
    if x < 0:
        raise ValueError(f"no root of {x:.1f}", 3)
    return math.sqrt(x)


@npp.vectorize(["float64(float64, float64)"], identity=0)
def total(x, y):
    return x + y


@npp.vectorize(["float64(float64, float64)"], identity="reorderable")
def checked_least(x, y):
    if x == 13:
        raise ArithmeticError("thirteen")
    return min(x, y)


@npp.vectorize(["float32(float32)", "float64(float64)"])
def wave(x):
    return np.exp(-x * x) * np.sin(x)


wave_slope = npp.derivative(wave, "x")


@npp.guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(m,n),(n)->(m)")
def transform(a, x, out):
    """Product of a matrix and a vector."""
    for i in range(a.shape[0]):
        value = 0.0
        for k in range(a.shape[1]):
            value += a[i, k] * x[k]
        out[i] = value


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def checked_mean(x, out):
    if x[0] < 0:
        raise IndexError("negative")
    out[0] = x.sum() / x.shape[0]


@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def every_second(x, out):
    """Every second element; the others stay."""
    for i in range(0, x.shape[0], 2):
        out[i] = x[i]


@npp.guvectorize(["void(float64, float64[:])"], "()->()")
def positive(x, out):
    """Positive numbers; others stay."""
    if x > 0:
        out[0] = x


@npp.guvectorize(["void(float64[:])"], "(n)", writable_args=[0])
def centre(x):
    """Subtract the mean, in place."""
    mean = x.sum() / x.shape[0]
    for i in range(x.shape[0]):
        x[i] -= mean


@npp.guvectorize(["void(float64[:], float64[:], int64[:], float64[:])"], "(n)->(n),(n),()")
def ordered(x, values, indices, middle):
    """Sorted elements, their indices, and the median."""
    values[:] = np.sort(x)
    indices[:] = np.argsort(x)
    middle[0] = np.median(x)


quotient = npp.vectorize(
    ["float64, float64(float64, float64)"],
    name="quotient",
    args="x, y",
    outs="whole, rest",
    body="whole = floor(x / y); rest = x - whole * y;",
    doc="Quotient and remainder.",
)

_hidden = npp.vectorize(["float64(float64)"], args="x", body="return x;")
