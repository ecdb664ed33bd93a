"""Tests of what `make test` builds are left out where it is not built, which is said once."""

import shutil
import subprocess
import sys
from pathlib import Path

PYTHON_TESTS = Path(__file__).resolve().parents[1]
TESTS = """
import pytest
from machines.counting_driver import run_with_driver

@pytest.mark.parametrize("number", range(3))
def test_driver(number):
    run_with_driver("")

def test_other():
    pass
"""


def test_a_missing_driver_is_said_once(tmp_path):
    tree = tmp_path / "tests" / "python"
    (tree / "helpers").mkdir(parents=True)
    shutil.copy(PYTHON_TESTS / "conftest.py", tree)
    shutil.copytree(PYTHON_TESTS / "helpers" / "machines", tree / "helpers" / "machines")
    (tree / "test_driver.py").write_text(TESTS)
    options = ["-q", "-p", "no:cacheprovider", "-o", "pythonpath=tests/python/helpers"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={tmp_path}", "tests/python"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed, 3 skipped" in done.stdout
    said = "3 tests were left out: 'make test' has not built build/make/driver/libcuda.so.1"
    assert done.stdout.splitlines().count(said) == 1
