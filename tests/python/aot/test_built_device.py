"""Ufuncs of a built module on device arrays, with its device code alone: NVRTC is hidden."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from long_runs import in_long_runs
from machines.counting_driver import run_with_driver
from machines.cuda_packages import PACKAGES
from machines.hidden_paths import TOOLKITS, hiding

from numpy_plugin import _core, build

DECLARED = Path(__file__).with_name("device_ufuncs.py")

HEAD = """
import json
import numpy as np
import numpy_plugin as npp
from numpy_plugin import cuda
import device_calls as built
def show(value):
    print(json.dumps(value))
simulator = cuda.simulator()
simulator.__enter__()
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory, request):
    """The directory of a module with PTX."""
    request.getfixturevalue("nvrtc")
    made = tmp_path_factory.mktemp("device")
    build.build(DECLARED, made / "device_calls", levels=_core.cpu_levels()[:1], arch=["compute_80"])
    return made


@pytest.fixture(scope="module")
def nvrtc():
    try:
        return _core.nvrtc_info(0)
    except RuntimeError as error:
        pytest.skip(f"there is no NVRTC: {error}")


@pytest.fixture
def run(directory, tmp_path):
    def run_program(program, status=0):
        done = subprocess.run(
            [sys.executable, "-P", "-c", HEAD + program],
            env={
                **os.environ,
                **hiding(TOOLKITS, str(PACKAGES)),
                "PATH": str(tmp_path),
                "PYTHONPATH": str(directory),
                "NUMPY_PLUGIN_CACHE_DIR": str(tmp_path / "cache"),
                "NUMPY_PLUGIN_CUDA": "simulator",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout) if status == 0 else done.stderr

    return run_program


def test_calls_on_device_arrays(run):
    program = """
x = np.random.default_rng(1).normal(size=(40, 30))
y = np.arange(30.0)
there, row = cuda.to_device(x), cuda.to_device(y)
f = built.largest
pairs = [(f(there, there), f(x, x)), (f(there, row), f(x, y)), (f(there.T, 2.0), f(x.T, 2.0)),
         (f(there[::2, 1::3], there[::2, 1::3]), f(x[::2, 1::3], x[::2, 1::3]))]
out = cuda.to_device(np.zeros_like(x))
mask = x > 0
f(there, there, out=out, where=cuda.to_device(mask))
pairs.append((out, f(x, x, out=np.zeros_like(x), where=mask)))
pairs.append((built.product(there, row), built.product(x, y)))
show([type(a).__name__ == "DeviceArray" and bool((a.copy_to_host() == b).all())
      for a, b in pairs])
"""
    assert run(program) == [True] * 6


def test_reductions_of_device_arrays(run):
    program = """
x = np.random.default_rng(1).normal(size=(40, 30))
there = cuda.to_device(x)
show([bool((built.largest.reduce(there, axis=axis).copy_to_host()
            == built.largest.reduce(x, axis=axis)).all()) for axis in (0, 1, None)])
"""
    assert run(program) == [True, True, True]


def test_kernels_raise_on_devices(run):
    program = """
try:
    built.checked(cuda.to_device(np.array([1.0, -4.0])))
except ValueError as error:
    show([str(error), error.element])
"""
    assert run(program) == ["-4.0 is negative", [1]]


def test_inspection_shows_the_declaration(run):
    program = """
show([npp.inspect(built.largest).signatures, "largest" in repr(npp.inspect(built.largest))])
"""
    assert run(program) == [["float64(float64, float64)"], True]


def test_code_that_is_not_in_the_module_needs_nvrtc(run):
    program = "built.largest(cuda.to_device(np.ones(5, np.float32)), 1.0, dtype='f8')"
    assert "NVRTC" in run(program, status=1)


def test_another_version_is_refused(run):
    program = """
npp.__version__ = "0.0.1"
try:
    built.largest(cuda.to_device(np.ones(5)), 1.0)
except RuntimeError as error:
    show([str(error), float(built.largest(1, 2))])
"""
    message, host = run(program)
    assert message.startswith("the module 'device_calls' was built by numpy_plugin ")
    assert message.endswith(
        "this is 0.0.1: its ufuncs take host arrays only\n  hint: build it again with this version"
    )
    assert host == 2.0


CALL_OF_A_GPU = """
import sys
sys.path.insert(0, {directory!r})
import gpu_calls as built
out = cuda.to_device(np.zeros(3))
try:
    built.doubled(cuda.to_device(np.arange(3.0)), out=out)
    print(*out.copy_to_host())
except npp.CompilerError as error:
    print("NVRTC" if "NVRTC" in str(error) else error)
"""
COMPUTED, NOT_EXECUTED = "0.0 2.0 4.0", "0.0 0.0 0.0"


@pytest.fixture(scope="module")
def call_of_gpu(tmp_path_factory, nvrtc):
    """Call the ufunc of a module with PTX and machine code on a stand-in for a GPU."""
    made = tmp_path_factory.mktemp("gpu")
    source, levels = DECLARED.with_name("gpu_ufuncs.py"), _core.cpu_levels()[:1]
    build.build(source, made / "gpu_calls", levels=levels, arch=["compute_80", "sm_86"])

    def call(settings):
        program = CALL_OF_A_GPU.format(directory=str(made))
        return run_with_driver(program, settings, **hiding(TOOLKITS, str(PACKAGES))).strip()

    return call


# The driver executes PTX, and accepts machine code without executing it.
@pytest.mark.parametrize(
    ("capability", "expected"),
    [(89, NOT_EXECUTED), (90, COMPUTED), *in_long_runs((86, NOT_EXECUTED), (75, "NVRTC"))],
    ids=["its major version's", "PTX", "its own", "too old"],
)
def test_gpus_get_the_best_code(call_of_gpu, capability, expected):
    assert call_of_gpu(f"capability={capability} version=13090") == expected


def test_drivers_older_than_the_code_need_nvrtc(call_of_gpu, nvrtc):
    if not nvrtc["version"].startswith("13."):
        pytest.skip("NVRTC is as old as the oldest driver here")
    assert call_of_gpu("capability=86 version=12000") == "NVRTC"
