"""Other libraries' programs on the simulated driver, by `simulator run`."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from machines.cuda_packages import skip_without_numba_cuda

PROGRAMS = Path(__file__).with_name("programs")
NAME = "numpy_plugin simulator (sm_90)"


def is_installed(package):
    """Whether there is a package, whose parents may be missing."""
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def output_of(name, package, distribution):
    """The lines of a program that ended well; skips the test without its library."""
    if not is_installed(package):
        pytest.skip(f"{distribution} is not installed")
    program = PROGRAMS / f"{name}.py"
    done = subprocess.run(
        [sys.executable, "-P", "-m", "numpy_plugin", "simulator", "run", str(program)],
        env={**os.environ, "PYTHONPATH": str(PROGRAMS)},  # they import each other
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_cuda_bindings():
    assert output_of("cuda_bindings_program", "cuda.bindings", "cuda-bindings") == [
        f"{NAME} of 1",
        "saxpy",
        "cooperative launch, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "graph",
        "CUDA_ERROR_LAUNCH_FAILED",
    ]


def test_cuda_core():
    lines = output_of("cuda_core_program", "cuda.core", "cuda-core")
    assert lines == [f"{NAME} ComputeCapability(major=9, minor=0)", "kernels"]


def test_pycuda():
    # It is built from source, for which CUDA's headers and libcuda's stub must be installed.
    lines = output_of("pycuda_program", "pycuda.driver", "pycuda")
    assert lines == [
        f"{NAME} (9, 0)",
        "scaled",
        "rows of 512 bytes",
        "cuCtxSynchronize failed: an illegal memory access was encountered",
    ]


def test_cooperative_groups():
    lines = output_of("cooperative_groups_program", "cuda.bindings", "cuda-bindings")
    assert lines == ["tiles", "scans", "coalesced", "labels"]


def test_numba_cuda():
    skip_without_numba_cuda()
    lines = output_of("numba_cuda_program", "numba_cuda", "numba-cuda")
    assert lines == [
        NAME,
        "kernels",
        "ufunc",
        "reduction",
        "streams",
        "barriers of grids",
        "[<CUresult.CUDA_ERROR_ILLEGAL_ADDRESS: 700>] Call to cuCtxSynchronize results in "
        "CUDA_ERROR_ILLEGAL_ADDRESS",
    ]
