"""Names of array expressions in kernels, compared with NumPy's run of the same function."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from kernel_source import define, error_of
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
    pytest.mark.usefixtures("simulator"),
]


# Bodies of a kernel of a vector a, a matrix m, a number k and a matrix of results.
BODIES = {
    "a sum": "b = a + 1\nout[0] = b * b",
    "a slice": "t = a[1:-1] * 2\nout[0, :len(t)] = t\nout[1, 0] = t.sum()",
    "a mask": "p = a > 0\nq = ~p\nout[0] = p\nout[1] = q & (a < 3)\nout[2, 0] = p.sum()",
    "a function": "b = np.sqrt(abs(a))\nout[0] = np.where(b > 1, b, -1)",
    "where": "b = np.where(a > k, a, 2)\nc = np.where(a > 0, 1, 0)\nout[0] = b\nout[1] = c / 2",
    "the values of the moment": "b = a * k\nc = b + 0\nb[0] = 99\nout[0] = c\nout[1] = b",
    "an alias and a view": """
b = a + 1
c = b
d = b[1:]
c += 1
d *= 2
out[0] = b
""",
    "a matrix and a vector": """
b = m * a
c = m[:, 0] if k > 0 else m[:, 1]
out[:4] = b
out[4, :4] = c
""",
    "a name assigned again": "b = a + 1\nb = b * 2\nb = b - a\nout[0] = b",
    "a name assigned again in a loop": """
b = a * 1
for i in range(4):
    b = b + a * i
    if i == 2:
        b = a - b
out[0] = b
""",
    "two names that change places": """
b = a + 0
c = a + 1
for _ in range(3):
    b, c = c, b
    b = b + 1
out[0] = b
out[1] = c
""",
    "an array that changes while iterated": """
b = a + 0
i = 0
for x in b:
    b = b * 2
    b[-1] = 7
    out[0, i] = x
    i += 1
out[1] = b
c = a + 0
i = 0
for x in c:
    c[:] = c + 1
    out[2, i] = x
    i += 1
""",
    "an argument": "out[0, 0] = total(a + 1) + total(m[1] * m[2])\nout[1, 0] = len(a * 2)",
    "an item": "out[0, 0] = (a + k)[2] + (m - 1)[1, 2] + (m + m)[3][1]",
    "a part of an expression": """
out[0, 1:] = (a + k)[1:] * (m * 2)[0, :-1]
out[1] = (m + 1)[::-1][1]
""",
    "a loop over an expression": "s = 0.0\nfor x in a * 2:\n    s += x * s + x\nout[0, 0] = s",
    "a side of a conditional expression": """
b = a + 1 if k > 0 else a
out[0] = b
out[1] = (m[0] if k > 1 else m[k] * 2) * a
""",
    "another dtype": """
b = a.astype(np.float32)
c = b * 2
d = np.int8(a) + np.int8(100)
out[0] = c
out[1] = d
""",
    "complex numbers": "z = a + 1j * a\nw = z * z\nout[0] = w.real\nout[1] = (z * 2).imag",
    "nothing": """
b = a[:0] + 1
c = b * b
out[0, 0] = len(c) + c.sum()
d = m[:0] + a
out[1, 0] = d.shape[1]
""",
    "an operation in place": "b = a + 1\nb += a\nb[1:] -= b[:-1]\nb //= 2\nout[0] = b",
    "shared elements": """
out[:4] = m
out[0, 1:] = out[0, :-1] + out[0, 1:]
out[1] = out[1, ::-1] + 1
out[2, 1:-1] = out[2, :-2] + out[2, 2:]
out[3, 1:] += out[3, :-1]
""",
    "a ufunc": "b = half(a) + half(k)\nout[0] = b",
    "methods": "b = a.clip(0, 2)\nc = (a / 3).round(1)\nout[0] = b\nout[1] = c",
}

# Likewise, each a kernel of its own.
REBINDINGS = {
    "an input by its name": "first = a[0]\na = a + 1\na[0] += 1\nout[0] = a\nout[1, 0] = first",
    "an input by its name, again": """
a = a * 2
for i in range(3):
    a = a + i
m = m[1]
k = k + 0.5
out[0] = a * m + k
""",
}

# Likewise, with sizes that do not follow from core dimensions: on the CPU.
CPU_BODIES = {
    "broadcasting at run time": "b = m[:1] + a[-1:] * np.ones((len(m), 1))\nout[:4] = b",
    "other sizes in a loop": """
b = a + 0
s = 0.0
while len(b) > 1:
    b = b[1:] - b[:-1]
    s += b[0]
out[0, 0] = s
""",
}

HEAD = """
@npp.vectorize
def half(x):
    return x / 2

def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s

"""


def function(body: str, is_kernel: bool):
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    head = HEAD.replace("def total", "@npp.device\ndef total") if is_kernel else HEAD
    return define(f"{head}def f(a, m, k, out):\n{lines}")["f"]


A = np.array([[-2.0, 0, 1, 2.5, 3], [1, 2, 3, 4, 5], [5, 4, -3, 2, 0.5]])
M = np.arange(60.0).reshape(3, 4, 5) % 7
K = np.array([2, -1, 0])


def in_python(body: str) -> np.ndarray:
    f = function(body, is_kernel=False)
    results = np.zeros((3, 5, 5))
    for a, m, k, out in zip(A.copy(), M.copy(), K, results, strict=True):
        f(a, m, int(k), out)
    return results


def kernel(body: str, layout: str, **options: object) -> np.ufunc:
    dimensions = layout.count(",", layout.index("->")) + 1
    out = f"float64[{','.join(':' * dimensions)}]"
    declare = npp.guvectorize([f"void(float64[:], float64[:,:], int64, {out})"], layout, **options)
    return declare(function("out[:] = 0\n" + body.strip("\n"), is_kernel=True))


def together(bodies: dict[str, str], **options: object) -> np.ufunc:
    """Return one kernel of all bodies, each with names of its own."""
    text = ""
    for i, body in enumerate(bodies.values()):
        numbered = re.sub(r"\b([bcdpqtzwisx])\b", rf"\1_{i}", body.strip("\n"))
        text += re.sub(r"\bout\[", f"out[{i}, ", numbered) + "\n"
    return kernel(text, f"(n),(m,n),()->({len(bodies)},n,n)", **options)


# Every third body is in the same kernel: one of all takes long to compile.
N_KERNELS = 3


def part_of(bodies: dict[str, str], part: int) -> list[str]:
    return list(bodies)[part::N_KERNELS]


@functools.cache
def results(part: int, target: str) -> dict[str, np.ndarray]:
    names = part_of(BODIES if target == "cuda" else BODIES | CPU_BODIES, part)
    f = together({name: (BODIES | CPU_BODIES)[name] for name in names}, target=target)
    if target == "cuda":
        found = f(cuda.to_device(A), cuda.to_device(M), cuda.to_device(K)).copy_to_host()
    elif target == "parallel":
        found = f(np.tile(A, (40, 1)), np.tile(M, (40, 1, 1)), np.tile(K, 40))[-3:]
    else:
        found = f(A, M, K)
    return dict(zip(names, found.swapaxes(0, 1), strict=True))


def check(name: str, target: str) -> None:
    bodies = BODIES | CPU_BODIES
    found = results(list(bodies).index(name) % N_KERNELS, target)[name]
    np.testing.assert_array_equal(found, in_python(bodies[name]))


@pytest.mark.parametrize("target", ["cpu", "parallel"])
@pytest.mark.parametrize("name", [*BODIES, *CPU_BODIES])
def test_expressions_are_numpys(name, target):
    check(name, target)


OTHERS = [*part_of(BODIES, 1), *part_of(BODIES, 2)]


@pytest.mark.parametrize("name", [*part_of(BODIES, 0), *in_long_runs(*OTHERS)])
def test_expressions_on_devices_are_numpys(name):
    check(name, "cuda")


@pytest.mark.parametrize("name", REBINDINGS)
def test_inputs_lend_their_names(name):
    f = kernel(REBINDINGS[name], "(n),(m,n),()->(n,n)")
    expected = in_python(REBINDINGS[name])
    a, m = A.copy(), M.copy()
    np.testing.assert_array_equal(f(a, m, K), expected)
    np.testing.assert_array_equal(a, A)
    np.testing.assert_array_equal(m, M)
    found = f(cuda.to_device(A), cuda.to_device(M), cuda.to_device(K))
    np.testing.assert_array_equal(found.copy_to_host(), expected)


def test_sizes_of_the_type_need_no_memory_of_the_call():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(3)->(3)")
    def turned(v, out):
        w = v * 2
        for _ in range(3):
            w = w[::-1] + v
        out[:] = w

    @npp.guvectorize(["void(float64[:], float64[:])"], "(3)->(3)")
    def doubled(v, out):
        w = v * 2
        out[:] = w[::-1]

    assert "new_array" not in npp.inspect(doubled).source("cpu").partition("struct Kernel0")[2]
    v = np.array([1.0, 2, 4])
    np.testing.assert_array_equal(turned(v), expected_turns(v))
    np.testing.assert_array_equal(doubled(v), [8, 4, 2])


def expected_turns(v: np.ndarray) -> np.ndarray:
    w = v * 2
    for _ in range(3):
        w = w[::-1] + v
    return w


def test_kernels_of_a_grid_make_arrays_of_constant_sizes():
    @cuda.kernel
    def f(x, out):
        i = cuda.grid(1)
        if i < len(x):
            t = cuda.local.array(3, npp.float64)
            t[:] = x[i]
            u = t * t + 1
            out[i] = u.sum() + (u > 2).any()

    x = np.arange(5.0)
    out = cuda.to_device(np.zeros(5))
    f[1, 32](cuda.to_device(x), out)
    np.testing.assert_array_equal(out.copy_to_host(), 3 * (x * x + 1) + (x * x + 1 > 2))


def test_too_large_arrays_are_an_error():
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(
        define("def f(a, out):\n    b = a + 1\n    out[0] = b[0]\n")["f"]
    )
    with pytest.raises(MemoryError, match=r"Unable to allocate \d+ bytes for a \+ 1: "):
        f(np.broadcast_to(1.0, 2**50))
    assert f(np.ones(3)) == 2


MISTAKES = {
    "b = a + 1\n    if m[0, 0]:\n        b = b > 0\n    out[:] = b": (
        "'b' is a 1-dimensional array here",
        "",
    ),
    "b = a + 1\n    if m[0, 0]:\n        b = m\n    out[:] = b": (
        "'b' is a 2-dimensional array here and a 1-",
        "",
    ),
    "if a + 1:\n        pass": ("'+' needs numbers, a is a 1-dimensional array", "a[i] + 1"),
    "b = both(a)": ("both(a) makes several arrays", "write the loop"),
    "if len(a) > 3:\n        a = a * 2\n    out[:] = a": ("this rebinds 'a'", "use another name"),
    "b = a + m[:, 1:]": ("m[:, 1:] has size", ""),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(["void(float64[:], float64[:,:], float64[:])"], "(4),(n,4)->(4)")
    ufunc = "@npp.vectorize\ndef both(x):\n    return x, -x\n"
    error = error_of(declare, f"{ufunc}def f(a, m, out):\n    out[:] = a\n    {text}\n")
    message, hint = MISTAKES[text]
    assert error.diagnostics[0].message.startswith(message), error
    assert hint in error.diagnostics[0].hint


def test_arrays_of_unknown_sizes_are_refused_in_a_grid():
    source = "def f(a, out):\n    b = a + 1\n    out[0] = b[0]\n"
    error = error_of(lambda f: cuda.kernel("void(float64[:], float64[:])")(f), source)
    assert error.diagnostics[0].message == (
        "a + 1 needs constant sizes in a kernel that is launched with a grid"
    )
