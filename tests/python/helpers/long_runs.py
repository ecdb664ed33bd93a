"""Cases of parametrized tests that only `make test-slow` runs."""

from __future__ import annotations

from typing import Any

import pytest


def in_long_runs(*cases: Any) -> list[Any]:
    """Return the cases marked as slow; a tuple holds the values of several parameters."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]
