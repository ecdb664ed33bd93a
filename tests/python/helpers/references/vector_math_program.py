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


FUNCTIONS = {
    "pow": Function(2, "power", "power_of_any", "power_of_vector", mp.power, powers, 2),
}

HEAD = """
namespace {
constexpr int kBytes = NPP_NATIVE_VECTOR_BYTES ? NPP_NATIVE_VECTOR_BYTES : 16;
template <class T>
using Native = npp::lanes::Vector<T, kBytes / int(sizeof(T))>;

template <class V, class Function, class... Pointers>
void compute(Function function, long n, npp::lanes::Element<V>* out, Pointers... in) {
  for (long i = 0; i < n; i += npp::lanes::kCount<V>) {
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
