"""Numba-CUDA, an independent client, runs on the simulated driver."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from numpy_plugin import cuda

CLIENT = Path(__file__).parents[1] / "helpers" / "numba_client.py"


@pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None,
    reason="Numba-CUDA is not installed; install it with pip install 'numpy_plugin[numba]'",
)
def test_numba_runs_on_the_simulated_driver(tmp_path):
    (tmp_path / "libcuda.so.1").symlink_to(cuda.SIMULATOR_PATH)
    result = subprocess.run(
        [sys.executable, "-P", str(CLIENT)],
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[0] == "device numpy_plugin simulator (sm_90)"
    assert result.stdout.splitlines()[-1] == "all is as it should be"
