"""The conformance suite of the array API standard, for the namespace of device arrays.

The suite is no package: it is read from a directory beside the repository's.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import numpy_plugin
from numpy_plugin import array_api, cuda

ROOT = Path(__file__).resolve().parents[3]
SUITE = Path(os.environ.get("ARRAY_API_TESTS_DIR", ROOT.parent / "shared" / "array-api-tests"))
SKIPS = Path(__file__).with_name("array_api_skips.txt")
GROUPS = [
    "array_object",
    "constants",
    "creation_functions",
    "data_type_functions",
    "has_names",
    "indexing_functions",
    "inspection_functions",
    "linalg",
    "manipulation_functions",
    "operators_and_elementwise_functions",
    "searching_functions",
    "set_functions",
    "signatures",
    "sorting_functions",
    "statistical_functions",
    "utility_functions",
]
# The functions of elements and of matrices are NumPy's ufuncs: test_device_operators.py has each of
# them. Signatures are tried with an operator each.
LONG_GROUPS = ["linalg", "operators_and_elementwise_functions", "signatures"]
EXAMPLES = os.environ.get("ARRAY_API_TESTS_EXAMPLES", "1")


def skips_of(groups, directory):
    """Write the file of what is left out of these groups; the suite warns of other names."""
    files = tuple(f"array_api_tests/test_{group}.py::" for group in groups)
    names = [line for line in SKIPS.read_text().splitlines() if line.startswith(files)]
    path = directory / "skips.txt"
    path.write_text("\n".join(names) + "\n")
    return path


def run_suite(groups, directory):
    """Run groups of the suite on a simulated device; return the process."""
    environment = {
        "ARRAY_API_TESTS_MODULE": "numpy_plugin.array_api",
        "ARRAY_API_TESTS_VERSION": array_api.__array_api_version__,
        "HYPOTHESIS_STORAGE_DIRECTORY": str(directory / "hypothesis"),
        "NUMPY_PLUGIN_CUDA": "simulator",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(SUITE),
    }
    options = [
        f"--max-examples={EXAMPLES}",
        "--disable-deadline",
        f"--skips-file={skips_of(groups, directory)}",
    ]
    options += ["--derandomize"] if EXAMPLES == "1" else []
    options += ["-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:xdist"]
    files = [f"array_api_tests/test_{group}.py" for group in groups]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--basetemp={directory / 'temp'}", *files],
        cwd=SUITE,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(
    not (SUITE / "array_api_tests").is_dir(),
    reason=f"array-api-tests is not in {SUITE}; ARRAY_API_TESTS_DIR names its directory",
)
@pytest.mark.parametrize(
    ("groups", "n_passed"),
    [
        ([group for group in GROUPS if group not in LONG_GROUPS], 250),
        pytest.param(LONG_GROUPS, 270, marks=[] if EXAMPLES != "1" else pytest.mark.slow),
    ],
    ids=["most groups", "long groups"],
)
def test_conformance(groups, n_passed, tmp_path):
    result = run_suite(groups, tmp_path)
    lines = result.stdout.splitlines()
    assert result.returncode == 0, "\n".join(lines[-150:]) + result.stderr
    assert " passed" in lines[-1] and " failed" not in lines[-1]
    assert int(lines[-1].split(" passed")[0].split()[-1]) > n_passed
    assert "don't match any collected tests" not in result.stdout


# --- what the suite does not ask ---


def test_versions_of_the_standard():
    with cuda.simulator():
        x = cuda.ones(2)
        assert x.__array_namespace__() is numpy_plugin.array_api
        assert x.__array_namespace__(api_version="2021.12") is array_api
        with pytest.raises(ValueError, match=r"unknown version '2030\.12' .* 2024\.12"):
            x.__array_namespace__(api_version="2030.12")


def test_asarray_copies_when_asked():
    with cuda.simulator() as device, cuda.simulator() as other:
        with device:
            x = cuda.arange(3)
        assert array_api.asarray(x) is x
        assert array_api.asarray(x, copy=False) is x
        copied = array_api.asarray(x, copy=True)
        copied[0] = 9
        assert x.tolist() == [0, 1, 2] and copied.device is device
        moved = array_api.asarray(x, device=other)
        assert moved.device is other and moved.tolist() == [0, 1, 2]
        for wrong in ({"dtype": array_api.float32}, {"device": other}):
            with pytest.raises(ValueError, match="needs a copy, and copy is False"):
                array_api.asarray(x, copy=False, **wrong)
        with pytest.raises(ValueError, match="can't be used on a device without a copy"):
            array_api.asarray([1, 2], copy=False)
        assert array_api.zeros(2, device=device).device is device


def test_kinds_of_dtypes():
    info = array_api.__array_namespace_info__()
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]
    with pytest.raises(ValueError, match="unknown kind 'floating'; expected one of bool, signed"):
        info.dtypes(kind="floating")
    with cuda.simulator() as device:
        assert info.default_device() is device
        assert info.devices() == [device]


def test_descending_sorts_are_stable():
    with cuda.simulator():
        x = array_api.asarray([2, 1, 2, 3, 1])
        assert array_api.argsort(x, descending=True).tolist() == [3, 0, 2, 1, 4]
        assert array_api.sort(x, descending=True).tolist() == [3, 2, 2, 1, 1]
