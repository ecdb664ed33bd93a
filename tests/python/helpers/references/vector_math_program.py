"""The program of the tests of templates/npp/vector_math: functions of numbers and of vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp

DTYPES = ("float32", "float64")
CPP_NAMES = {"float32": "float", "float64": "double"}

SPECIAL = [np.nan, np.inf, 0.0, 1.0, 2.0, 3.0, 4.0, 0.5, 1.5, 2.5, 3.5, 0.1, 7.0, 1e-20, 1e30]
SPECIAL += [33.0, 127.0, 128.0, 149.0, 150.0, 1022.0, 1074.0, 1075.0, 2.0**24 + 1, 2.0**53 - 1]


@dataclass(frozen=True)
class Function:
    """A function: how many operands, its C++ for numbers and for vectors, and its true values."""

    n_arguments: int
    header: str
    of_number: str
    of_vector: str
    exact: Callable[..., Any]
    random: Callable[..., list[np.ndarray]]
    bound: float


def powers(random, dtype, n):
    """Bases and exponents whose powers have all exponents, near 1 and with many integer digits."""
    largest = 126 if dtype == "float32" else 1022
    n = n // 4
    bases = [
        random.uniform(0.01, 10, n),
        np.exp2(random.uniform(-20, 20, n)),
        1 + random.uniform(-0.03, 0.03, n),
        np.exp2(random.uniform(-largest - 20, largest, n)),
    ]
    exponents = [
        random.uniform(-3, 3, n),
        *(random.uniform(-largest, largest, n) / np.log2(x) for x in bases[1:3]),
        random.uniform(-1.1, 1.1, n),
    ]
    return [np.concatenate(pieces).astype(dtype) for pieces in (bases, exponents)]


def pieces(*ranges):
    """Operands from each range in turn: `(low, high)`, or with "powers" of 2 between these."""

    def random(generator, dtype, n):
        scale = 0.1 if dtype == "float32" else 1
        drawn = []
        for low, high, *powers_of in ranges:
            piece = generator.uniform(low, high, n // len(ranges))
            drawn.append(2.0 ** (piece * scale) if powers_of else piece)
        return [np.concatenate(drawn).astype(dtype)]

    return random


def of_one(name, header, exact, random, bound=1):
    return Function(1, header, name, name, exact, random, bound)


def of_two(name, header, exact, random, bound=1):
    return Function(2, header, name, name, exact, random, bound)


def plane(generator, dtype, n):
    """Points in all directions, near the axes, and far from and near the origin."""
    return [
        ANYWHERE(generator, dtype, n)[0],
        generator.permutation(ANYWHERE(generator, dtype, n)[0]),
    ]


EXPONENTIAL = pieces((-1, 1), (-700, 709), (-80, 80), (-1000, 0, "powers"))
LOGARITHM = pieces((0.5, 2), (0, 100), (0.99, 1.01), (-1074, 1023, "powers"))
LOG1P = pieces((-0.999, 1), (0, 100), (-0.01, 0.01), (-1074, 1023, "powers"))
TANH = pieces((-1, 1), (-20, 20), (-1000, 4, "powers"))
ANYWHERE = pieces((-3, 3), (-1000, 1000), (-1000, 1023, "powers"))
ERFC = pieces((-1, 1), (-6, 6), (0, 28), (-1000, 0, "powers"))
ABOVE_ONE = pieces((1, 1.1), (1, 100), (0, 1023, "powers"))
BELOW_ONE = pieces((-1, 1), (-0.01, 0.01), (-1000, 0, "powers"))


def cube_root(x):
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


def log_gamma(x):
    return mp.loggamma(x).real


# Without the zeros of lgamma at negative numbers.
GAMMA = pieces((-1, 3), (-10, 30), (-184, 172), (-1000, 0, "powers"))
LOG_GAMMA = pieces((-2.2, 3), (0.5, 2.5), (-200, -6), (-1000, 1014, "powers"))
ANGLES = pieces((-1, 1), (-100, 100), (-1e8, 1e8), (-1000, 1023, "powers"))

FUNCTIONS = {
    "pow": Function(2, "power", "any_pow", "pow", mp.power, powers, 2),
    "exp": of_one("exp", "exponential", mp.exp, EXPONENTIAL),
    "exp2": of_one("exp2", "exponential", lambda x: mp.power(2, x), EXPONENTIAL),
    "expm1": of_one("expm1", "exponential", mp.expm1, EXPONENTIAL, 2),
    "log": of_one("log", "logarithm", mp.log, LOGARITHM),
    "log2": of_one("log2", "logarithm", lambda x: mp.log(x, 2), LOGARITHM, 1.5),
    "log10": of_one("log10", "logarithm", mp.log10, LOGARITHM),
    "log1p": of_one("log1p", "logarithm", mp.log1p, LOG1P),
    "sin": of_one("sin", "trigonometric", mp.sin, ANGLES, 2),
    "cos": of_one("cos", "trigonometric", mp.cos, ANGLES, 2),
    "tan": of_one("tan", "trigonometric", mp.tan, ANGLES, 2.5),
    "cbrt": of_one("cbrt", "cube_root", cube_root, ANYWHERE),
    "sinh": of_one("sinh", "hyperbolic", mp.sinh, EXPONENTIAL, 2.5),
    "cosh": of_one("cosh", "hyperbolic", mp.cosh, EXPONENTIAL, 2),
    "tanh": of_one("tanh", "hyperbolic", mp.tanh, TANH, 2.5),
    "asinh": of_one("asinh", "inverse_hyperbolic", mp.asinh, ANYWHERE, 2),
    "acosh": of_one("acosh", "inverse_hyperbolic", mp.acosh, ABOVE_ONE, 2),
    "asin": of_one("asin", "inverse_trigonometric", mp.asin, BELOW_ONE, 2),
    "acos": of_one("acos", "inverse_trigonometric", mp.acos, BELOW_ONE, 2),
    "atan": of_one("atan", "arctangent", mp.atan, ANYWHERE, 2),
    "atan2": of_two("atan2", "arctangent", mp.atan2, plane, 2.5),
    "hypot": of_two("hypot", "hypotenuse", mp.hypot, plane),
    "erf": of_one("erf", "error_function", mp.erf, ANYWHERE, 2),
    "erfc": of_one("erfc", "error_function", mp.erfc, ERFC, 3.5),
    "tgamma": of_one("tgamma", "gamma", mp.gamma, GAMMA),
    "lgamma": of_one("lgamma", "gamma", log_gamma, LOG_GAMMA),
    "atanh": of_one("atanh", "inverse_hyperbolic", mp.atanh, BELOW_ONE, 2.5),
}

HEAD = """
namespace {
constexpr int kBytes = NPP_NATIVE_VECTOR_BYTES ? NPP_NATIVE_VECTOR_BYTES : 16;
template <class T>
using Native = npp::vector::Vector<T, kBytes / int(sizeof(T))>;

template <class V, class Function, class... Pointers>
void compute(Function function, long n, npp::vector::Element<V>* out, Pointers... in) {
  for (long i = 0; i < n; i += npp::vector::kCount<V>) {
    const auto load = [i](auto* from) {
      V value;
      __builtin_memcpy(&value, from + i, sizeof value);
      return value;
    };
    const V value = function(load(in)...);
    __builtin_memcpy(out + i, &value, sizeof value);
  }
}
}  // namespace
"""


def functions_of(name: str, function: Function, dtype: str) -> str:
    """`number_`, of one number; `numbers_` and `vectors_`, of arrays."""
    cpp = CPP_NAMES[dtype]
    names = [f"x{i}" for i in range(function.n_arguments)]
    pointers = ", ".join(f"const {cpp}* {x}" for x in names)
    values = ", ".join(f"{cpp} {x}" for x in names)
    given = ", ".join(names)
    autos = ", ".join(f"auto y{i}" for i in range(function.n_arguments))
    called = given.replace("x", "y")
    text = f"""
extern "C" {cpp} number_{name}_{dtype}({values}) {{
  return npp::vector_math::{function.of_number}({given});
}}
"""
    for form, vector, body in (
        ("numbers", cpp, function.of_number),
        ("vectors", f"Native<{cpp}>", function.of_vector),
    ):
        text += f"""
extern "C" void {form}_{name}_{dtype}({pointers}, {cpp}* out, long n) {{
  compute<{vector}>([]({autos}) {{ return npp::vector_math::{body}({called}); }}, n, out, {given});
}}
"""
    return text


def program() -> str:
    """The whole program."""
    headers = sorted({function.header for function in FUNCTIONS.values()})
    includes = "".join(f'#include "npp/vector_math/{header}.hpp"\n' for header in headers)
    return (
        includes
        + HEAD
        + "".join(
            functions_of(name, function, dtype)
            for name, function in FUNCTIONS.items()
            for dtype in DTYPES
        )
    )
