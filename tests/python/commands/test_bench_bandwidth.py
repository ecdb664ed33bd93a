"""The memory rates of a GPU, measured on the simulator: the calls are right, the table is whole."""

import bandwidth
import numpy as np
from results import Results

from numpy_plugin import cuda


def test_every_operation_and_size_has_a_rate():
    with cuda.simulator() as device:
        rates = bandwidth.measure(device, sizes=[1000, 3000])
    assert {rate.library for rate in rates} == {"copy", "numpy_plugin"}
    assert {rate.operation for rate in rates} == {"add float32", "multiply float64", "add int8"}
    assert len(rates) == 2 * 3 * 2
    assert all(rate.gigabytes > 0 for rate in rates)
    lines = bandwidth.table_of(rates)
    assert lines[0] == "| operation | elements | copy | numpy_plugin |"
    assert len(lines) == 2 + 3 * 2


def test_what_is_measured_is_computed():
    with cuda.simulator():
        for operation in bandwidth.OPERATIONS:
            for library, call, n_arrays in bandwidth.calls(operation, 100):
                result = call()
                if library == "numpy_plugin":
                    assert n_arrays == 3
                    ones = np.ones(100, operation.dtype)
                    expected = getattr(np, operation.numpy_name)(ones, ones)
                    np.testing.assert_array_equal(result.copy_to_host(), expected)


def test_without_a_gpu_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    assert not Results(tmp_path, tmp_path).add(bandwidth.PAGE, {})
    assert not list(tmp_path.iterdir())
