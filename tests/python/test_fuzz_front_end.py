"""Random changes of programs and of syntax data: errors of this package, and no crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(first: int, count: int) -> None:
    command = [sys.executable, "-X", "faulthandler", HERE / "fuzz_front_end.py", first, count]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    found = subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout[-500:] + found.stderr[-4000:]


def test_changed_programs_and_data():
    run(0, 1000)


@pytest.mark.slow
def test_many_changed_programs_and_data():
    run(int(os.environ.get("NUMPY_PLUGIN_TEST_SEED", "100000")), 50_000)
