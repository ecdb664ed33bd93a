"""The benchmark of generalized ufuncs: its contestants compute the same, not how fast."""

from __future__ import annotations

import gufuncs
import numpy as np
import pytest


@pytest.mark.parametrize("contest", [gufuncs.matrix_products, gufuncs.norms, gufuncs.deviations])
def test_contestants_agree(contest, monkeypatch):
    monkeypatch.setattr(gufuncs, "N_ITEMS", 64)
    ours, operands, others = contest(4)
    expected = ours(*operands)
    assert len(others) >= 2
    for name, other in others.items():
        np.testing.assert_allclose(other(*operands), expected, rtol=1e-13, err_msg=name)
