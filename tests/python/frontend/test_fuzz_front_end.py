"""Random changes of programs, of syntax data and of pickles: errors, and no crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from random_programs.daily import SEED

HELPERS = Path(__file__).parents[1] / "helpers"


def run(program: str, first: int, count: int) -> None:
    command = [sys.executable, "-X", "faulthandler", HELPERS / program, first, count]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])}
    found = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout[-500:] + found.stderr[-4000:]


def test_changed_programs_and_data():
    run("fuzz/front_end.py", SEED, 100)


def test_changed_pickles():
    run("fuzz/pickles.py", SEED, 40)


@pytest.mark.slow
def test_many_changed_programs_and_data():
    run("fuzz/front_end.py", SEED, 50_000)


@pytest.mark.slow
def test_many_changed_pickles():
    run("fuzz/pickles.py", SEED, 5_000)
