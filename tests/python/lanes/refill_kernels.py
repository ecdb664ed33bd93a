"""Kernels whose lanes take further elements: ranges, early returns and exceptions."""

import math

import lane_kernels
from lane_kernels import REAL

import numpy_plugin as npp


@npp.vectorize(REAL, target="cpu")
def newton(mean, eccentricity):
    if mean < 0 or eccentricity != eccentricity:
        return math.nan
    x = mean
    for _ in range(50):
        step = (x * x * x - eccentricity * x - mean) / (3 * x * x - eccentricity + 1)
        x = x - step
        if abs(step) < 1e-3:
            break
    return x


@npp.vectorize(["float64(float64, int64)", "float64(float64, int32)"], target="cpu")
def own_range(x, n):
    total = 0.0
    i = -1
    for i in range(n & 127, 3, -1):
        if i % 8 == 5:
            continue
        total += x * i
        if total > 1e3:
            return -total
    return total + i


@npp.vectorize(["float64, int64(float64, float64)"], target="cpu")
def stepping(x, y):
    """Returns before, in and after the loop, whose variable keeps its last value."""
    if x > 3:
        if y > 3:
            return x, -1
        y = -y
    k = 0
    for k in range(40, -60, -3):
        x = x * 0.75 + y
        if x < -1:
            return y, k
        for j in range(2):
            x = x + j * 0.125
        if x > 5:
            break
    if y > 1:
        return x + 1, k
    return x, k


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def raising(x, y):
    if y == 7:
        raise KeyError(f"{x} before")
    if y == 8:
        return x
    n = 0
    while x < 100:
        if y < 0:
            raise ValueError(f"{x} and {y} after {n}")
        x = x * 2 + y + 1
        n += 1
    assert x < 350, f"{x} behind"
    return x


@npp.vectorize(["int64(int64)"], target="cpu")
def raising_range(n):
    for i in range(n):
        if i == 100:
            raise OverflowError(f"{n}")
    return n


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def endless_beside_raising(x, y):
    while x > 0:
        if y > 0:
            raise ValueError(f"{y}")
        x = x + y * 0
    return x


EXACT = [newton, own_range]
REFILLED = [
    *EXACT, stepping, raising, raising_range, endless_beside_raising,
    lane_kernels.escape, lane_kernels.gcd, lane_kernels.halved,
]  # fmt: skip
