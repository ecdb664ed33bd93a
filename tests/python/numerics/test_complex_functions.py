"""Functions of complex numbers: within their bounds, on both sides of each cut, and annex G.

The exact values are mpmath's; what annex G of the C standard says of zeros, infinities and nan is
the table ANNEX_G.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
import pytest
from complex_bounds import (
    DTYPES,
    FUNCTIONS,
    TARGETS,
    TINY,
    ComplexFunction,
    arguments,
    axes,
    distances,
    exact_on_axes,
    exact_value,
    kernel,
    measure,
    part,
)
from cuda_math_functions import mp

from numpy_plugin import cuda


class Kernel:
    """All functions on one target; what was computed is kept for the next function."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.ufunc = kernel()
        self.of_region = functools.cache(lambda *region: self(*arguments(*region)))
        self.of_axes = functools.cache(lambda dtype: self(axes(dtype), axes(dtype)))

    def __call__(self, z: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
        with np.errstate(all="ignore"):
            if self.target == "cpu":
                return list(self.ufunc(z, w))
            results = self.ufunc(cuda.to_device(z), cuda.to_device(w))
            return [result.copy_to_host() for result in results]


@pytest.fixture(scope="module", params=TARGETS)
def kernels(request):
    if request.param == "cpu":
        yield Kernel("cpu")
    else:
        with cuda.simulator(memory="64 MiB"):
            yield Kernel("device")


def check_distances(
    kernels: Kernel, row: ComplexFunction, dtype: str, found: tuple[float, float]
) -> None:
    (whole, parts), (most_whole, most_parts) = found, row.bounds(kernels.target, dtype)
    assert whole <= most_whole, (row.call, dtype)
    assert parts <= most_parts, (row.call, dtype)


def check(kernels: Kernel, row: ComplexFunction, count: int) -> None:
    for dtype in DTYPES:
        check_distances(kernels, row, dtype, measure(row, dtype, count, kernels.of_region))


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bounds(kernels, row):
    check(kernels, row, 4)


@pytest.mark.slow
@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bounds_at_many_points(kernels, row):
    check(kernels, row, 400)


# |z| is so near 1 that its logarithm is what the squares' last bits leave.
BESIDE_THE_CIRCLE = {
    "complex64": [
        0.16029808 - 0.98706865j,
        -0.076989196 + 0.9970319j,
        -0.9999995 + 0.0009765624j,
        -0.97555614 - 0.21975037j,
    ],
    "complex128": [
        -0.001155223748619432 + 0.9999993327288227j,
        0.9999999947626038 - 0.0001023464329588044j,
        -0.4167990181201256 - 0.9089986680375826j,
    ],
}
HARD = {call: BESIDE_THE_CIRCLE for call in ("np.log(z)", "np.log2(z)", "np.log10(z)")}
# The same of |1 + z|.
HARD["np.log1p(z)"] = {
    "complex64": [-1.9999995 + 0.0009765624j, -0.0002696113 + 0.023219602j],
    "complex128": [
        -1.9999991315531842 - 0.001317912317791933j,
        -3.090784226550294e-08 - 0.0002486276001889395j,
    ],
}
# A part is far below the last digit of 1 beside the square of |z|, whose logarithm mpmath takes.
HARD["np.arctan(z)"] = {"complex128": [-3.5340657431901393e95 - 8.81761709534689e-87j]}
HARD["np.arctanh(z)"] = {"complex128": [8.156717639234643e-91 - 5.056345004360212e87j]}


@pytest.mark.parametrize("call", HARD)
def test_a_function_keeps_its_bounds_where_digits_cancel(kernels, call):
    row = next(row for row in FUNCTIONS if row.call == call)
    for dtype, numbers in HARD[call].items():
        z = np.array(numbers, dtype)
        exact = [exact_value(row, argument, argument) for argument in z.tolist()]
        found = kernels(z, z)[FUNCTIONS.index(row)]
        check_distances(kernels, row, dtype, distances(found, exact))


# ---- the sides of the cuts -----------------------------------------------------------------------

WITH_SIDES = [row for row in FUNCTIONS if row.parts]
# On the axes are 0, 1, -1 and so on, where functions have poles; the sides of 0 are not numbers.
POLES = {"np.log(z)": [0], "np.log2(z)": [0], "np.log10(z)": [0], "np.log1p(z)": [-1]}
POLES |= {"np.arctan(z)": [1j, -1j], "np.arctanh(z)": [1, -1], "cmath.phase(z)": [0]}
POLES |= {"np.exp2(z)": [1e30j, -1e30j]}  # its bound ends at 1e6


def sign_of_zero(found: float, exact: object) -> float:
    """The sign that a part found has, where the exact one is a zero; else 0."""
    return 0 if abs(exact) > TINY * mp.mpf(2) ** 200 else math.copysign(1, found)


@pytest.mark.parametrize("row", WITH_SIDES, ids=lambda row: row.call)
def test_the_sign_of_a_zero_chooses_the_side_of_a_cut(kernels, row):
    for dtype in DTYPES:
        z = axes(dtype)
        kept = np.flatnonzero(~np.isin(z, np.array(POLES.get(row.call, []), dtype)))
        found = kernels.of_axes(dtype)[FUNCTIONS.index(row)][kept]
        exact = [exact_on_axes(row.call, dtype)[i] for i in kept]
        check_distances(kernels, row, dtype, distances(found, exact))
        if not np.iscomplexobj(found):
            continue
        for value, true_value, argument in zip(found.tolist(), exact, z[kept], strict=True):
            signs = [sign_of_zero(value.real, true_value.real)]
            signs += [sign_of_zero(value.imag, true_value.imag)]
            wanted = [int(mp.sign(true_value.real)), int(mp.sign(true_value.imag))]
            same = [s in (0, t) for s, t in zip(signs, wanted, strict=True)]
            assert all(same), (row.call, argument, value, wanted)


# ---- annex G -------------------------------------------------------------------------------------

# Argument and result, each as real and imaginary part: x and y are finite and positive, n finite
# and nonzero, ? before a part means an unspecified sign, cis is cos(y) + i sin(y). Other arguments
# are derived by conjugation and, for odd and even functions, negation.
ANNEX_G = {
    "arccos": """
        0 0 pi/2 -0 | -0 0 pi/2 -0 | 0 nan pi/2 nan | -0 nan pi/2 nan | n inf pi/2 -inf
        0 inf pi/2 -inf | n nan nan nan | -inf y pi -inf | inf y 0 -inf | -inf inf 3pi/4 -inf
        inf inf pi/4 -inf | inf nan nan ?inf | -inf nan nan ?inf | nan y nan nan
        nan inf nan -inf | nan nan nan nan""",
    "arccosh": """
        0 0 0 pi/2 | -0 0 0 pi/2 | n inf inf pi/2 | n nan nan nan | -inf y inf pi | inf y inf 0
        0 nan nan ?pi/2 | -inf inf inf 3pi/4 | inf inf inf pi/4 | inf nan inf nan
        -inf nan inf nan | nan y nan nan | nan inf inf nan | nan nan nan nan""",
    "arcsinh odd": """
        0 0 0 0 | x inf inf pi/2 | 0 inf inf pi/2 | x nan nan nan | inf y inf 0 | inf inf inf pi/4
        inf nan inf nan | nan 0 nan 0 | nan y nan nan | nan inf ?inf nan | nan nan nan nan""",
    "arctanh odd": """
        0 0 0 0 | 0 nan 0 nan | 1 0 inf 0 | x inf 0 pi/2 | x nan nan nan | inf y 0 pi/2
        inf inf 0 pi/2 | inf nan 0 nan | nan y nan nan | nan inf ?0 pi/2 | nan nan nan nan""",
    "cosh even": """
        0 0 1 0 | 0 inf nan ?0 | 0 nan nan ?0 | n inf nan nan | n nan nan nan | inf 0 inf 0
        inf y inf cis | inf inf ?inf nan | inf nan inf nan | nan 0 nan ?0 | nan y nan nan
        nan nan nan nan""",
    "sinh odd": """
        0 0 0 0 | 0 inf ?0 nan | 0 nan ?0 nan | x inf nan nan | x nan nan nan | inf 0 inf 0
        inf y inf cis | inf inf ?inf nan | inf nan ?inf nan | nan 0 nan 0 | nan y nan nan
        nan nan nan nan""",
    "tanh odd": """
        0 0 0 0 | 0 inf 0 nan | 0 nan 0 nan | x inf nan nan | x nan nan nan | inf y 1 sin
        inf inf 1 ?0 | inf nan 1 ?0 | nan 0 nan 0 | nan y nan nan | nan nan nan nan""",
    "exp": """
        0 0 1 0 | -0 0 1 0 | n inf nan nan | n nan nan nan | inf 0 inf 0 | -inf y 0 cis
        inf y inf cis | -inf inf ?0 ?0 | inf inf ?inf nan | -inf nan ?0 ?0 | inf nan ?inf nan
        nan 0 nan 0 | nan y nan nan | nan nan nan nan""",
    "log": """
        -0 0 -inf pi | 0 0 -inf 0 | n inf inf pi/2 | n nan nan nan | -inf y inf pi | inf y inf 0
        -inf inf inf 3pi/4 | inf inf inf pi/4 | inf nan inf nan | -inf nan inf nan | nan y nan nan
        nan inf inf nan | nan nan nan nan""",
    "sqrt": """
        0 0 0 0 | -0 0 0 0 | n inf inf inf | nan inf inf inf | inf inf inf inf | -inf inf inf inf
        n nan nan nan | -inf y 0 inf | inf y inf 0 | -inf nan nan ?inf | inf nan inf nan
        nan y nan nan | nan nan nan nan""",
}
# f(z) = -i g(i z); for the cosine f(z) = g(i z).
TURNED = {"arcsin": "arcsinh odd", "arctan": "arctanh odd", "sin": "sinh odd", "tan": "tanh odd"}
TURNED |= {"cos": "cosh even"}
NUMBERS = {"x": [0.75, 2.5], "y": [0.75, 2.5], "n": [0.75, -2.5], "pi": [math.pi]}
NUMBERS |= {"pi/2": [math.pi / 2], "pi/4": [math.pi / 4], "3pi/4": [3 * math.pi / 4]}

Special = tuple[complex, tuple[str, float], tuple[str, float]]


def parts_of(text: str, size: str, y: float) -> tuple[str, float]:
    """`?` or nothing, and a number; cis and sin take the sign of a sine or cosine of y."""
    if text == "sin":
        return "", math.copysign(0.0, math.sin(2 * y))
    sign, number = text[: text.startswith("?")], text.lstrip("?")
    return sign, NUMBERS[number][0] if number in NUMBERS else float(number)


def special_rows(name: str) -> list[Special]:
    """Each argument of the table with its result, mirrored as the function's symmetries say."""
    rows: list[Special] = []
    for row in ANNEX_G[name].replace("\n", "|").split("|"):
        if not row.strip():
            continue
        real, imag, first, second = row.split()
        for x, y in itertools.product(*(NUMBERS.get(t) or [float(t)] for t in (real, imag))):
            if second == "cis":
                size = float(first)
                results = [("", math.copysign(size, f(y))) for f in (math.cos, math.sin)]
            else:
                results = [parts_of(text, first, y) for text in (first, second)]
            rows.append((complex(x, y), results[0], results[1]))
    mirrored = [mirror(row, (1, -1), (1, -1)) for row in rows]
    if name.endswith("odd"):
        mirrored += [mirror(row, (-1, -1), (-1, -1)) for row in rows + mirrored]
    if name.endswith("even"):
        mirrored += [mirror(row, (-1, -1), (1, 1)) for row in rows + mirrored]
    return rows + mirrored


def mirror(row: Special, argument: tuple[int, int], result: tuple[int, int]) -> Special:
    z, (real_sign, real), (imag_sign, imag) = row
    return (
        complex(argument[0] * z.real, argument[1] * z.imag),
        (real_sign, result[0] * real),
        (imag_sign, result[1] * imag),
    )


def turned_rows(name: str) -> list[Special]:
    rows = []
    for z, real, imag in special_rows(TURNED[name]):
        argument = complex(z.imag, -z.real)
        rows.append((argument, real, imag) if name == "cos" else (argument, imag, negated(real)))
    return rows


def negated(part_of_result: tuple[str, float]) -> tuple[str, float]:
    return part_of_result[0], -part_of_result[1]


def fits(found: float, wanted: tuple[str, float], eps: float) -> bool:
    is_open, number = wanted
    if math.isnan(number):
        return math.isnan(found)
    if not is_open and math.copysign(1, found) != math.copysign(1, number):
        return False
    found, number = abs(found), abs(number)
    return found == number or abs(found - number) <= 2 * eps * number < math.inf


@pytest.mark.parametrize("name", [*ANNEX_G, *TURNED])
def test_special_numbers_give_what_annex_g_says(kernels, name):
    rows = turned_rows(name) if name in TURNED else special_rows(name)
    at = next(i for i, row in enumerate(FUNCTIONS) if row.call == f"np.{name.split()[0]}(z)")
    for dtype in DTYPES:
        z = np.array([row[0] for row in rows], dtype)
        found = kernels(z, z)[at].astype(complex).tolist()
        eps = float(np.finfo(dtype).eps)
        wrong = [
            (argument, value, real, imag)
            for (argument, real, imag), value in zip(rows, found, strict=True)
            if not (fits(value.real, real, eps) and fits(value.imag, imag, eps))
        ]
        assert not wrong, (dtype, wrong[:5])


# ---- powers --------------------------------------------------------------------------------------


def test_whole_powers_of_whole_numbers_are_exact(kernels):
    z = np.array([3 + 2j, 2 - 1j, 1j, -4 + 0j], "complex128")
    at = next(i for i, row in enumerate(FUNCTIONS) if row.call == "np.power(z, w)")
    assert kernels(z, np.full(4, 3 + 0j))[at].tolist() == [-9 + 46j, 2 - 11j, -1j, -64 + 0j]
    assert kernels(z, np.zeros(4, complex))[at].tolist() == [1, 1, 1, 1]


def test_tiny_stands_for_a_zero():
    assert part(-0.0) < 0 < part(0.0) < mp.mpf(5e-324)
