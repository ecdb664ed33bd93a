"""Conditional expressions, `and` and `or` evaluate only what Python evaluates."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pytest
from kernel_source import define
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


FUNCTIONS = """
@npp.device
def positive(x):
    if x < 0:
        raise ValueError("negative")
    return x

@npp.device
def bump(t):
    t[0] += 1
    return t[0]
"""

# Bodies for a matrix m of 4 rows, a number k of -9 to 9, and 4 results.
BODIES = {
    "a row out of bounds": "out[0] = m[k].sum() if 0 <= k < n else -1.0",
    "the other side": "out[0] = -1.0 if k < 0 or k >= n else np.max(m[k] * m[k])",
    "an empty array": "out[0] = m[0, :k].min() if k > 0 else 0.0",
    "sizes that differ": "out[0] = np.dot(m[0, :k], m[1, 3:]) if k == 2 else 0.0",
    "both sides": "out[0] = m[0].sum() if k > 0 else (m[1].prod() if k < -2 else m[2].max())",
    "a side within a side": """
out[0] = (m[k].sum() if m[k].min() > 0.5 else m[k].max()) if 0 <= k < n else m[0].mean()
""",
    "and": "out[0] = 0 <= k and k < n and m[k].sum() > 1.5",
    "or": "out[0] = k < 0 or k >= n or m[k].sum() > 1.5",
    "and of numbers": "out[0] = k > 0 and k < n and m[k].sum()",
    "or of numbers": "out[0] = k * (k < n and k >= 0 and m[k].max()) or m[0, 0] or m[1].sum()",
    "a condition": """
if (k >= 0 and k < n and m[k].sum() > 1.0) or (k < 0 and m[k % n].sum() > 1.0):
    out[0] = 1.0
""",
    "a loop": """
i = 0
while i < n and m[i].sum() > 0.4:
    i += 1
out[0] = i
""",
    "a chain": "out[0] = 0 <= k < n <= m[:k].sum() * 10 + n",
    "a chain of three": "out[0] = -1 < k < n < m[k].sum() * 10 < 15",
    "a raising function": "out[0] = positive(k) if k >= 0 else 0.5",
    "a raising function in an or": "out[0] = k < 0 or positive(k) > 2",
    "a function with an effect": """
t = np.zeros(1)
t[0] = k
out[0] = bump(t) if k > 2 else 7.0
out[1] = t[0]
out[2] = k > 3 and bump(t) > 5
out[3] = t[0]
""",
    "the order of loads": """
t = np.zeros(1)
t[0] = 5.0
out[0] = (t[0] if k > 0 else 1.0) + bump(t)
out[1] = (t[0] + bump(t)) * t[0] if k > 1 else t[0] - bump(t)
out[2] = (k and t[0]) * bump(t)
out[3] = t[0]
""",
    "a division": "out[0] = 10 // k if k != 0 else 0\nout[1] = k == 0 or 10 % k > 1",
    "an index of a tuple": """
t = (k, k + 1, k + 2)
out[0] = t[k] if 0 <= k < 3 else -1
""",
    "a part of a part": "out[0] = m[k:][1, 1:][0] if 0 <= k < n - 1 else -1.0",
}


# Likewise: only kernels themselves make such arrays on a device.
ARRAYS = {
    "a new array": """
t = np.zeros(n) if k > 0 else np.full(n, 2.0)
t[0] += 1
out[:] = t
""",
    "an array or its copy": """
t = m[0].copy() if k > 0 else m[1]
out[:] = t
""",
}

RNG = np.random.default_rng(3)
ROWS = RNG.random((19, 4, 5))
NUMBERS = np.arange(-9, 10)


def body_function(name: str, body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return f"@npp.device\ndef {name}(m, k, out):\n    n = m.shape[0]\n{lines}"


def in_python(body: str, rows: np.ndarray = ROWS) -> np.ndarray:
    """Return what Python computes."""
    source = (FUNCTIONS + body_function("f", body)).replace("@npp.device\n", "")
    f = define(source)["f"]
    out = np.zeros((len(rows), 4))
    for m, k, result in zip(rows, NUMBERS, out, strict=True):
        f(m, int(k), result)
    return out


# Every second body is in the same kernel.
N_KERNELS = 2


@functools.cache
def results(part: int, target: str) -> dict[str, np.ndarray]:
    names = list(BODIES)[part::N_KERNELS]
    source = FUNCTIONS + "".join(
        body_function(f"body_{i}", BODIES[name]) for i, name in enumerate(names)
    )
    calls = "".join(f"    body_{i}(m, k, out[{i}])\n" for i in range(len(names)))
    f = define(f"{source}\ndef f(m, k, out):\n    out[:] = 0\n{calls}")["f"]
    signature = ["void(float64[:,:], int64, float64[:,:])"]
    kernel = npp.guvectorize(signature, f"(m,n),()->({len(names)},4)", target=target)(f)
    if target == "cuda":
        found = kernel(cuda.to_device(ROWS), cuda.to_device(NUMBERS)).copy_to_host()
    else:
        found = kernel(ROWS, NUMBERS)
    return dict(zip(names, found.swapaxes(0, 1), strict=True))


def check(name: str, target: str) -> None:
    found = results(list(BODIES).index(name) % N_KERNELS, target)[name]
    np.testing.assert_allclose(found, in_python(BODIES[name]), rtol=1e-14)


@pytest.mark.parametrize("target", ["cpu", "parallel"])
@pytest.mark.parametrize("name", BODIES)
def test_only_one_side_is_evaluated(name, target):
    check(name, target)


FIRST, OTHERS = list(BODIES)[1::N_KERNELS], list(BODIES)[::N_KERNELS]


@pytest.mark.parametrize("name", [*FIRST, *in_long_runs(*OTHERS)])
def test_only_one_side_is_evaluated_on_a_device(name):
    check(name, "cuda")


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_one_side(name):
    lines = body_function("f", ARRAYS[name]).removeprefix("@npp.device\n")
    declare = npp.guvectorize(["void(float64[:,:], int64, float64[:])"], "(m,m),()->(m)")
    kernel = declare(define(lines)["f"])
    rows = np.ascontiguousarray(ROWS[:, :, :4])
    expected = in_python(ARRAYS[name], rows)
    np.testing.assert_array_equal(kernel(rows, NUMBERS), expected)
    on_device = kernel(cuda.to_device(rows), cuda.to_device(NUMBERS))
    np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def test_atomic_operations_of_one_side():
    @cuda.kernel
    def count(x, counts, places):
        i = cuda.grid(1)
        if i < len(x):
            places[i] = cuda.atomic.add(counts, 0, 1) if x[i] > 0 else -1

    x = np.array([1, -2, 3, 0, 5])
    counts, places = cuda.to_device(np.zeros(1, int)), cuda.to_device(np.zeros(5, int))
    count[1, 32](cuda.to_device(x), counts, places)
    assert counts.copy_to_host()[0] == 3
    np.testing.assert_array_equal(np.sort(places.copy_to_host()), [-1, -1, 0, 1, 2])


def test_no_warning_comes_from_the_other_side():
    @npp.vectorize(["float64(float64)"])
    def root(x):
        return np.sqrt(x) if x >= 0 else 0.0

    @npp.vectorize(["int64(int64)"])
    def tenth(k):
        return 10 // k if k != 0 else 0

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(root([4.0, -1.0, 9.0]), [2, 0, 3])
        np.testing.assert_array_equal(tenth([0, 3, -3]), [0, 3, -4])


def test_harmless_sides_stay_expressions():
    @npp.vectorize(["float64(float64, float64)"])
    def larger(x, y):
        return x * x if x > y else y**3 + (x if y > 0 and x < 4 else 1.0)

    source = npp.inspect(larger).source("cpu")
    assert "if (" not in source[source.index("call(") : source.index("NPP_LANES")]
