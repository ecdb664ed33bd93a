"""`python -m numpy_plugin check`: kernels found, declared and changed, without running programs."""

import json
import sys
import textwrap
from pathlib import Path

import pytest

from numpy_plugin.__main__ import main
from numpy_plugin._check.changes import changed_text
from numpy_plugin._check.program import Program, read_program
from numpy_plugin._commands.check import check

NUMBA = """
import math, sys
import numpy as np
from numba import cuda, float32, guvectorize, njit, vectorize

N, SCALE = 16, np.float32(2.5)
SIZE = int(sys.argv[1])
SIGNATURES = [f"{t}({t})" for t in ("float32", "float64")]
raise SystemExit("a program that check runs")

@njit
def scaled(x):
    return x * SCALE

@vectorize([float32(float32, float32)], target="cuda")
def gauss(x, m):
    return math.exp(-scaled(x - m) ** 2) * N

@vectorize(SIGNATURES)
def texts(x):
    return x + 1

@guvectorize(["float64[:], float64[:]"], "(n)->()")
def table(a, out):
    s = {}
    out[0] = s[1]

@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]

@cuda.jit
def gather(x, where, out):
    i, j = cuda.grid(2)
    out[i, j] = x[where[i]]

@cuda.jit
def sized(x):
    x[0] = SIZE

def make(n):
    @cuda.jit("void(float64[:])")
    def filled(x):
        x[0] = n
    return filled

class Static:
    @staticmethod
    @cuda.jit("float64(float64)", device=True)
    def half(a):
        return a / 2

cube = vectorize(["float64(float64)"])(lambda x: x ** 3)
"""


def program_of(tmp_path, text):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text).lstrip())
    return read_program(path)


def found_in(tmp_path, text):
    found = check(program_of(tmp_path, text))
    return {each["name"]: each for each in found["kernels"]}, found


@pytest.fixture(scope="module")
def numba_kernels(tmp_path_factory):
    return found_in(tmp_path_factory.mktemp("program"), NUMBA)[0]


@pytest.mark.parametrize(
    ("name", "outcome", "why"),
    [
        ("gauss", "works", ""),
        ("texts", "works", ""),
        ("table", "can't", "line 24: a dict in a kernel"),
        ("saxpy", "works", "as float64, float64[:], float64[:]"),
        ("gather", "works", "as float64[:], int64[:], float64[:,:]"),
        (
            "sized",
            "not checked",
            "'SIZE' of line 6 is not a constant: 'sys' is imported in line 1: sys is not read",
        ),
        ("filled", "not checked", "'n' of line 42 is a parameter, known when the program runs"),
        ("half", "works", ""),
        ("cube", "works", ""),
    ],
)
def test_kernels_of_numba(numba_kernels, name, outcome, why):
    assert (numba_kernels[name]["outcome"], numba_kernels[name]["why"]) == (outcome, why)


def test_no_kernel_is_overlooked(numba_kernels):
    assert len(numba_kernels) == 9
    assert "hint: use one variable for each value" in numba_kernels["table"]["message"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from numba import vectorize", "from numpy_plugin.numba import vectorize"),
        (
            "from numba import njit, vectorize as v",
            "from numba import njit\nfrom numpy_plugin.numba import vectorize as v",
        ),
        ("from numba import *", "from numpy_plugin.numba import *"),
        ("from numba.cuda import grid, jit", "from numpy_plugin.numba.cuda import grid, jit"),
        (
            "import numba\nnumba.vectorize(f)",
            "from numpy_plugin import numba\nnumba.vectorize(f)",
        ),
        (
            "import numba as nb\nnb.cuda.jit(f)",
            "import numpy_plugin.numba as nb\nnb.cuda.jit(f)",
        ),
        (
            "import numba as nb, os\nnb.njit(f)\nä = nb.vectorize(f) + nb.float32",
            "import numba as nb\nimport numpy_plugin.numba as npn\nimport os\nnb.njit(f)\n"
            "ä = npn.vectorize(f) + npn.float32",
        ),
        (
            "try:\n    from numba import cuda\nexcept ImportError:\n    cuda = None",
            "try:\n    from numpy_plugin.numba import cuda\nexcept ImportError:\n    cuda = None",
        ),
        ("import numba\nnumba.njit(f)", "import numba\nnumba.njit(f)"),
        (
            "import numpy as np\nfrom .numba import vectorize",
            "import numpy as np\nfrom .numba import vectorize",
        ),
    ],
)
def test_imports_change(before, after):
    assert changed_text(Program(Path("program.py"), before)) == after


def test_long_imports_are_wrapped():
    names = ", ".join(["cuda", "float32", "float64", "guvectorize", "int32", "int64", "vectorize"])
    text = changed_text(Program(Path("program.py"), f"from numba import {names}, complex128, void"))
    assert text.startswith("from numpy_plugin.numba import (\n    cuda,\n")
    assert max(map(len, text.splitlines())) <= 88


def test_changed_program_runs(tmp_path):
    text = """
        from numba import vectorize

        @vectorize(["float64(float64)"])
        def double(x):
            return 2 * x

        result = double(4.0)
    """
    names = {}
    path = tmp_path / "changed.py"
    path.write_text(changed_text(program_of(tmp_path, text)))
    exec(compile(path.read_text(), path, "exec"), names)
    assert names["result"] == 8.0


def test_names_without_a_counterpart(tmp_path):
    _, found = found_in(tmp_path, "from numba import cuda\ncuda.no_such_name()\n")
    assert [(each["name"], each["line"]) for each in found["missing"]] == [
        ("numba.cuda.no_such_name", 2)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from numba import f8, i8, njit, vectorize\ng = njit(f8(f8))(len)\n",
            "from numba import f8, njit\nfrom numpy_plugin.numba import i8, vectorize\n"
            "g = njit(f8(f8))(len)\n",
        ),
        (
            "import numba\ng = numba.njit(numba.f8(numba.i8))(len)\n"
            "f = numba.vectorize(numba.i4)\n",
            "import numba\nimport numpy_plugin.numba as npn\n"
            "g = numba.njit(numba.f8(numba.i8))(len)\nf = npn.vectorize(npn.i4)\n",
        ),
    ],
)
def test_types_of_njit_stay_numbas(before, after):
    assert changed_text(Program(Path("program.py"), before)) == after


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (
            "def t(): return 1\nN = t()\n@vectorize(['f8(f8)'])\ndef f(x): return x + N",
            "'N' of line 3 is not a constant: line 3 calls 't'",
        ),
        (
            "import os\nN = len(os.environ)\n@vectorize(['f8(f8)'])\ndef f(x): return x + N",
            "'N' of line 3 is not a constant: 'os' is imported in line 2: os is not read",
        ),
        (
            "def d(f): raise SystemExit\n@vectorize(['f8(f8)'])\n@d\ndef f(x): return x",
            "line 4 decorates it with 'd'",
        ),
        (
            "for N in (1, 2): pass\n@vectorize(['f8(f8)'])\ndef f(x): return x + N",
            "'N' of line 2 is no constant, known when the program runs",
        ),
        (
            "from constants import R\n@vectorize(['f8(f8)'])\ndef f(x): return x + R",
            "'R' is imported in line 2: constants is not read",
        ),
        (
            "g = vectorize(['f8(f8)'])(lambda x: x)\nN = g(1)\n"
            "@vectorize(['f8(f8)'])\ndef f(x): return x + N",
            "'N' of line 3 is not a constant: line 3 calls 'g'",
        ),
    ],
)
def test_nothing_of_the_program_runs(tmp_path, lines, why):
    kernels, _ = found_in(tmp_path, f"from numba import vectorize\n{lines}\n")
    assert (kernels["f"]["outcome"], kernels["f"]["why"]) == ("not checked", why)


def test_functions_that_call_each_other(tmp_path):
    text = """
        from numba import njit, vectorize

        @njit
        def even(n):
            return True if n == 0 else odd(n - 1)

        @njit
        def odd(n):
            return False if n == 0 else even(n - 1)

        @vectorize(["b1(i8)"])
        def is_even(n):
            return even(n)
    """
    kernels, _ = found_in(tmp_path, text)
    assert kernels["is_even"]["outcome"] == "can't"  # there is no recursion on devices


def test_output_and_status(tmp_path, capsys):
    good = program_of(tmp_path, NUMBA.partition("@guvectorize")[0])
    assert main(["check", str(good.path)]) == 0
    printed = capsys.readouterr().out
    assert "works with the change below" in printed
    assert "+from numpy_plugin.numba import cuda, float32, guvectorize, vectorize" in printed

    empty, broken = tmp_path / "empty.py", tmp_path / "broken.py"
    empty.write_text("x = 1\n")
    broken.write_text("def f(:\n")
    assert main(["check", str(empty)]) == 0
    assert "no kernels of Numba, CuPy or PyCUDA" in capsys.readouterr().out
    assert main(["check", str(broken), str(tmp_path / "missing.py")]) == 2
    printed = capsys.readouterr().out
    assert "broken.py: cannot be read: invalid syntax" in printed
    assert "missing.py: cannot be read: [Errno 2]" in printed


def test_json(tmp_path, capsys):
    path = program_of(tmp_path, NUMBA).path
    assert main(["check", "--json", str(path)]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert {each["outcome"] for each in found["kernels"]} == {"works", "can't", "not checked"}


@pytest.mark.parametrize(
    ("lines", "outcome", "why"),
    [
        ("table = table.T", "works", ""),
        ("a = b\nb = a\na.x(b.y)", "works", ""),
        ("a = b\nb = c.x\nc = a", "works", ""),
        ("def g(table):\n    table = table.T\n    return table.sum()", "works", ""),
        ("class A(A):\n    a = A", "works", ""),
        ("x = " + " + ".join(["y"] * 2000), "works", ""),
        ("if y: x = 0\n" + "\n".join(f"elif x == {i}: x = {i}" for i in range(1500)), "works", ""),
        ("N = M\nM = N", "not checked", "'N' of line 2 is computed from itself"),
        ("N = 1; N = N", "works", ""),
        ("N = 2\nN = N * 3", "works", ""),
        pytest.param(
            "N = " + " + ".join(["1"] * 1500),
            "not checked",
            "line 2 is nested too deeply",
            marks=pytest.mark.skipif(sys.version_info >= (3, 13), reason="Python compiles it"),
        ),
        ("def N(x=N): return x", "not checked", "'N' of line 2 is computed from itself"),
    ],
)
def test_names_that_are_bound_to_themselves(tmp_path, lines, outcome, why):
    text = f"from numba import vectorize\n{lines}\n@vectorize(['f8(f8)'])\ndef f(x): return x + N\n"
    text = text if "N" in lines else text.replace("x + N", "x")
    kernel = found_in(tmp_path, text)[0]["f"]
    assert (kernel["outcome"], kernel["why"].rpartition(": ")[2]) == (outcome, why)


def test_an_alias_is_what_was_bound_before(tmp_path):
    text = """
        import numba
        v = numba.vectorize
        v = v

        @v(["f8(f8)"])
        def f(x):
            return x
    """
    kernels, _ = found_in(tmp_path, text)
    assert (kernels["f"]["maker"], kernels["f"]["outcome"]) == ("numba.vectorize", "works")


def test_types_of_a_parameter_that_many_functions_pass_on(tmp_path):
    calls = "\n".join(["    f{}(x, i)"] * 12)
    functions = [f"@njit\ndef f{i}(x, i):\n{calls.format(*[i + 1] * 12)}\n" for i in range(6)]
    text = f"""
from numba import cuda, njit
{"".join(functions)}
@njit
def f6(x, i):
    x[i] = 0

@cuda.jit
def kernel(x, i):
    f0(x, i)
"""
    kernel = found_in(tmp_path, text)[0]["kernel"]
    assert (kernel["outcome"], kernel["why"]) == ("works", "as float64[:], int64")


def test_a_program_that_is_too_deep_for_python(tmp_path, capsys):
    path = program_of(tmp_path, "x = 1\n").path
    path.write_text(f"x = {'-' * 100_000}1\n")
    assert main(["check", str(path)]) == 2
    assert "cannot be read: an expression in it is nested too deeply" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "outcome", "why"),
    [
        ("def k(x, n, y):\n    y[0] = x[1 << n]", "works", "as float64[:], int64, float64[:]"),
        ("def k(x, y):\n    y[0] = x[0] << 2", "works", "as int64[:], int64[:]"),
        ("def k(x, y):\n    y[0] = last(x[0, 1])", "works", "as float64[:,:,:], float64[:]"),
        ("def k(x, y):\n    y[0] = {}", "can't", "line 10: a dict in a kernel"),
        (
            "def k(x, y):\n    y[0] = x[0] << 2\n    x[0] = 0.5\n    y.at[x.shape[0]] = 'a'",
            "not checked",
            "as float64[:], float64[:]: line 10: '<<' needs integers, x[0] is float64 (and 2 "
            "more); its calls have the types",
        ),
    ],
)
def test_kernels_that_are_typed_by_their_launches(tmp_path, lines, outcome, why):
    text = f"""
from math import *
from numba import *

@njit
def last(row):
    return sqrt(row[len(row) - 1])

@cuda.jit
{lines}
"""
    kernel = found_in(tmp_path, text)[0]["k"]
    assert (kernel["outcome"], kernel["why"]) == (outcome, why)


def test_functions_that_are_nothing_by_themselves(tmp_path):
    text = """
        from numba import vectorize

        async def task():
            n = 0

            def step():
                nonlocal n
                n += 1

            @vectorize(["float64(float64)"])
            def f(x):
                return x

        @vectorize(["float64(float64)"])
        def g(x):
            return x
    """
    kernels, _ = found_in(tmp_path, text)
    assert kernels["g"]["outcome"] == "works"
