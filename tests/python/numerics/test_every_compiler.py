"""Promises about values, kept by every compiler of this machine, not by the default one alone."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp


def _zig():
    try:
        import ziglang
    except ImportError:
        return None
    return f"{Path(ziglang.__file__).parent / 'zig'} c++"


COMPILERS = {"g++": shutil.which("g++"), "clang++": shutil.which("clang++"), "zig": _zig()}


@pytest.fixture(params=["g++", "clang++", *in_long_runs("zig")])
def compiler(request, monkeypatch):
    if COMPILERS[request.param] is None:
        pytest.skip(f"no {request.param} on this machine")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", COMPILERS[request.param])


SIGNATURES = ["float32(float32)", "float64(float64)"]
ROWS = ["void(float32[:], float32[:])", "void(float64[:], float64[:])"]


def _sine(x):
    return np.sin(x)


def _sines(x, out):
    for k in range(x.shape[0]):
        out[k] = np.sin(x[k])


def _declared(layout, math):
    if layout is None:
        return npp.vectorize(SIGNATURES, math=math, target="cpu")(_sine)
    return npp.guvectorize(ROWS, layout, math=math, target="cpu")(_sines)


@pytest.mark.parametrize("math", ["vector", "libm", "reproducible"])
@pytest.mark.parametrize("layout", [None, "(n)->(n)"], ids=["elements", "rows"])
@pytest.mark.parametrize("dtype", "fd")
def test_values_do_not_depend_on_the_position(layout, math, dtype, compiler):
    f = _declared(layout, math)
    x = np.random.default_rng(1).uniform(-100, 100, 203).astype(dtype)
    alone = np.concatenate([f(x[k : k + 1]) for k in range(x.size)])
    assert np.array_equal(f(x), alone)
    assert np.array_equal(f(x[3:])[::-1], alone[:2:-1])


@pytest.mark.parametrize("layout", [None, "(n)->(n)"], ids=["elements", "rows"])
def test_libm_is_the_scalar_library(layout, compiler):
    assert "_ZGV" not in npp.inspect(_declared(layout, "libm")).assembly()
