"""The programs of docs/guide/scaling.md: jobs on a dask cluster, Ray and Spark, at a small size."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "ecosystem"
pytestmark = pytest.mark.slow


def run(name, *arguments, **environment):
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env={**os.environ, "PYTHONSAFEPATH": "1", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_job_larger_than_the_memory_of_its_workers():
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    arguments = ["--workers", "2", "--memory", "600 MB", "--gigabytes", "2", "--chunk"]
    counts = set()
    for chunk in ("16", "50"):
        printed = run("streamed_job.py", *arguments, chunk)
        counts.add(re.search(r"points, ([\d,]+) in the circle", printed)[1])
        grown = int(re.search(r"memory of a worker grew by (\d+) MB", printed)[1])
        assert grown < 12 * int(chunk)  # the indices, random numbers and flags of a few chunks
    assert len(counts) == 1


def test_one_device_a_worker():
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    printed = run(
        "gpu_workers.py", NUMPY_PLUGIN_CUDA="simulator", NUMPY_PLUGIN_SIMULATED_DEVICES="2"
    )
    assert printed.splitlines() == [
        "200,000 lengths from 2 devices",
        "GPU-6e707020-7369-6d75-6c61-746f72303000",
        "GPU-6e707020-7369-6d75-6c61-746f72303100",
    ]


def test_ray(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed")
    printed = run("ray_tasks.py", HOME=str(tmp_path), RAY_AUTH_MODE="disabled")
    assert "4 tasks\n" in printed


def test_spark():
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and this machine has none")
    assert "[5.0, 13.0, nan]\n" in run("spark_udf.py")
