"""Kernels for the levels of x86-64: NUMPY_PLUGIN_CPU, on processors that have the instructions."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
from long_runs import in_long_runs
from machines import cpu_levels
from machines.own_levels import LEVELS, OWN_LEVELS

import numpy_plugin as npp

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="levels of x86-64")


def _run(level):
    result = subprocess.run(
        [sys.executable, "-P", cpu_levels.__file__],
        env={**os.environ, "NUMPY_PLUGIN_CPU": level},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def native():
    return _run("native")


# The second level has the registers of the first.
OTHERS = [level for level in LEVELS if level != "x86-64-v2"]


@pytest.mark.parametrize("level", [*OTHERS, *in_long_runs("x86-64-v2")])
def test_values_of_all_levels(level, native):
    """Guarantee (a) of explanation/floating_point.md holds between levels, (b) for functions."""
    if level not in OWN_LEVELS:
        pytest.skip(f"this processor has no {level}")
    found = _run(level)
    assert found["digests"] == native["digests"]
    for dtype, bound in (("f", 2e-5), ("d", 1e-13)):
        np.testing.assert_allclose(found["close"][dtype], native["close"][dtype], rtol=bound)
    widest = {"x86-64-v3": "ymm", "x86-64-v4": "zmm"}.get(level, "xmm")
    allowed = ("xmm", "ymm", "zmm")
    assert set(found["registers"]) <= set(allowed[: allowed.index(widest) + 1])
    assert widest in found["registers"]


@pytest.mark.parametrize("name", ["x86-64-v5", "avx2", "-O0", "native "])
def test_levels_that_do_not_exist(name, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CPU", name)
    message = f"NUMPY_PLUGIN_CPU is '{name}'; expected native, x86-64, x86-64-v2, "
    with pytest.raises(ValueError, match=message):
        npp.vectorize(["float64(float64)"], args="x", body="return x + 0.625;")
    monkeypatch.delenv("NUMPY_PLUGIN_CPU")
    assert npp.vectorize(["float64(float64)"], args="x", body="return x + 0.625;")(1.0) == 1.625
