"""Kernels whose machine instructions `make bench` counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numpy_plugin import device, vectorize

__all__ = ["UFUNCS"]


@vectorize(["int8(int8, int8)", "int64(int64, int64)", "float32(float32, float32)"])
def add(x: float, y: float) -> float:
    """x plus y."""
    return x + y


@vectorize(["float64(float64, float64)"])
def multiply(x: float, y: float) -> float:
    """x times y."""
    return x * y


@vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def hypot(x: float, y: float) -> float:
    """Length of (x, y), without intermediate overflow."""
    x = abs(x)
    y = abs(y)
    t = min(x, y)
    x = max(x, y)
    t = t / x
    return x * math.sqrt(1 + t * t)


@vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"])
def gaussian_pdf(x: float, mean: float, sigma: float) -> Any:
    """Density at x of the normal distribution with this mean and standard deviation."""
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * np.float32(2.5066283))


@device
def polar_to_cartesian(rho: float, theta: float) -> tuple[float, float]:
    """Cartesian coordinates x and y."""
    return rho * math.cos(theta), rho * math.sin(theta)


@vectorize([f"{t}({t}, {t}, {t}, {t})" for t in ("float32", "float64")])
def polar_distance(rho1: float, theta1: float, rho2: float, theta2: float) -> Any:
    """Distance of two points given in polar coordinates."""
    x1, y1 = polar_to_cartesian(rho1, theta1)
    x2, y2 = polar_to_cartesian(rho2, theta2)
    return ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5


@vectorize(["float64(float64, float64)"])
def sum_of_squares(a: float, b: float) -> float:
    """Integer powers."""
    return a**2 + b**2


@vectorize(["float64(float64, float64, float64)"])
def quadratic_root(a: float, b: float, c: float) -> float:
    """The larger root of ax^2 + bx + c."""
    return (-b + math.sqrt(b**2 - 4 * a * c)) / (2 * a)


@vectorize(["complex64(complex64, complex64)"])
def vmult(x: complex, y: complex) -> complex:
    """Product of complex numbers."""
    return x * y


@vectorize(["float32(float32, float32, float32)"])
def saxpy(a: float, x: float, y: float) -> float:
    """A times x plus y."""
    return a * x + y


@vectorize(["int32(complex128, int32)"])
def mandelbrot(c: complex, limit: int) -> int:
    """Steps until z*z + c leaves the circle of radius 2."""
    z = c
    for i in range(limit):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
        z = z * z + c
    return limit


@vectorize(["float64(" + ", ".join(["float64"] * 8) + ")"])
def pair_mass(
    e1: float,
    px1: float,
    py1: float,
    pz1: float,
    e2: float,
    px2: float,
    py2: float,
    pz2: float,
) -> float:
    """Mass of two particles from their energies and momenta."""
    return math.sqrt((e1 + e2) ** 2 - (px1 + px2) ** 2 - (py1 + py2) ** 2 - (pz1 + pz2) ** 2)


UFUNCS = (
    add,
    multiply,
    hypot,
    gaussian_pdf,
    polar_distance,
    sum_of_squares,
    quadratic_root,
    vmult,
    saxpy,
    mandelbrot,
    pair_mass,
)
