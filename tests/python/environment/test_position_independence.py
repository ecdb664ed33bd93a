"""An element's value depends on its operands alone: not on position, length, strides or threads."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core

BODIES = {
    "exp": "return exp(x);",
    "sin_cos": "return sin(x) * cos(x);",
    "pow": "return pow(x * x + T(0.5), T(1.3));",
    "branch": "if (x > 0) return log(x + 1); return exp(x) - tanh(x);",
    "plain": "return x * x + T(3) / (x * x + 1);",
}


@pytest.fixture(scope="module", params=["cpu", "parallel"])
def ufuncs(request):
    return {
        name: npp.vectorize(
            ["float32(float32)", "float64(float64)"], args="x", body=body, target=request.param
        )
        for name, body in BODIES.items()
    }


def bits(x):
    return x.view(np.uint32 if x.dtype == np.float32 else np.uint64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BODIES)
def test_position_length_and_strides(ufuncs, name, dtype):
    f = ufuncs[name]
    rng = np.random.default_rng(1)
    x = rng.normal(scale=3, size=70_003).astype(dtype)
    whole = f(x)
    for i in [*range(130), 1023, 1024, 1025, 69_999, 70_002]:
        assert bits(f(x[i : i + 1])) == bits(whole[i : i + 1])
        assert bits(np.atleast_1d(f(x[i]))) == bits(whole[i : i + 1])
    for n in (2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 65, 100, 1000, 1025):
        np.testing.assert_array_equal(bits(f(x[5 : 5 + n])), bits(whole[5 : 5 + n]))
    np.testing.assert_array_equal(bits(f(x[::-3])), bits(whole[::-3].copy()))
    np.testing.assert_array_equal(bits(f(x[1::7])), bits(whole[1::7].copy()))
    spread = np.full((len(x), 3), np.nan, dtype)[:, 1]
    f(x, out=spread)
    np.testing.assert_array_equal(bits(spread.copy()), bits(whole))
    in_place = x.copy()
    f(in_place, out=in_place)
    np.testing.assert_array_equal(bits(in_place), bits(whole))
    broadcast = np.broadcast_to(x[7], 50)
    np.testing.assert_array_equal(bits(f(broadcast)), np.repeat(bits(whole[7:8]), 50))


def test_where_and_casting(ufuncs):
    x = np.random.default_rng(2).normal(size=20_000)
    f = ufuncs["exp"]
    out = np.zeros_like(x)
    mask = np.random.default_rng(3).random(20_000) < 0.3
    f(x, out=out, where=mask)
    np.testing.assert_array_equal(out[mask], f(x)[mask])
    n = np.arange(-300, 300)
    np.testing.assert_array_equal(f(n), f(n.astype(np.float64)))


def test_threads():
    f = npp.vectorize(
        ["float64(float64)", "float32(float32)"],
        args="x",
        body="return exp(x) * sin(x);",
        target="parallel",
    )
    for dtype in (np.float32, np.float64):
        x = np.random.default_rng(4).normal(size=300_001).astype(dtype)
        results = []
        try:
            for count in (1, 2, 3):
                _core.set_n_threads(count)
                results.append(f(x))
        finally:
            _core.set_n_threads(0)
        np.testing.assert_array_equal(bits(results[0]), bits(results[1]))
        np.testing.assert_array_equal(bits(results[0]), bits(results[2]))
