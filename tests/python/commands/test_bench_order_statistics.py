"""The benchmark of order statistics: every contestant computes the same, every row is there."""

import numpy as np
import order_statistics
import pytest
from long_runs import in_long_runs

# Numba takes long to compile the others.
FIRST = "nanmedian"
OTHERS = [name for name in order_statistics.CASES if name != FIRST]


@pytest.mark.parametrize("name", [FIRST, *in_long_runs(*OTHERS)])
def test_contestants_compute_the_same(name):
    x = np.random.default_rng(1).normal(size=(3, 40))
    functions = order_statistics.contestants(name, "float64")
    assert list(functions)[:2] == ["numpy_plugin", "NumPy"]
    first, *others = [f(x) for f in functions.values()]
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-12)


def test_every_case_has_rows(monkeypatch):
    monkeypatch.setattr(order_statistics, "ROUNDS", 1)
    monkeypatch.setattr(order_statistics, "SIZES", (5,))
    monkeypatch.setattr(order_statistics, "DTYPES", ("int32",))
    monkeypatch.setattr(order_statistics, "library", lambda _: None)
    rows = order_statistics.measure(10)
    assert [(row.name, row.unit) for row in rows] == [
        (f"{name} int32, rows of 5{rest}", unit)
        for name in order_statistics.CASES
        for rest, unit in (("", "ns an element"), (", faster than NumPy", "times"))
    ]
    assert all(row.value > 0 for row in rows)
