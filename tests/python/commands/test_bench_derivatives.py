"""The benchmark of derivatives: the contestants compute the same, and rows have their cells."""

import derivatives
import numpy as np
import pytest
from derivatives import BOTH, JAX_BOTH, JAX_VALUE, VALUE

CASES = list(derivatives.CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_value_and_its_derivative_are_those_of_differences(name):
    step, n = 1e-5, 200
    calls = derivatives.contestants(name, n)
    value, slope = calls[BOTH]()
    np.testing.assert_array_equal(calls[VALUE](), value)
    x = np.random.default_rng(0).uniform(0.1, 3.0, n)
    above, below = (np.vectorize(derivatives.CASES[name].kernel)(x + d) for d in (step, -step))
    np.testing.assert_allclose(slope, (above - below) / (2 * step), rtol=1e-6, atol=1e-8)
    if JAX_BOTH in calls:
        np.testing.assert_allclose(calls[JAX_BOTH](), [value, slope], rtol=1e-12, atol=1e-15)


def test_every_case_has_a_row_for_each_size(monkeypatch):
    monkeypatch.setattr(derivatives, "ROUNDS", 1)
    monkeypatch.setattr(derivatives, "COMPILATIONS", 1)
    monkeypatch.setattr(derivatives, "SIZES", (10, 20))
    monkeypatch.setattr(derivatives, "CASES", {CASES[0]: derivatives.CASES[CASES[0]]})
    monkeypatch.setattr(derivatives, "library", lambda _: None)
    rows = derivatives.measure()
    assert [(row["name"], row["size"]) for row in rows] == [(CASES[0], 10), (CASES[0], 20)]
    assert all(list(row["ns"]) == [VALUE, BOTH] and row["compiling"] > 0 for row in rows)


def test_ratios_are_over_the_value_alone(monkeypatch):
    ns = {VALUE: 2.0, BOTH: 3.6, JAX_VALUE: 4.0, JAX_BOTH: 9.0}
    rows = [
        {"name": CASES[0], "size": 10, "ns": ns, "compiling": 1.5},
        {"name": CASES[-1], "size": 10, "ns": {VALUE: 2.0, BOTH: 3.6}, "compiling": 1.8},
    ]
    monkeypatch.setattr(derivatives, "levels", lambda: {"x86-64-v3": {}})
    monkeypatch.setattr(derivatives, "in_process", lambda module: rows)
    ours = "x86-64-v3 | 10 | 2 | 3.6 | **1.80**"
    assert derivatives.PAGE.measure(None).lines[2:] == [
        f"| {CASES[0]} | {ours} | 2: met | **2.5** | 2.25 | 1.50 | 1.7: met |",
        f"| {CASES[-1]} | {ours} | 1.6: missed |  |  | 1.80 | 1.7: missed |",
    ]
