"""Random programs report no kind of floating-point error that NumPy does not, in debug mode too."""

from __future__ import annotations

import os

import pytest
from random_programs.flags import flag_difference, flag_programs


def differences(seed: int, count: int) -> list[str]:
    programs, operands = flag_programs(seed, count)
    found = [flag_difference(program, operands) for program in programs]
    return [text for text in found if text]


@pytest.mark.parametrize("debug", ["0", "1"])
def test_twelve_programs(monkeypatch, debug):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", debug)
    assert differences(int(debug), 6) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_other_programs(seed):
    first = int(os.environ.get("NUMPY_PLUGIN_TEST_SEED", "100"))
    assert differences(first + seed, 20) == []
