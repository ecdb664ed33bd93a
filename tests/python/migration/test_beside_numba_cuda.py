"""`numpy_plugin.numba.cuda` is found where Numba-CUDA is installed, whose finder is first."""

import subprocess
import sys

import pytest

# Searches as Numba-CUDA's finder does: by all finders, for any name with `numba.cuda` in it.
REDIRECTOR = """
import sys, types

class Redirector:
    @staticmethod
    def find_spec(name, path, target=None):
        if "numba.cuda" not in name:
            return None
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path)
        return next((spec for spec in found if spec is not None), None)

sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "NumbaCudaFinder"]
sys.meta_path.insert(0, Redirector)
sys.modules["_numba_cuda_redirector"] = types.ModuleType("_numba_cuda_redirector")
"""


def output_of(program):
    done = subprocess.run(
        [sys.executable, "-P", "-c", REDIRECTOR + program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", ["numpy_plugin.numba.cuda", "numpy_plugin.numba.cuda.random"])
def test_a_module_is_imported(name):
    assert output_of(f"import {name}; print({name}.__name__)") == name


def test_a_missing_module_is_not_found():
    assert output_of(
        "try: import numpy_plugin.numba.cuda.no_such_module\n"
        "except ModuleNotFoundError as error: print(error.name)"
    ) == ("numpy_plugin.numba.cuda.no_such_module")


def test_other_modules_are_left_to_other_finders():
    program = "import numpy_plugin.numba, importlib.util; print(importlib.util.find_spec('absent'))"
    assert output_of(program) == "None"
