"""Ranges that a profiler sees: compilations and launches, by a library that NVTX opens."""

import subprocess
import sysconfig
from pathlib import Path

import pytest
from machines.fresh_process import run_python

RECORDER = Path(__file__).resolve().parents[1] / "helpers" / "profiler" / "range_recorder.cpp"

PROGRAM = """
import numpy as np
import numpy_plugin as npp
from numpy_plugin import cuda
f = npp.vectorize(["float64(float64)"], name="seen", args="x", body="return x + 0.5;", cache=False)
with cuda.simulator():
    x = cuda.to_device(np.ones(10))
    f(x)
    f(x)
    cuda.kernel("__global__ void mark(int* p) { *p = 1; }", "mark")[1, 1](cuda.zeros(1, np.int32))
print(f(1.0))
"""


@pytest.fixture
def recorder(tmp_path):
    """The compiled library."""
    packages = Path(sysconfig.get_paths()["purelib"], "nvidia/cu13/include")
    directories = [packages, Path("/usr/local/cuda/include")]
    include = next((path for path in directories if (path / "nvtx3").is_dir()), None)
    if include is None:
        pytest.skip("the headers of NVTX are not installed: pip install nvidia-nvtx")
    library = tmp_path / "librange_recorder.so"
    command = ["g++", "-std=c++20", "-shared", "-fPIC", "-o", library, f"-I{include}", RECORDER]
    subprocess.run(command, check=True)
    return library


def test_compilations_and_launches_are_ranges(recorder, tmp_path, nvrtc):
    ranges = tmp_path / "ranges"
    printed = run_python(PROGRAM, NVTX_INJECTION64_PATH=str(recorder), RANGE_FILE=str(ranges))
    assert printed == "1.5"
    lines = ranges.read_text().splitlines()
    begun = [line.removeprefix("begin numpy_plugin: ") for line in lines if line != "end"]
    assert begun[0] == "compile 'seen' for float64(float64)"
    assert begun[1] == "compile 'seen' for float64(float64) for sm_90"
    assert begun[2:4] == ["launch seen (npp_contiguous_0)"] * 2
    assert begun[-1] == "launch mark"
    assert lines.count("end") == len(begun)
    depth = 0
    for line in lines:
        depth += -1 if line == "end" else 1
        assert depth >= 0


def test_a_library_that_is_missing_changes_nothing(tmp_path, nvrtc):
    assert run_python(PROGRAM, NVTX_INJECTION64_PATH=str(tmp_path / "absent.so")) == "1.5"
