"""`python -m numpy_plugin check` of other people's files: it fails for none of them."""

import importlib.util
import sysconfig
import warnings
from pathlib import Path

import pytest
from long_runs import in_long_runs
from random_programs.daily import SEED

from numpy_plugin._check.modules import Modules
from numpy_plugin._check.program import read_program
from numpy_plugin._commands.check import check

N_GROUPS = 80


def files():
    """Numba's, which have most of the kernels, and the standard library's."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    found = [each for each in stdlib.rglob("*.py") if "site-packages" not in each.parts]
    numba = importlib.util.find_spec("numba")
    for home in numba.submodule_search_locations if numba is not None else ():
        found += Path(home).rglob("*.py")
    return sorted(found)


def group(number):
    return files()[number::N_GROUPS]


TODAY = SEED % N_GROUPS
OTHERS = [number for number in range(N_GROUPS) if number != TODAY]


@pytest.mark.parametrize("number", [TODAY, *in_long_runs(*OTHERS)])
def test_every_file_is_checked(number):
    modules = Modules()
    outcomes = set()
    for file in group(number):
        try:
            program = read_program(file, modules)
        except (SyntaxError, UnicodeDecodeError):  # of files that tests read
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check(program)
        outcomes |= {each["outcome"] for each in found["kernels"]}
    assert outcomes <= {"works", "can't", "not checked"}
