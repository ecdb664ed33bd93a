"""The benchmark of generalized ufuncs: its contestants compute the same, not how fast."""

from __future__ import annotations

import gufuncs
import numpy as np
import pytest


@pytest.mark.parametrize("contest", [gufuncs.matrix_products, gufuncs.norms])
def test_contestants_agree(contest, monkeypatch):
    monkeypatch.setattr(gufuncs, "N_ITEMS", 64)
    contestants = dict(contest(4))
    # Numba's ufuncs return nothing: their results are operands.
    contestants.pop("Numba", None)
    results = {name: np.array(run()) for name, run in contestants.items()}
    for name, result in results.items():
        np.testing.assert_allclose(result, results[gufuncs.OURS], rtol=1e-13, err_msg=name)
