"""One call on a GPU where there is one; a clear error where there is none."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


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
    x = np.random.default_rng(size).normal(size=size).astype(dtype)
    y = dtype(0.75)
    np.testing.assert_array_equal(blend(cuda.to_device(x), y).copy_to_host(), blend(x, y))


def test_without_a_gpu_the_error_says_why(blend, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    assert not cuda.is_available()
    assert len(cuda.gpus) == 0
    with pytest.raises(npp.CudaError, match="NUMPY_PLUGIN_CUDA"):
        cuda.to_device(np.ones(3, np.float32))
    np.testing.assert_array_equal(blend(np.zeros(3), 1.0), np.ones(3))


@pytest.mark.gpu
def test_host_arrays_go_to_the_gpu_where_that_pays():
    @npp.vectorize(["float64(float64)"])
    def slow(x):
        total = 0.0
        for i in range(500):
            total += 1.0 / (x + i)
        return total

    x = np.random.default_rng(1).uniform(1, 2, size=1 << 18)
    with cuda.gpus[0], npp.offload():
        first, second, third = slow(x), slow(x), slow(x)
        found = npp.inspect(slow).explain(x)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, third)
    assert found.place == cuda.gpus[0].name, found.why
    assert "on the CPU" in found.why
