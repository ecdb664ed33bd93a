"""Warnings and errors of programs written for Numba."""

import os
import subprocess
import sys

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import numba
from numpy_plugin.numba import cuda


@pytest.fixture(scope="module")
def device():
    with cuda.simulator(multiprocessors=4):
        yield


@cuda.jit
def fill(out, value):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = value


@pytest.mark.usefixtures("device")
class TestMessages:
    def test_low_occupancy(self):
        out = cuda.device_array(64)
        with pytest.warns(npp.PerformanceWarning, match=r"Grid size 3 of 'fill': low occup") as one:
            fill[3, 32](out, 1.0)
        assert [warning.filename for warning in one] == [__file__]
        assert "1 of 4 multiprocessors" in str(one[0].message)
        assert numba.NumbaPerformanceWarning is npp.PerformanceWarning
        assert issubclass(npp.PerformanceWarning, npp.KernelWarning)

    @pytest.mark.filterwarnings("error")
    def test_launches_that_do_not_warn(self, monkeypatch):
        out = cuda.device_array(64)
        fill[4, 16](out, 1.0)
        fill[(2, 2), 16](out, 1.0)
        monkeypatch.setattr(numba.config, "CUDA_LOW_OCCUPANCY_WARNINGS", False)
        fill[1, 64](out, 2.0)
        fill.forall(64)(out, 3.0)
        assert out.copy_to_host().tolist() == [3.0] * 64
        monkeypatch.setattr(numba.config, "CUDA_WARN_ON_IMPLICIT_COPY", False)
        fill[1, 64](np.empty(3), 2.0)

    def test_copies_of_host_arrays(self):
        out = np.zeros(4)
        with pytest.warns(npp.PerformanceWarning, match="Host array used in CUDA kernel") as one:
            fill[4, 4](out, 5.0)
        assert len(one) == 1
        assert "parameter 1 of 'fill'" in str(one[0].message)
        assert out.tolist() == [5.0] * 4

    def test_counts_of_arguments(self):
        with pytest.raises(TypeError, match="'fill' takes 2 arguments"):
            fill[4, 4](cuda.device_array(4))

    def test_attributes_of_kernels(self):
        assert fill.py_func.__name__ == "fill"
        with pytest.raises(AttributeError, match=r"no 'inspect_asm'\n  hint: kernel\.ptx"):
            fill.inspect_asm  # noqa: B018

    @pytest.mark.parametrize(
        ("option", "hint"),
        [
            ("parallel", 'target="parallel"'),
            ("locals", "npp.float64"),
            ("boundscheck", "cuda.simulator"),
            ("forceobj", "np.vectorize"),
        ],
    )
    def test_options_of_numba(self, option, hint):
        with pytest.raises(TypeError, match=f"vectorize has no argument '{option}'") as caught:
            numba.vectorize(["float64(float64)"], **{option: True})
        assert f"hint: {hint}" in str(caught.value) or hint in str(caught.value)

    def test_options_of_numba_that_ask_for_nothing_else(self):
        options = {"nogil": True, "boundscheck": False, "forceobj": False, "error_model": "numpy"}
        twice = numba.vectorize(["float64(float64)"], nopython=True, **options)(lambda x: 2 * x)
        rows = numba.guvectorize(["void(float64[:])"], "(n)", **options)
        assert (twice(2.0), callable(rows)) == (4.0, True)


@pytest.mark.parametrize("value", ["0", "1"])
def test_the_environment_sets_the_warnings(value):
    program = (
        "from numpy_plugin.numba import config\n"
        "print(config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY)"
    )
    names = ("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "NUMBA_CUDA_WARN_ON_IMPLICIT_COPY")
    environment = os.environ | dict.fromkeys(names, value)
    shown = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert shown.stdout.split() == [str(value == "1")] * 2
