"""The benchmark of declarations: what it measures, not how long that takes."""

from __future__ import annotations

import device_kernels
import front_end
import pytest

from numpy_plugin import vectorize
from numpy_plugin._commands import bench_process


def test_the_long_kernel_has_its_lines_and_can_be_called():
    function = front_end.long_kernel()
    lines = {line for _, _, line in function.__code__.co_lines() if line is not None}
    assert max(lines) - min(lines) + 1 >= front_end.N_LINES
    ufunc = vectorize(["float64(float64, float64)"])(function)
    assert ufunc(0.25, 0.5) == function(0.25, 0.5)


def test_signatures_are_spelled_for_another_declaration():
    assert front_end.ufunc_signature(device_kernels.add) == "float32(float32, float32)"


def test_every_measurement_has_a_target():
    rows = front_end.declared_again()
    assert [row.target for row in rows] == [3.0, 10.0]
    assert all(row.value > 0 for row in rows)


def test_errors_are_timed_of_each_way_to_find_them(nvrtc):
    assert set(bench_process.errors()) == {"kernel_ms", "body_ms", "nvrtc_ms"}


def test_a_declaration_that_is_taken_is_no_error_to_time():
    with pytest.raises(RuntimeError, match="was accepted"):
        bench_process.error_text(lambda: None)
