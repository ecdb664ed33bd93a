"""`python benchmarks/core_lanes.py`: generalized ufuncs with short core dimensions.

Times of 100,000 elements of the loop dimensions, beside those of the scalar form and of Numba.
Kernels whose elements all take the same path have no lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from variants import SCALAR_FORM, library, variables

from numpy_plugin import benchmark, guvectorize
from numpy_plugin._benchmark.result import Benchmark

__all__ = ["CASES", "measure"]

N_ELEMENTS = 100_000
ROUNDS = 25

Array = npt.NDArray[Any]


def _cross(a: Array, b: Array, out: Array) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


def _quaternion(p: Array, q: Array, out: Array) -> None:
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1]
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]


def _norm(v: Array, out: Array) -> None:
    total = v[0] * 0
    for i in range(v.shape[0]):
        total += v[i] * v[i]
    out[0] = total**0.5


def _inverse(m: Array, out: Array) -> None:
    for i in range(3):
        for j in range(3):
            a, b = (j + 1) % 3, (j + 2) % 3
            c, d = (i + 1) % 3, (i + 2) % 3
            out[i, j] = m[a, c] * m[b, d] - m[a, d] * m[b, c]
    determinant = m[0, 0] * out[0, 0] + m[0, 1] * out[1, 0] + m[0, 2] * out[2, 0]
    for i in range(3):
        for j in range(3):
            out[i, j] /= determinant


def _unit(v: Array, out: Array) -> None:
    length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) ** 0.5
    for i in range(3):
        if length > 0:
            out[i] = v[i] / length
        else:
            out[i] = 0


def _solve(m: Array, b: Array, x: Array) -> None:
    for i in range(3):
        x[i] = b[i]
    a, c, d, e = m[0, 0], m[0, 1], m[1, 0], m[1, 1]
    if abs(a) < abs(d):
        a, c, d, e = d, e, a, c
        x[0], x[1] = b[1], b[0]
    if a == 0:
        return
    factor = d / a
    x[1] = (x[1] - factor * x[0]) / (e - factor * c)
    x[0] = (x[0] - c * x[1]) / a


def _median(v: Array, out: Array) -> None:
    a, b, c, d, e = v[0], v[1], v[2], v[3], v[4]
    if a > b:
        a, b = b, a
    if d > e:
        d, e = e, d
    if a > d:
        b, e = e, b
        a, d = d, a
    if b > c:
        b, c = c, b
    if b > d:
        c, e = e, c
        b, d = d, b
    out[0] = min(c, d)


def _ordered(x: Array, out: Array) -> None:
    for i in range(x.shape[0]):
        value = x[i]
        place = i
        while place > 0 and out[place - 1] > value:
            out[place] = out[place - 1]
            place -= 1
        out[place] = value


def _newton(c: Array, out: Array) -> None:
    root = c[0] * 0
    for _ in range(30):
        value = ((c[3] * root + c[2]) * root + c[1]) * root + c[0]
        step = value / ((3 * c[3] * root + 2 * c[2]) * root + c[1])
        root -= step
        if abs(step) < 1e-5:
            break
    out[0] = root


def _in_triangle(corners: Array, point: Array, out: Array) -> None:
    out[0] = False
    for i in range(3):
        j = (i + 1) % 3
        right, up = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
        if right * (point[1] - corners[i, 1]) < up * (point[0] - corners[i, 0]):
            return
    out[0] = True


def _place(table: Array, value: Any, out: Array) -> None:
    low = 0
    high = table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < value:
            low = middle + 1
        else:
            high = middle
    out[0] = low


class Case(NamedTuple):
    """A kernel, its layout with sizes, its signature in T, and the inputs' shared dimensions."""

    kernel: Callable[..., Any]
    layout: str
    signature: str
    n_in_table: int = 0  # of the first input, which all elements share


CASES = {
    "cross product": Case(_cross, "(3),(3)->(3)", "void(T[:], T[:], T[:])"),
    "product of quaternions": Case(_quaternion, "(4),(4)->(4)", "void(T[:], T[:], T[:])"),
    "norm of 3": Case(_norm, "(3)->()", "void(T[:], T[:])"),
    "inverse of 3x3": Case(_inverse, "(3,3)->(3,3)", "void(T[:,:], T[:,:])"),
    "unit vector": Case(_unit, "(3)->(3)", "void(T[:], T[:])"),
    "pivoted 2x2 solution": Case(_solve, "(2,2),(3)->(3)", "void(T[:,:], T[:], T[:])"),
    "median of 5": Case(_median, "(5)->()", "void(T[:], T[:])"),
    "sort of 4": Case(_ordered, "(4)->(4)", "void(T[:], T[:])"),
    "sort of 8": Case(_ordered, "(8)->(8)", "void(T[:], T[:])"),
    "Newton's method": Case(_newton, "(4)->()", "void(T[:], T[:])"),
    "point in triangle": Case(_in_triangle, "(3,2),(2)->()", "void(T[:,:], T[:], bool[:])"),
    "place in a table": Case(_place, "(n),()->()", "void(T[:], T, int64[:])", 1000),
}


def _inputs(case: Case, dtype: str) -> list[Array]:
    random = np.random.default_rng(0)
    cores = case.layout.split("->")[0][1:-1].split("),(")
    if case.n_in_table:
        shapes: list[tuple[int, ...]] = [(case.n_in_table,), (N_ELEMENTS,)]
    else:
        shapes = [(N_ELEMENTS, *map(int, core.split(","))) for core in cores]
    arrays = [random.normal(size=shape).astype(dtype) for shape in shapes]
    if case.n_in_table:
        arrays[0].sort()
    return arrays


def measure(case: Case, dtype: str) -> Benchmark:
    """Print and return the times of a kernel beside the other versions'."""
    signatures = [case.signature.replace("T", dtype)]
    declare = guvectorize(signatures, case.layout, target="cpu")
    ours, operands = declare(case.kernel), _inputs(case, dtype)
    with variables(NUMPY_PLUGIN_CXX=SCALAR_FORM):
        others = {"scalar form": declare(case.kernel)}
        others["scalar form"](*operands)
    if (numba := library("numba")) is not None:
        # Numba has no fixed sizes.
        layout = case.layout.translate(str.maketrans("23458", "abcde"))
        others["Numba"] = numba.guvectorize(signatures, layout, nopython=True)(case.kernel)
    return benchmark(ours, *operands, against=others, rounds=ROUNDS)


def main() -> None:
    """Print the times of all kernels."""
    for name, case in CASES.items():
        for dtype in ("float64", "float32"):
            print(f"\n{name}", flush=True)
            measure(case, dtype)


if __name__ == "__main__":
    main()
