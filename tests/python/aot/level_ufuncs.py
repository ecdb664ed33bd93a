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
