"""Ufuncs whose bits may depend on the instruction set: functions, loops, rounding."""

import numpy as np

import numpy_plugin as npp


@npp.vectorize(["float32(float32)", "float64(float64)"])
def wave(x):
    return np.exp(-x * x) * np.sin(x) + x / 3 * x


@npp.vectorize(["int64(float64)"])
def steps(x):
    n = 0
    while x * x > 0.01 and n < 200:
        x = x * 0.75 + 0.001
        n += 1
    return n


@npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(3),(3)->(3)")
def cross(a, b, out):
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = a[j] * b[k] - a[k] * b[j]


@npp.vectorize(["complex64(complex64)", "float16(float16)"])
def third(x):
    return x * x / 3 - x
