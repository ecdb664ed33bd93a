"""Elementwise expressions stored in core arrays, their rows and slices, as in NumPy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import define, error_of
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]


@npp.device
def scaled(target, source, factor):
    target[:] = source * factor


@npp.vectorize
def halved(x):
    return x / 2


def stores(cases: list[list[str]], signature: str, layout: str, names: str) -> np.ufunc:
    """Return a gufunc with an output for each case, which calls it `out`."""
    outputs = [f"out{k}" for k in range(len(cases))]
    lines = [
        re.sub(r"\bout\b", output, line)
        for output, case in zip(outputs, cases, strict=True)
        for line in case
    ]
    body = "".join(f"    {line}\n" for line in lines)
    inputs, output = signature.split(" -> ")
    core_inputs, core = layout.split("->")
    source = f"def f({names}, {', '.join(outputs)}):\n{body}"
    return npp.guvectorize(
        [f"void({inputs}, {', '.join([output] * len(cases))})"],
        f"{core_inputs}->{','.join([core] * len(cases))}",
    )(define(source, scaled=scaled, halved=halved, T=T)["f"])


def as_numpy(case: list[str], out: np.ndarray, **names: np.ndarray) -> np.ndarray:
    """Run the lines on NumPy's arrays."""

    def scale(target, source, factor):
        target[:] = source * factor

    scope = {"np": np, "scaled": scale, "halved": lambda x: x / 2, "out": out, "T": T}
    exec("\n".join(case).replace("npp.local_array", "np.zeros"), {**scope, **names})
    return out


def check(ufunc, cases, shape, **names: np.ndarray) -> None:
    operands = list(names.values())
    on_device = ufunc(*(cuda.to_device(operand) for operand in operands))
    for case, found, copy in zip(cases, ufunc(*operands), on_device, strict=True):
        expected = np.array(
            [
                as_numpy(case, np.zeros(shape, found.dtype), **dict(zip(names, items, strict=True)))
                for items in zip(*operands, strict=True)
            ]
        )
        np.testing.assert_array_equal(found, expected, str(case))
        np.testing.assert_array_equal(copy.copy_to_host(), expected, str(case))


VECTORS = [
    ["out[:] = a + b"],
    ["out[:] = a", "out[:] += 1", "out *= b", "out[2:] -= a[2:]"],
    ["out[...] = np.where(a > 1, a, 0.0)"],
    ["out[:] = -a * x + np.sqrt(np.abs(b)) ** 2"],
    ["out[:] = 0", "out[::2] = a[::2] - b[::2]"],
    ["out[:] = a * a[0] - b.sum()"],
    ["out[:] = np.clip(a, -1, b) + np.maximum(a, b)"],
    ["out[:] = halved(a) + a.astype(np.float32)"],
    ["out[:] = (a > b) & (b > 0)"],
    ["out[:] = 0", "out[1:-1] = a[:-2] + a[2:] - 2 * a[1:-1]"],
    ["out[:] = a[1:2] * b"],
    ["out[:] = a * T"],
    ["t = npp.local_array(5, np.float64)", "t[:] = a - b", "t /= 2", "out[:] = t * t"],
    ["scaled(out, a, x)", "scaled(out[1:3], b[2:4], 2)"],
    ["out[:] = 1", "out[-2:] = a[-2:] % 2"],
    ["out[:] = np.isfinite(a) + np.float64(b)"],
    # The right side is read before anything is overwritten.
    ["out[:] = a", "out[:] = out * 2 + b"],
    ["out[:] = a", "out[1:] = out[:-1] + 1"],
    ["out[:] = a", "out[:-2] = out[2:] * out[:-2]"],
    ["out[:] = a", "out[1:-1] = out[1:-1] + out[:-2]"],
    ["out[:] = a", "out -= out[0]"],
]
T = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


@pytest.mark.parametrize("layout", [*in_long_runs("(5),(5),()->(5)"), "(n),(n),()->(n)"])
def test_stores_in_vectors(layout):
    f = stores(VECTORS, "float64[:], float64[:], float64 -> float64[:]", layout, "a, b, x")
    random = np.random.default_rng(7)
    a, b = random.integers(-4, 5, (2, 3, 5)).astype(float)
    check(f, VECTORS, 5, a=a, b=b, x=np.array([2.0, -1, 0.5]))


MATRICES = [
    ["out[:] = m + v"],
    ["out[:] = m * m[:, 1:2] - m[0]"],
    [
        "out[:] = 0",
        "out[:, 0] = m[:, 1] * 2",
        "out[1] = v + 1",
        "out[i] = m[i] / 2",
        "out[i, 1:] -= m[0, :-1]",
    ],
    ["out[:] = m", "out[1] = out[0] + out[1]", "out[i] = out[i - 1] * 2", "out[:, 1] += out[:, 0]"],
    ["out[:] = m", "out[1:] = out[:-1] + m[1:]"],
    ["out[:] = m", "out[:, :-1] = out[:, 1:] - out[:, :-1]"],
    ["out[:] = 0", "out[1:, ::2] = m[:-1, ::2] > v[::2]"],
    ["for k in range(m.shape[0]):", "    out[k] = m[k] * k + v"],
]


def test_stores_in_matrices():
    f = stores(
        MATRICES,
        "float64[:,:], float64[:], int64 -> float64[:,:]",
        "(k,n),(n),()->(k,n)",
        "m, v, i",
    )
    random = np.random.default_rng(8)
    m, v = random.integers(-4, 5, (4, 3, 4)).astype(float), np.arange(16.0).reshape(4, 4)
    check(f, MATRICES, (3, 4), m=m, v=v, i=np.array([1, 2, -1, 0]))


def test_sizes_are_broadcast_or_refused_at_run_time():
    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->(n)")
    def f(a, b, out):
        out[:] = a + b

    a = np.arange(4.0)
    assert_both(f, a + 2, a, np.array([2.0]))
    with pytest.raises(ValueError) as numpys:
        a[:] = np.zeros(3)
    for operands in ((a, np.zeros(3)), (cuda.to_device(a), cuda.to_device(np.zeros(3)))):
        with pytest.raises(ValueError) as caught:
            f(*operands)
        assert str(caught.value) == str(numpys.value)
    assert_both(f, a, a, np.zeros(4))


@npp.device
def spread(a):
    return a.max() - a.min()


@cuda.kernel
def differences(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        t = cuda.local.array(4, npp.float64)
        t[:] = a[i] * 2
        out[i, 1:] = t[1:] - a[i, :-1]
        out[i, 0] = np.sum(t) + spread(a[i])


def test_device_kernels_and_device_functions():
    a = np.arange(12.0).reshape(3, 4) ** 2
    out = np.zeros_like(a)
    differences[1, 32](a, out)
    np.testing.assert_array_equal(out[:, 0], 2 * a.sum(axis=1) + np.ptp(a, axis=1))
    np.testing.assert_array_equal(out[:, 1:], 2 * a[:, 1:] - a[:, :-1])


def test_all_cores():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="parallel")
    def centered(a, out):
        out[:] = a - a.mean()

    a = np.random.default_rng(9).integers(0, 100, (5000, 8)).astype(float)
    np.testing.assert_array_equal(centered(a), a - a.mean(axis=1, keepdims=True))


LOOPS = {
    "out[:] = a + b": ["for i in range(out.shape[0]):", "    out[i] = a[i] + b[i]"],
    "out *= a": ["for i in range(out.shape[0]):", "    out[i] = out[i] * a[i]"],
}  # fmt: skip


def emitted(lines: list[str], target: str) -> list[str]:
    """Return the statements of the C++ that a kernel becomes, with its names numbered."""
    body = "".join(f"    {line}\n" for line in lines)
    f = npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->(n)")(
        define(f"def f(a, b, out):\n    out[0] = 0.0\n{body}", "kernel.py")["f"]
    )
    source = npp.inspect(f).source(target)
    kernel = source[source.index("struct Kernel0") :]
    code = [line.strip() for line in kernel.splitlines() if not line.lstrip().startswith("#")]
    names: dict[str, str] = {}
    pattern = r"\b(?:i|s|temporary)(?:_\d+)?\b"
    return [re.sub(pattern, lambda m: names.setdefault(m[0], f"v{len(names)}"), x) for x in code]


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("statement", LOOPS)
def test_the_emitted_loop_is_the_one_that_is_written_out(statement, target):
    found, expected = emitted([statement], target), emitted(LOOPS[statement], target)
    assert sorted(found) == sorted(expected)
    assert any("for" in line for line in found)


MISTAKES = {
    "out[:] = m + 1": ("m + 1 has 2 dimensions, out[:] has 1", ""),
    "out[:] = a[1:] + 1": ("a[1:] has size 3 where out[:] has size 4", ""),
    "k[:] = a * 2j": (
        "complex128 stored, int64 declared",
        "(a * 2j).real, or abs(a * 2j)",
    ),
    "out[:] = a + unknown": ("unknown name 'unknown'", "assign it first, make it an argument, or "
                             "define it at module level"),
}  # fmt: skip


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes(line):
    source = (
        f"def f(a, m, out):\n    k = npp.local_array(4, np.int64)\n    out[0] = k[0]\n    {line}\n"
    )
    declare = npp.guvectorize(["void(float64[:], float64[:,:], float64[:])"], "(4),(2,4)->(4)")
    (diagnostic,) = error_of(declare, source).diagnostics
    assert (diagnostic.message, diagnostic.hint) == MISTAKES[line]
