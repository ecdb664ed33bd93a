"""No function is forgotten: of math, cmath and NumPy's ufuncs, and of the tables of accuracy."""

from __future__ import annotations

import cmath
import inspect
import math
import re
from collections import Counter
from pathlib import Path

import complex_bounds
import function_bounds
import numpy as np
import pytest
from kernel_source import expressions

import numpy_plugin as npp
from numpy_plugin._cuda import thread_functions
from numpy_plugin._frontend.array_calls import EXPANSIONS

pytestmark = pytest.mark.filterwarnings("ignore")

SOURCES = Path(__file__).resolve().parents[3] / "src" / "numpy_plugin"
OPERATIONS = SOURCES / "kernel" / "operations.def"
THREAD_FUNCTIONS = SOURCES / "kernel" / "thread_functions.def"
MODULES = {"math": math, "cmath": cmath, "np": np}
NAMES = {
    "math": [name for name in vars(math) if callable(getattr(math, name)) and name[0] != "_"],
    "cmath": [name for name in vars(cmath) if callable(getattr(cmath, name)) and name[0] != "_"],
    "np": [name for name in vars(np) if isinstance(getattr(np, name), np.ufunc)],
}
CALLS = [f"{module}.{name}" for module in MODULES for name in NAMES[module]]

# Functions that kernels can't call, with the error's text.
REFUSED = {
    "math.fsum": "math.fsum cannot be called in a kernel",
    "math.sumprod": "math.sumprod cannot be called in a kernel",
    "np.matmul": "np.matmul takes 2 arguments, 1 given",  # it needs arrays
    "np.isnat": "np.isnat needs a date or a duration, x is float64",
    **{
        f"np.{name}": f"numpy.{name} works on whole arrays and cannot be called in a kernel"
        for name in ("matvec", "vecdot", "vecmat")
    },
}
# Arguments other than x, or x and y: x, y and s are real numbers, m and n integers.
WHOLE = "bitwise_and bitwise_or bitwise_xor left_shift right_shift bitwise_left_shift"
WHOLE = (WHOLE + " bitwise_right_shift gcd lcm comb perm").split()
ARGUMENTS = {
    **dict.fromkeys(WHOLE, "m, n"),
    **dict.fromkeys(("invert", "bitwise_not", "bitwise_invert", "bitwise_count"), "m"),
    **dict.fromkeys(("isqrt", "factorial"), "m"),
    **dict.fromkeys(("acosh", "arccosh"), "1.0 + x"),
    "ldexp": "x, 3",
    "dist": "(x, y), (y, s)",
    "prod": "(x, y, s)",
    "fma": "x, y, s",
}
OF_TWO = "atan2 copysign fmod hypot isclose nextafter pow remainder rect"
# A row of builtins.def for these takes other numbers of arguments.
OF_OTHER_COUNTS = {"cmath.log", "math.gcd", "math.hypot", "math.lcm"}
TUPLES = ("divmod", "frexp", "modf", "polar")


def call_of(name: str) -> str:
    """The text of a call, of the first of several results."""
    module, _, bare = name.partition(".")
    takes_two = bare in OF_TWO.split() if module != "np" else getattr(np, bare).nin == 2
    arguments = ARGUMENTS.get(bare, "x, y" if takes_two else "x")
    return f"{name}({arguments}){'[0]' if bare in TUPLES else ''}"


def test_every_function_of_math_cmath_and_numpy_can_be_called():
    names = [name for name in CALLS if name not in REFUSED]
    x, y, s, m, n = 0.5, 0.25, 0.75, np.int64(12), np.int64(3)
    for start in range(0, len(names), 55):  # NumPy accepts at most 64 operands
        texts = [call_of(name) for name in names[start : start + 55]]
        results = expressions("x, y, s, m, n", texts)(x, y, s, m, n)
        for text, found in zip(texts, results, strict=True):
            expected = eval(text, {**MODULES, "x": x, "y": y, "s": s, "m": m, "n": n})
            np.testing.assert_allclose(found, expected, rtol=1e-14, err_msg=text)


@pytest.mark.parametrize("name", [name for name in REFUSED if name in CALLS])
def test_what_cannot_be_called_is_refused_with_the_reason(name):
    with pytest.raises(npp.KernelError, match=re.escape(REFUSED[name])):
        expressions("x", [f"{name}((x, x))" if "math" in name else f"{name}(x)"])(0.5)


def test_a_function_stands_in_one_table():
    names = [f"{module}.{name}" for module, name, *_ in rows(OPERATIONS, "NPP_PYTHON_NAME")]
    names += [name for name, _ in rows(SOURCES / "infer/calls/builtins.def", "NPP_BUILTIN")]
    names += [f"numpy.{name}" for name in EXPANSIONS]
    assert len(names) > 250
    repeated = {name for name, count in Counter(names).items() if count > 1}
    assert repeated == OF_OTHER_COUNTS


# ---- the tables of accuracy ----------------------------------------------------------------------

# Exact on every target, or composed of exact operations: test_special_operands and others compare
# their bits.
EXACT = {"kNextAfter", "kFmod", "kLdexp", "kIeeeRemainder", "kFma"}


def rows(table: Path, macro: str) -> list[list[str]]:
    text = table.read_text(encoding="utf-8")
    found = re.findall(rf"^ *{macro}\((.*)\)$", text, re.MULTILINE)
    return [[item.strip(' "') for item in row.split(",")] for row in found]


def inexact_operations() -> set[str]:
    table = rows(OPERATIONS, "NPP_OPERATION")
    table += [row[1:] for row in rows(OPERATIONS, "NPP_OPERATION_OF")]
    return {row[0] for row in table if row[4] in ("kVector", "kLibrary")} - EXACT


def measured(functions: list, table: list[list[str]]) -> set[str]:
    """The operations of the functions that are measured, whichever module's they are."""
    names = {row.call.partition("(")[0].rpartition(".")[2] for row in functions}
    return {row[2] for row in table if row[1] in names}


def test_every_inexact_function_is_measured():
    table = rows(OPERATIONS, "NPP_PYTHON_NAME")
    inexact = {row[2] for row in table if row[3] != "kComplexMath"} & inexact_operations()
    assert len(inexact) > 60
    assert inexact - measured(function_bounds.FUNCTIONS, table) - {"kRect"} == set()


def test_every_complex_function_is_measured():
    table = rows(OPERATIONS, "NPP_PYTHON_NAME")
    of_complex = {row[2] for row in table if row[3] in ("kComplexMath", "kFloating")}
    of_complex -= {"kRint"}  # exact
    assert len(of_complex) > 15
    assert of_complex - measured(complex_bounds.FUNCTIONS, table) == set()


# ---- the functions of threads --------------------------------------------------------------------


def test_every_thread_function_has_a_row_and_a_docstring():
    table = rows(THREAD_FUNCTIONS, "NPP_THREAD_FUNCTION")
    parameters = {
        row[1].partition(".")[0]: row[3].replace("?", "")
        for row in table
        if not row[1].startswith("cg.")
    }
    others = {row[1] for row in rows(OPERATIONS, "NPP_PYTHON_NAME") if row[0] == "cuda"} | {"selp"}
    assert others.isdisjoint(parameters)
    assert set(thread_functions.__all__) == others | set(parameters)
    for name in set(parameters) - {"grid", "gridsize"}:  # of which the rows are those of each axis
        function = getattr(thread_functions, name)
        if inspect.isfunction(function):
            assert len(inspect.signature(function).parameters) == len(parameters[name]), name
            assert inspect.getdoc(function), name
