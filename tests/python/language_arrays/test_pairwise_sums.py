"""Sums of arrays in kernels: NumPy's bits for lines, its error everywhere, one order everywhere."""

from __future__ import annotations

import functools
import platform
import re
import shutil

import numpy as np
import pytest
from kernel_source import define
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

TYPES = ("float16", "float32", "float64", "complex64", "complex128")
# Around the limits of blocks, of accumulators and of halves.
SIZES = (0, 1, 3, 4, 7, 8, 9, 20, 63, 64, 65, 127, 128, 129, 136, 137, 255, 256, 257, 1000, 5003)

pytestmark = pytest.mark.usefixtures("simulator")


def gufunc(texts: list[str], parameters: str, layout: str) -> np.ufunc:
    """Return a gufunc with a result for each expression, typed by what it stores."""
    names = [f"out{k}" for k in range(len(texts))]
    lines = "".join(f"    {name}[0] = {text}\n" for name, text in zip(names, texts, strict=True))
    source = f"def f({parameters}, {', '.join(names)}):\n{lines}"
    return npp.guvectorize(f"{layout}->{','.join(['()'] * len(texts))}")(define(source)["f"])


@pytest.fixture(scope="module")
def total() -> np.ufunc:
    """Return the sum of a line, as `npp.guvectorize` compiles it for each type."""
    return gufunc(["np.sum(x)"], "x", "(n)")


def normal(dtype: str, *shape: int) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    parts = rng.normal(size=(2, *shape))
    return (parts[0] + (1j * parts[1] if dtype.startswith("c") else 0)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_sums_of_lines_have_the_bits_of_numpy(total, dtype):
    for n in SIZES:
        x = normal(dtype, n)
        expected = np.sum(x)
        assert total(x).tobytes() == expected.tobytes(), n
        spread = np.zeros((n, 3), dtype)
        spread[:, 1] = x
        assert total(spread[:, 1]).tobytes() == expected.tobytes(), n
        assert total(x[::-1].copy()[::-1]).tobytes() == expected.tobytes(), n


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "float16"])
def test_numbers_of_one_and_two_bytes_are_added_in_the_same_order(dtype):
    f = gufunc(["np.sum(np.float64(x) * 0.1)", "np.mean(x * np.float32(0.1))"], "x", "(n)")
    for n in SIZES[1:]:
        x = np.random.default_rng(n).integers(0, 100, n).astype(dtype)
        for part in (x, np.repeat(x, 3)[::3], x[::-1].copy()[::-1]):
            found = f(part)
            assert found[0].tobytes() == np.sum(x.astype(float) * 0.1).tobytes(), n
            mean = np.sum(x * np.float32(0.1), dtype=found[1].dtype) / n
            assert found[1] == pytest.approx(mean, rel=1e-6), n
    on_device = f(cuda.to_device(x))
    assert [y.copy_to_host().tobytes() for y in on_device] == [y.tobytes() for y in found]


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("g++"), reason="reads x86's instructions"
)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16"])
def test_they_are_converted_in_vectors(dtype, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "g++")
    source = define("def f(x, out):\n    out[()] = np.mean(x)\n")["f"]
    f = npp.guvectorize([f"void({dtype}[:], float64[:])"], "(n)->()", target="cpu")(source)
    instruction = "(pmovzxwd|punpcklwd)" if dtype == "float16" else "cvtdq2pd"
    assert re.search(rf"\sv?{instruction}\s", npp.inspect(f).assembly())


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_sums_of_columns_have_the_bits_of_lines(dtype):
    source = (
        "def f(m, total, mean):\n    total[:] = m.sum(axis=0)\n    mean[:] = np.mean(m, axis=0)\n"
    )
    f = npp.guvectorize("(n,k)->(k),(k)")(define(source)["f"])
    for n in (1, 7, 8, 130, 365, 1000):
        for n_columns in (1, 9, 64, 65, 130):
            m = normal(dtype, n, n_columns)
            expected = np.array([np.sum(column.copy()) for column in m.T]).tobytes()
            for part in (m, np.repeat(m, 2, axis=1)[:, ::2]):
                with np.errstate(all="raise"):
                    total, mean = f(part)
                assert total.tobytes() == expected, (n, n_columns)
                np.testing.assert_array_equal(mean, total / total.dtype.type(n))
    assert f(cuda.to_device(m))[0].copy_to_host().tobytes() == expected


def test_devices_have_the_bits_of_the_host(total):
    for dtype in ("float32", "complex128"):
        for n in (5, 129, 1000):
            x = normal(dtype, 2, n)
            assert total(cuda.to_device(x)).copy_to_host().tobytes() == total(x).tobytes(), n


def test_signs_of_zeros_are_those_of_numpy(total):
    for n in (0, 1, 9, 300):
        assert not np.signbit(total(np.full(n, -0.0)))


# Expressions of x and y, of the matrix m and its transpose: what NumPy gives in float64.
ACCURATE = [
    "np.sum(x)", "np.mean(x)", "np.std(x)", "np.var(x)", "np.dot(x, y)", "x @ y", "np.vdot(x, y)",
    "np.inner(x, y)", "np.average(x, weights=y)", "np.nansum(x)", "np.nanmean(x)", "np.nanvar(x)",
    "np.nanstd(x)", "np.linalg.norm(x)", "np.sum(x * y)",
    "np.mean((x - y) ** 2)", "np.sum(np.where(x > y, x, 0))", "np.sum(x[1::2])",
    "np.mean(np.sqrt(x))", "np.sum(m)", "np.mean(m)", "np.std(m)", "np.sum(m, axis=0)[1]",
    "np.mean(m * m, axis=1)[0]", "m.sum(axis=(0, 1))", "(m.T @ m)[0, 1]", "np.dot(m.T, m[:, 0])[1]",
    "np.sum(np.exp(x - 280))",
]  # fmt: skip


# Every third one is in the same kernel: one of all takes long to compile.
PARTS = range(3)


@functools.cache
def accurate(part: int) -> np.ufunc:
    return gufunc(ACCURATE[part :: len(PARTS)], "x, y, m", "(n),(n),(n,k)")


def numbers(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return numbers of one sign: one after the other, float32 loses up to n / 2 last digits."""
    rng = np.random.default_rng(n)
    x = rng.uniform(280.0, 280.2, n).astype(np.float32)
    y = rng.uniform(1.0, 2.0, n).astype(np.float32)
    return x, y, np.stack([x, y], axis=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", PARTS)
def test_float32_has_the_error_of_numpy(part):
    found = accurate(part)(*numbers(300_000))
    names = dict(zip("xym", (each.astype(np.float64) for each in numbers(300_000)), strict=True))
    for text, value in zip(ACCURATE[part :: len(PARTS)], found, strict=True):
        expected = eval(text, {"np": np, **names})
        # Numbers of size 280 have digits up to 1.5e-5, a thousandth of the deviations.
        rtol = 1e-3 if "std" in text or "var" in text else 2e-6
        np.testing.assert_allclose(value, expected, rtol, err_msg=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", [0, *in_long_runs(*PARTS[1:])])
def test_accurate_sums_on_devices(part):
    operands, f = numbers(1500), accurate(part)
    on_device, texts = f(*map(cuda.to_device, operands)), ACCURATE[part :: len(PARTS)]
    for text, found, copy in zip(texts, f(*operands), on_device, strict=True):
        if "exp" in text:
            np.testing.assert_allclose(copy.copy_to_host(), found, 1e-6, err_msg=text)
        else:
            assert copy.copy_to_host().tobytes() == found.tobytes(), text


def test_sums_in_functions_branches_and_of_elements_that_raise():
    @npp.device
    def mean_below(x, limit):
        if limit < 0:
            raise ValueError(f"no limit: {limit}")
        return np.sum(np.where(x < limit, x, 0)) / np.count_nonzero(x < limit)

    @npp.guvectorize(["void(float32[:], float32[:], float32, float32[:])"], "(n),(m),()->()")
    def f(x, places, limit, out):
        out[0] = mean_below(x, limit) if limit != 0 else np.sum(np.quantile(x, places))

    x, places = np.float32([[1.0, 2.0, 3.0] * 50, [4.0] * 150]), np.full(9, 0.5, np.float32)
    for move in (np.asarray, cuda.to_device):
        found = f(move(x[:1]), move(places), move(np.float32([2.5, 0.0])))
        assert list(map(float, found.reshape(-1))) == [1.5, 18.0]
        with pytest.raises(ValueError, match=r"no limit: -1\.0"):
            f(move(x), move(places), -1.0)
        with pytest.raises(ValueError, match="Quantiles must be in the range"):
            f(move(x), move(places + 0.6), 0.0)


def test_few_numbers_add_in_a_plain_loop():
    """Lanes take it, where something else in the kernel pays for them."""
    source = """def f(x, y, z, out):
    total = np.dot(x, y) + np.sum(np.where(x > y, x, 0)) + np.mean(z)
    n_steps = np.float32(0)
    while n_steps < 60 and total < 100:
        total = total * total + x[0]
        n_steps += 1
    out[0] = n_steps
"""
    signature = "void(float32[:], float32[:], float32[:,:], float32[:])"
    few = npp.guvectorize([signature], "(3),(3),(7,2)->()")(define(source)["f"])
    more = npp.guvectorize([signature], "(3),(3),(8,2)->()")(define(source)["f"])
    assert "pairwise" not in npp.inspect(few).source("cpu")
    assert "lane blocks" in npp.inspect(few).host_form()
    assert "sums of arrays" in npp.inspect(more).host_form()
    free = npp.guvectorize([signature], "(n),(n),(m,k)->()")(define(source)["f"])
    x, y = normal("float32", 2, 100, 3) / 4
    z = normal("float32", 100, 7, 2) / 9
    assert few(x, y, z).tobytes() == free(x, y, z).tobytes()


def test_integers_add_in_a_plain_loop():
    @npp.guvectorize(["void(int64[:], int64[:])"], "(n)->()")
    def f(x, out):
        out[0] = np.sum(x)

    assert "pairwise" not in npp.inspect(f).source("cpu")
    huge = np.array([2**62, 2**62, 2**62, 1])
    assert f(huge) == np.sum(huge)
