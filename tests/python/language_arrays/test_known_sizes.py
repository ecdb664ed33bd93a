"""Sizes and steps that must be constants, held by names that are assigned once."""

from __future__ import annotations

import enum

import numpy as np
import pytest
from kernel_source import define, error_of, function
from long_runs import one_in

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


class Level(enum.IntEnum):
    LOW = 2
    HIGH = 5


class Name(enum.Enum):
    EIGHT = 8


NAMES = {"Level": Level, "Name": Name, "COLUMNS": (4, 5, 6), "PADDING": 2, "cuda": cuda}

# What comes before an array, its shape as written, and as it is.
SHAPES = [
    ("nlev = 12", "nlev", (12,)),
    ("nlev = 12", "(nlev,)", (12,)),
    ("nlev: int = 12", "nlev + 1", (13,)),
    ("n, m = 3, 4", "(n, m)", (3, 4)),
    ("n, m, *_ = COLUMNS", "(n, m)", (4, 5)),
    ("shape = (3, 4)", "shape", (3, 4)),
    ("n = 3\nshape = n, 2 * n - 1", "shape", (3, 5)),
    ("n = len(COLUMNS)", "n * len(COLUMNS) // PADDING", (4,)),
    ("t = (1, 2, 3, 4, 5)", "len(t) + Level.HIGH", (10,)),
    ("n = Level.HIGH\nm = n - Level.LOW", "(n, m)", (5, 3)),
    ("n = Name.EIGHT.value\nm = -n % 5", "m", (2,)),
    ("n = 7\nm = int(n)\nk = max(n, m, 9) - min(m, 3)", "k", (6,)),
    ("if a[0] > 0:\n    n = 6\nelse:\n    return", "n", (6,)),
]


def of_thread(before: str, shape: str, make: str):
    """A launched kernel that stores the shape of an array."""
    made = f"b = {make.format(shape)}"
    lines = [*before.splitlines(), made, "out[0], out[1] = b.ndim, b.size"]
    body = "".join(f"    {line}\n" for line in lines)
    return cuda.kernel(function(f"def f(a, out):\n{body}", **NAMES))


@pytest.mark.parametrize(("before", "shape", "expected"), one_in(3, SHAPES))
def test_an_array_has_the_size_that_names_hold(before, shape, expected):
    made = f"b = npp.local_array({shape}, np.int16)"
    lines = [*before.splitlines(), made, "out[0], out[1], out[2] = b.ndim, b.size, b.shape[-1]"]
    body = "".join(f"    {line}\n" for line in lines)
    f = npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(3)")(
        function(f"def f(a, out):\n{body}", **NAMES)
    )
    sizes = [len(expected), np.prod(expected), expected[-1]]
    assert f([1]).tolist() == sizes
    assert f(cuda.to_device(np.array([1]))).copy_to_host().tolist() == sizes


@pytest.mark.parametrize(
    "make",
    ["cuda.local.array({}, 'i2')", "cuda.shared.array({}, 'i2')", "np.zeros({})", "np.empty({})"],
)
def test_launched_kernels_have_constant_sizes(make):
    for before, shape, expected in (SHAPES[1], SHAPES[6]):
        out = cuda.zeros(2, np.int64)
        of_thread(before, shape, make)[1, 32](cuda.zeros(1), out)
        assert out.copy_to_host().tolist() == [len(expected), np.prod(expected)]


def test_steps_and_places_in_tuples():
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(3)")(
        function(
            "def f(a, out):\n    step = 2\n    k, last = 1, -step // 2\n    t = (a[::step], 7)\n"
            "    out[0], out[1], out[2] = t[k], t[last], t[k - 1][1]\n"
        )
    )
    assert f([1.0, 2.0, 3.0]).tolist() == [7.0, 7.0, 3.0]


def test_the_code_is_that_of_numbers():
    body = "    t = np.zeros((n, 2))\n    t[1, 1] = x\n    return t[1, 1]\n"
    functions = [
        function(f"def f(x):\n    n = 12\n{body}"),
        function(f"def f(x):\n{body}", n=12),
        function(f"def f(x):\n{body.replace('(n', '(12')}"),
    ]
    made = [npp.vectorize(["float64(float64)"])(each) for each in functions]
    sources = [npp.inspect(each).source("cpu") for each in made]
    assert sources[0].replace("    npp::int64 n = npp::int64(12);\n", "") == sources[1]
    assert sources[1] == sources[2]


CONSTANT = "the size of a local array must be a constant"
WRONG = {
    "n = 0": "the size of a local array must be at least 1, found 0",
    "n = 3 - 5": "the size of a local array must be at least 1, found -2",
    "n = 3 / 2": CONSTANT,
    "n = 3\nif x > 1:\n    n = 4": CONSTANT,
    "n = 3\nn += 1": CONSTANT,
    "n = 3 if x > 0 else 4": CONSTANT,
    "for n in range(3):\n    pass\nfor n in (3,):\n    pass": CONSTANT,
    "for k in (3, 5):\n    n = k\n    if x > k:\n        break": CONSTANT,
    "m = int(x)\nn = m + 1": CONSTANT,
    "n = 2**40": "a local array of 8796093022208 bytes; at most 65536",
}


@pytest.mark.parametrize("before", WRONG)
def test_other_sizes_are_no_constants(before):
    body = "".join(f"    {line}\n" for line in before.splitlines())
    text = f"def f(x):\n{body}    t = npp.local_array(n, np.float64)\n    return x + t[0]\n"
    error = error_of(npp.vectorize(["float64(float64)"]), text)
    found = error.diagnostics[0]
    assert found.message == WRONG[before]
    if found.message == CONSTANT:
        assert found.hint == "use the largest size you need, such as 32"
        npp.vectorize(["float64(float64)"])(define(text.replace("array(n", "array(32"))["f"])
