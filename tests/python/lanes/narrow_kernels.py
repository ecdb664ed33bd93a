"""Kernels in lane blocks with integers of 1 and 2 bytes."""

import numpy as np

import numpy_plugin as npp

NARROW = ["int8", "uint8", "int16", "uint16"]
PAIRS = [f"{t}({t}, {t})" for t in NARROW]


@npp.vectorize(PAIRS, target="cpu")
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@npp.vectorize(PAIRS, target="cpu")
def wrapping(a, b):
    k = 0
    while a != b and k < 9:
        a = a * b + (a ^ 5) - (b & a) if a > b else -a * 3 + ~b
        b = min(a, b) | max(b >> 1, a) if k == 2 else b + 1
        k += 1
    return abs(a) + b


@npp.vectorize(PAIRS, target="cpu")
def shifts(a, b):
    total = a - a
    for _ in range(4):
        if b == 77:
            return b
        total += (a << (b % 20 if b > 0 else 3)) - (a >> (b & 15)) + (a >> 3) + (b << 2)
        a, b = b, total
    return total


@npp.vectorize(PAIRS, target="cpu")
def divisions(a, b):
    total = a - a
    k = 0
    while k < 3:
        if b > k:
            total += a // b + a % b - (a // 4) % 8
        elif a != 0:
            total -= b // a
        b -= 1
        k += 1
    return total


@npp.vectorize([f"{t}(float64, {t})" for t in NARROW] + ["int16(float32, uint8)"], target="cpu")
def conversions(x, a):
    k = 0
    while k < 3:
        x = x * 100 + a
        if x > 50:
            a += np.uint8(3)
        if a > 100:
            x -= a
        k += 1
    return np.int16(x) + a


@npp.vectorize(["uint8(float32, float32)", "uint8(float64, float64)"], target="cpu")
def picture(x, y):
    zx, zy, n = x, y, np.uint8(0)
    while zx * zx + zy * zy <= 4.0 and n < 250:
        zx, zy = zx * zx - zy * zy + x, 2 * zx * zy + y
        n += 1
    return n


@npp.vectorize(["(int64, bool, int8)(int16, uint8)"], target="cpu")
def several(a, b):
    n = 0
    while a > b:
        a -= b + 7
        n += 1
        if n > 40:
            return n, b > 3, -b
    return a, b == a, np.int8(n)


@npp.vectorize(["uint8(int16, uint8)"], target="cpu")
def refusing(a, b):
    while a > 0:
        a -= b
        if b == 0:
            raise ZeroDivisionError(f"{a} by {b}")
    return b - 1


EXACT = [gcd, wrapping, shifts, divisions, conversions, picture]
