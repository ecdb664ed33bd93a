"""The benchmark of lanes in generalized ufuncs: all versions of a kernel compute the same."""

import core_lanes
import pytest
from long_runs import in_long_runs

FIRST = ["unit vector", "place in a table"]


@pytest.mark.parametrize(
    "name", [*FIRST, *in_long_runs(*(name for name in core_lanes.CASES if name not in FIRST))]
)
def test_same_results(name, monkeypatch):
    monkeypatch.setattr(core_lanes, "N_ELEMENTS", 100)
    monkeypatch.setattr(core_lanes, "ROUNDS", 1)
    ours, scalar, *numbas = core_lanes.measure(core_lanes.CASES[name], "float64")
    assert scalar.function == "scalar form" and scalar.ulp == 0
    assert all(row.ulp <= 4 for row in numbas)
    assert all(row.seconds > 0 for row in (ours, scalar, *numbas))
