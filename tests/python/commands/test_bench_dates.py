"""The benchmark of dates: every contestant computes the same, and every row has its cells."""

import dates
import numpy as np
import pytest
from long_runs import in_long_runs

# One of each kind; the others are compiled as well in long runs.
FIRST = ["month of [ns]", "t + x * hour", "year fraction"]
OTHERS = [name for name in dates.names() if name not in FIRST]


@pytest.mark.parametrize("name", [*FIRST, *in_long_runs(*OTHERS)])
def test_contestants_compute_the_same(name):
    first, *others = (call() for call in dates.contestants(name, 500).values())
    for other in others:
        assert first.dtype.kind == np.asarray(other).dtype.kind
        if first.dtype.kind == "f":
            np.testing.assert_allclose(first, other, rtol=1e-15)
        else:
            np.testing.assert_array_equal(first, np.asarray(other))


def test_every_name_has_a_row(monkeypatch):
    monkeypatch.setattr(dates, "ROUNDS", 1)
    monkeypatch.setattr(dates, "UNITS", ("s",))
    monkeypatch.setattr(dates, "PARTS", {"dayofyear": dates.PARTS["dayofyear"]})
    monkeypatch.setattr(dates, "ARITHMETIC", {"t - u": dates.ARITHMETIC["t - u"]})
    monkeypatch.setattr(dates, "library", lambda _: None)
    rows = dates.measure(10)
    assert [row["name"] for row in rows] == ["dayofyear of [s]", "t - u"]
    assert [list(row["ns"]) for row in rows] == [[dates.ONE, dates.ALL, "NumPy"]] * 2
    assert all(ns > 0 for row in rows for ns in row["ns"].values())


def test_outcomes_are_those_of_one_thread(monkeypatch):
    ns = {dates.ONE: 2.0, dates.ALL: 1.0, "pandas": 8.0, "NumPy": 50.0}
    rows = [{"name": name, "threads": 2, "ns": ns} for name in ("dayofyear of [s]", "hour of [s]")]
    monkeypatch.setattr(dates, "levels", lambda: {"x86-64-v3": {}})
    monkeypatch.setattr(dates, "in_process", lambda module: rows)
    lines = dates.PAGE.measure(None).lines
    numbers = "x86-64-v3 | 2 | 1 | **4** | 8 | **25** | 50"
    assert lines[2:] == [
        f"| dayofyear of [s] | {numbers} | pandas 5: missed, NumPy 20: met |",
        f"| hour of [s] | {numbers} |  |",
    ]
