"""The benchmark of host compilers: its rows, and the marks of its table."""

import shutil

import compilers
import pytest


@pytest.fixture
def two_compilers(monkeypatch):
    """The same compiler under two names, and one kernel."""
    path = shutil.which("g++") or pytest.skip("there is no g++")
    monkeypatch.setattr(compilers, "compilers", lambda: {"g++": path, "other": path})
    monkeypatch.setattr(compilers, "KERNELS", compilers.KERNELS[:1])


def test_a_row_has_the_time_of_each_compiler(two_compilers):
    rows = compilers.loops(size=64, rounds=1)
    assert [(row["kernel"], row["dtype"]) for row in rows] == [
        ("gaussian", "float32"),
        ("gaussian", "float64"),
    ]
    for row in rows:
        assert list(row["ns"]) == ["g++", "other"] and min(row["ns"].values()) > 0


def test_slower_loops_are_marked():
    ns = {"g++": 2.0, "slow": 3.0, "equal": 2.1}
    *_, row = compilers._loop_table([{"kernel": "k", "dtype": "float32", "ns": ns}])
    assert row == "| k | float32 | 2.00 ns | 3.00 ns, **1.50 times** | 2.10 ns, 1.05 times |"
