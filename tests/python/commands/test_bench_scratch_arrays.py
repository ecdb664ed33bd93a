"""The benchmark of scratch arrays: both kernels compute the same, and every size has a row."""

import numpy as np
import scratch_arrays


def test_both_kernels_compute_the_same():
    first, second = (call() for call in scratch_arrays.calls(10).values())
    np.testing.assert_array_equal(first, second)


def test_every_size_has_a_row(monkeypatch):
    monkeypatch.setattr(scratch_arrays, "ROUNDS", 1)
    rows = scratch_arrays.measure()
    assert len(rows) == len(scratch_arrays.SIZES)
    assert all(row.value > 0 and row.target == 1.1 for row in rows)
