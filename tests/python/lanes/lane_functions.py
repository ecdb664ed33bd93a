"""Kernels in lane blocks with tuples and calls of functions: of `npp.device`, and of ufuncs."""

import math

import numpy as np

import numpy_plugin as npp

REAL = ["float32(float32, float32)", "float64(float64, float64)"]


@npp.device
def multiplied(a, b):
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


@npp.vectorize(["int64(float64, float64)", "int32(float32, float32)"], target="cpu")
def escape(x, y):
    c = x, y
    z = c
    n = 0
    while z[0] * z[0] + z[1] * z[1] <= 4.0 and n < 60:
        square = multiplied(z, z)
        z = square[0] + c[0], square[1] + c[1]
        n += 1
    return n


@npp.device
def halvings(x, limit):
    n = 0
    while x > limit:
        x = x / 2
        n += 1
        if n == 30:
            return -n
    return n


@npp.device
def between(x, low, high):
    if x < low:
        return low, 1
    if x > high:
        return high, 2
    return x, 0


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def inner_loops(x, y):
    total = 0.0
    for i in range(4):
        value, side = between(x + i, -2.0, abs(y))
        if side == 1:
            total -= halvings(abs(x), value + 3.0)
            continue
        total += halvings(value * 8, 1.5) if side == 2 else value / y
        if total > 20:
            break
    return total


@npp.device
def reciprocal(x):
    return 1 / x


@npp.vectorize(REAL, target="cpu")
def guarded(x, y):
    total = x * 0
    k = 0
    while k < 3:
        total += reciprocal(x) if x != 0 else y
        if y > 0 and reciprocal(y) < 1:
            total -= 1
        k += 1
    return total


@npp.vectorize(["(float64, int64)(float64, int64)"], target="cpu")
def swapped(x, n):
    pair = (x, n)
    for i in range(6):
        if pair[1] % 3 == i % 3:
            pair = (pair[0] * 0.5, pair[1] + 1)
        else:
            pair = (float(pair[1]), int(min(max(pair[0], -1e9), 1e9)) if x == x else 0)
        if pair[0] > 100:
            return pair
    return pair


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def chosen(x, y):
    total = 0.0
    for _ in range(3):
        pair = (x, y) if x < y else (y, x)
        small, large = pair
        total += large - small
        x, y = large * 0.5, small + 1
    return total


@npp.vectorize(["int64(int64, int64)"])
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@npp.vectorize(["int64(int64, int64)"], target="cpu")
def lcm(a, b):
    if a == 0 or b == 0:
        return 0
    return a // gcd(a, b) * b


@npp.device
def twice(n):
    return n + n


@npp.vectorize(["int64(int64, int64)"], target="cpu")
def sums(a, b):
    k = 0
    while a < b and k < 9:
        a = twice(a) + 1
        k += 1
    return a


@npp.device
def softened(x):
    return math.log(x) if x > 1 else x - 1


@npp.vectorize(REAL, target="cpu", math="reproducible")
def smoothed(x, y):
    for _ in range(3):
        x = softened(abs(x)) + softened(y)
        if x > 1.5:
            return x
    return x


@npp.device
def checked_root(x):
    if x < 0:
        raise ValueError(f"no root of {x}")
    return np.sqrt(x)


@npp.device
def roots(x, n):
    while n > 0:
        x = checked_root(x - 1) + 0.5
        n -= 1
    return x


@npp.vectorize(["float64(float64, int64)"], target="cpu")
def refusing(x, n):
    total = -2000.0 if n == 5 else 0.0
    for i in range(5):
        total += roots(x - i, n)
        if total < -1000:
            raise OverflowError(f"total {total}")
        while total < 0.0:
            total = checked_root(total) - 1.0
    return total


def forever(x):
    total = 0.0
    while checked_root(x) < 1.0:
        total += 1.0
    for _ in range(1_000_000_000_000):
        total += checked_root(x)
    return total


EXACT = [escape, inner_loops, guarded, chosen, lcm, sums, smoothed]
