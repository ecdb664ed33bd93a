"""Kernels of the benchmark of lane blocks: all forms give the same results."""

import lane_blocks
import numpy as np
import pytest
from long_runs import in_long_runs

# A loop, halves, a function of tuples, an exception, a branch, and integers.
FIRST = ["escape time", "gray levels, float16", "escape time of a tuple", "raise, shuffled"]
FIRST += ["sRGB", "gcd, int16"]
OTHERS = [name for name in lane_blocks.CASES if name not in FIRST]


@pytest.mark.parametrize("name", [*FIRST, *in_long_runs(*OTHERS)])
def test_same_results(name):
    case = lane_blocks.CASES[name]
    operands = lane_blocks.operands(case, 100)
    lanes, *others = [f(*operands) for f in lane_blocks.forms(case).values()]
    for result in others:
        np.testing.assert_allclose(result, lanes, rtol=1e-9)


def test_a_row_for_each_case(monkeypatch):
    monkeypatch.setattr(lane_blocks, "ROUNDS", 1)
    monkeypatch.setattr(lane_blocks, "SIZES", (10, 20, 30))
    monkeypatch.setattr(lane_blocks, "CASES", {"gcd": lane_blocks.CASES["gcd"]})
    assert len(lane_blocks.measure()) == 1
