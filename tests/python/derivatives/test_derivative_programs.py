"""Random kernels with loops and branches have the derivatives that Python computes for their text.

There the text runs with dual numbers of floats, which take the same branches, and with mpmath's
numbers, whose differences by a tiny step are exact but where rounding decides a branch.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from cuda_math_functions import mp
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

N_PROGRAMS = 6  # in one kernel
BINARY = [
    "({} + {})",
    "({} - {})",
    "{} * {}",
    "{} / (2.5 + ({}) ** 2)",
    "min({}, {})",
    "max({}, {})",
]
UNARY = ["m.sin({})", "m.cos({})", "m.tanh({})", "abs({})", "-({})", "m.sqrt(({}) ** 2 + 0.5)"]
UNARY += ["m.exp(-(({}) ** 2))", "m.log(({}) ** 2 + 1.5)", "m.atan({})"]


class Dual:
    """A float and its tangent."""

    def __init__(self, value: Any, tangent: float = 0.0) -> None:
        self.value, self.tangent = (
            (value.value, value.tangent) if isinstance(value, Dual) else (float(value), tangent)
        )

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.tangent)

    def __abs__(self) -> Dual:
        return -self if self.value < 0 else self

    def __add__(self, other: Any) -> Dual:
        other = Dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other: Any) -> Dual:
        return self + -Dual(other)

    def __mul__(self, other: Any) -> Dual:
        other = Dual(other)
        return Dual(
            self.value * other.value, self.tangent * other.value + self.value * other.tangent
        )

    def __truediv__(self, other: Any) -> Dual:
        other = Dual(other)
        value = self.value / other.value
        return Dual(value, (self.tangent - value * other.tangent) / other.value)

    def __pow__(self, exponent: int) -> Dual:
        assert exponent == 2
        return self * self

    def __radd__(self, other: float) -> Dual:
        return Dual(other) + self

    def __rsub__(self, other: float) -> Dual:
        return Dual(other) - self

    def __rmul__(self, other: float) -> Dual:
        return Dual(other) * self

    def __rtruediv__(self, other: float) -> Dual:
        return Dual(other) / self

    def __lt__(self, other: Any) -> bool:
        return self.value < Dual(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > Dual(other).value


def lifted(name: str, slope: str):
    function = getattr(math, name)
    derivative = eval(f"lambda x, y: {slope}", {"math": math})

    def call(number: Any) -> Dual:
        x = Dual(number)
        y = function(x.value)
        return Dual(y, derivative(x.value, y) * x.tangent)

    return staticmethod(call)


class DualMath:
    """The functions of `math` that programs call."""

    sin = lifted("sin", "math.cos(x)")
    cos = lifted("cos", "-math.sin(x)")
    tanh = lifted("tanh", "1 - y * y")
    sqrt = lifted("sqrt", "0.5 / y")
    exp = lifted("exp", "y")
    log = lifted("log", "1 / x")
    atan = lifted("atan", "1 / (1 + x * x)")


class Program:
    """The text of a random function of x and y."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["x", "y"]

    def expression(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            number = f"{self.random.uniform(-2, 2):.3f}"
            return self.random.choice([*self.names, *self.names, number])
        if self.random.random() < 0.4:
            return self.random.choice(UNARY).format(self.expression(depth - 1))
        if self.random.random() < 0.15:
            sides = [self.expression(depth - 1) for _ in range(2)]
            return f"({sides[0]} if {self.condition()} else {sides[1]})"
        operands = [self.expression(depth - 1) for _ in range(2)]
        return self.random.choice(BINARY).format(*operands)

    def condition(self) -> str:
        return f"{self.expression(1)} < {self.expression(1)}"

    def assignment(self) -> str:
        return f"{self.random.choice(self.names)} = {self.expression(3)}"

    def block(self, depth: int) -> list[str]:
        lines = [self.assignment()]
        for _ in range(self.random.randint(1, 2)):
            kind = self.random.random()
            if depth == 0 or kind < 0.4:
                lines.append(self.assignment())
                continue
            head = f"if {self.condition()}:"
            if kind > 0.6:
                head = f"for k{depth} in range({self.random.randint(2, 4)}):"
            lines += [head, *("    " + line for line in self.block(depth - 1))]
            if kind > 0.85:
                lines.append(f"    if {self.condition()}:")
                lines.append("        break")
        return lines

    def text(self, name: str) -> str:
        lines = [f"{each} = {self.expression(2)}" for each in ("a", "b")]
        self.names += ["a", "b"]
        lines += [*self.block(2), *self.block(2), f"return m.tanh(x) + {self.expression(2)} + a"]
        return "".join([f"def {name}(x, y):\n", *(f"    {line}\n" for line in lines)])


def programs(seed: int) -> dict[str, str]:
    return {f"g{k}": Program(N_PROGRAMS * seed + k).text(f"g{k}") for k in range(N_PROGRAMS)}


def kernel(texts: dict[str, str], **options: object) -> np.ufunc:
    """A ufunc with a result for each of the functions."""
    source = "import math as m\n" + "".join(f"@npp.device\n{text}" for text in texts.values())
    calls = ", ".join(f"{name}(x, y)" for name in texts)
    names = define(f"{source}def f(x, y):\n    return {calls}\n")
    return npp.vectorize(**options)(names["f"])


def slopes(text: str, name: str, x: float, y: float) -> list[float]:
    """The partial derivatives by dual numbers."""
    f = define(text, m=DualMath)[name]
    return [Dual(f(Dual(x, 1), Dual(y))).tangent, Dual(f(Dual(x), Dual(y, 1))).tangent]


def differences(text: str, name: str, x: float, y: float) -> list[float]:
    """The same by central differences."""
    f = define(text, m=mp)[name]
    with mp.workdps(60):
        step = mp.mpf(10) ** -25
        x, y = mp.mpf(x), mp.mpf(y)
        by_x = (f(x + step, y) - f(x - step, y)) / (2 * step)
        by_y = (f(x, y + step) - f(x, y - step)) / (2 * step)
        return [float(by_x), float(by_y)]


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))]
)
def test_random_programs_have_the_derivatives_of_their_text(seed):
    texts = programs(seed)
    f = kernel(texts, math="reproducible")
    generator = np.random.default_rng(seed)
    x, y = generator.uniform(-2, 2, (2, 9))
    points = list(zip(x, y, strict=True))
    expected, exact = (
        np.array([[of(text, name, *point) for point in points] for name, text in texts.items()])
        for of in (slopes, differences)
    )
    for number, operand in enumerate("xy"):
        by_operand = npp.derivative(f, operand)
        found = np.array(by_operand(x, y))
        np.testing.assert_allclose(
            found, expected[..., number], rtol=1e-9, atol=1e-12, err_msg=str(texts)
        )
        assert np.mean(np.isclose(found, exact[..., number], rtol=1e-9, atol=1e-12)) > 0.9
        single = np.array([by_operand(*point) for point in points]).T
        np.testing.assert_array_equal(single, found)
        with cuda.simulator():
            device = by_operand(cuda.to_device(x), cuda.to_device(y))
            np.testing.assert_array_equal([each.copy_to_host() for each in device], found)
