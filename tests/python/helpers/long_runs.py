"""Cases of parametrized tests that only `make test-slow` runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest


def in_long_runs(*cases: Any) -> list[Any]:
    """Return the cases marked as slow; a tuple holds the values of several parameters."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]


def one_in(n: int, *values: Iterable[Any]) -> list[Any]:
    """Return all combinations of values, one in n of them for the default run.

    These go diagonally through the values of each parameter, so that each value is there.
    """
    default, others = [], []
    for counted in itertools.product(*map(enumerate, values)):
        indices, case = zip(*counted, strict=True)
        (others if sum(indices) % n else default).append(case if len(case) > 1 else case[0])
    return [*default, *in_long_runs(*others)]
