"""The benchmark of masked calls: both sum the same, and every size has a row."""

import masked_calls
import numpy as np

import numpy_plugin as npp


def test_both_ufuncs_add_the_same():
    first, second = (call() for call in masked_calls.calls(10_000).values())
    np.testing.assert_array_equal(first, second)
    assert np.count_nonzero(first) < 6000


def test_every_size_has_a_row_and_threads_are_as_before(monkeypatch):
    monkeypatch.setattr(masked_calls, "ROUNDS", 1)
    before = npp.get_num_threads()
    rows = masked_calls.measure()
    assert len(rows) == len(masked_calls.SIZES)
    assert all(row.value > 0 and row.target == 2.0 and not row.is_upper for row in rows)
    assert npp.get_num_threads() == before
