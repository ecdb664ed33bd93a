"""One call on a GPU where there is one; a clear error where there is none."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin._toolkit import find_nvrtc


@pytest.fixture(scope="module")
def blend():
    return npp.vectorize(
        ["float32(float32, float32)", "float64(float64, float64)"],
        args="x, y",
        body="return x * y + sqrt(x * x + T(1));",
    )


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 127, 1024, 1_000_003])
def test_the_gpu_gives_the_cpus_bits(blend, dtype, size):
    find_nvrtc()
    x = np.random.default_rng(size).normal(size=size).astype(dtype)
    y = dtype(0.75)
    np.testing.assert_array_equal(_core.run_on_device(blend, x, y), blend(x, y))


def test_without_a_gpu_the_error_says_why(blend, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    assert not npp.cuda.is_available()
    assert len(npp.cuda.gpus) == 0
    with pytest.raises(npp.CudaError, match="NUMPY_PLUGIN_CUDA"):
        _core.run_on_device(blend, np.ones(3, np.float32), np.float32(1))
    np.testing.assert_array_equal(blend(np.zeros(3), 1.0), np.ones(3))


def test_operands_that_do_not_fit_are_refused(blend):
    with pytest.raises(TypeError, match="no kernel for these operands"):
        _core.run_on_device(blend, np.ones(3, np.int32), np.ones(3, np.int32))
    with pytest.raises(ValueError, match="has 4 elements, expected 1 or 3"):
        _core.run_on_device(blend, np.ones(3), np.ones(4))
