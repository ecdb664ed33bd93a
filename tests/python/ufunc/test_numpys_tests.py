"""NumPy's own tests of ufuncs pass with ufuncs of this package in the place of NumPy's.

What is replaced and how is in `helpers/numpys_tests/substitutes.py`, what is expected to fail and
why in `helpers/numpys_tests/exclusions.txt`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpys_tests.exclusions import read_exclusions
from numpys_tests.substitutes import FORMS

HELPERS = Path(__file__).parents[1] / "helpers"
TESTS = Path(np.__file__).parent / "_core" / "tests"
QUICK_MODULES = ["test_datetime.py", "test_ufunc.py"]
MODULES = [*QUICK_MODULES, "test_mem_overlap.py", "test_umath.py"]
# With device arrays, the tests of calls and methods.
MODULES_OF = {"device": QUICK_MODULES}
# Of the tests of loops that this package has; the others fail for a reason in the table.
LEAST_CALLS_ON_DEVICES = {"few": 150, "all": 300}
LEAST_PASSED = {"declared": 0.99, "lazy": 0.99, "parallel": 0.99, "device": 0.95}


def run_numpys_tests(form: str, ufuncs: str, counts: Path) -> subprocess.CompletedProcess[str]:
    """Run the modules in a process of their own, with the cache of this one."""
    options = ["-q", "-p", "numpys_tests.plugin", "-p", "no:cacheprovider", "-c", os.devnull]
    options += [f"--rootdir={TESTS.parents[2]}", "--tb=short", f"--form={form}"]
    options += [f"--ufuncs={ufuncs}", f"--counts={counts}"]
    modules = MODULES_OF.get(form, MODULES if ufuncs == "all" else QUICK_MODULES)
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, *modules],
        cwd=TESTS,
        env={**os.environ, "PYTHONPATH": str(HELPERS)},
        capture_output=True,
        text=True,
    )


def check_numpys_tests(form: str, ufuncs: str, counts: Path) -> None:
    run = run_numpys_tests(form, ufuncs, counts)
    assert run.returncode == 0, run.stdout[-10_000:] + run.stderr[-2_000:]
    found = json.loads(counts.read_text())
    for module, outcomes in found["modules"].items():
        n_tests = outcomes["passed"] + outcomes.get("different", 0)
        assert outcomes["passed"] >= LEAST_PASSED[form] * n_tests, (module, outcomes)
    assert (found["calls on devices"] > LEAST_CALLS_ON_DEVICES[ufuncs]) == (form == "device")


# Declared loops, and the same cut into pieces, are in the long run, with all ufuncs.
@pytest.mark.parametrize("form", ["lazy", "device"])
def test_numpys_tests_pass_with_some_ufuncs(form, tmp_path):
    check_numpys_tests(form, "few", tmp_path / "counts.json")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_numpys_tests_pass_with_all_ufuncs(form, tmp_path):
    check_numpys_tests(form, "all", tmp_path / "counts.json")


def test_every_exclusion_says_which_forms_and_why():
    rows = read_exclusions()
    assert rows
    for row in rows:
        assert row.forms == "all" or set(row.forms.split(",")) < set(FORMS), row
        assert row.pattern.startswith(tuple(f"{module}::" for module in MODULES)), row
        assert len(row.reason.partition(":")[2]) > 10, row
