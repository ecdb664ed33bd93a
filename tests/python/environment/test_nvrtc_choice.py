"""NVRTC on strange machines: from pip alone, beside a toolkit, for old drivers and new GPUs."""

import itertools

import pytest
from long_runs import in_long_runs
from machines.counting_driver import run_with_driver
from machines.cuda_packages import PACKAGES, installed_library
from machines.hidden_paths import TOOLKITS, hiding

import numpy_plugin as npp
from numpy_plugin import _core

CALL = """
f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x * y + x;", cache=False)
x = cuda.to_device(np.arange(5, dtype=np.float32))
try:
    result = f(x, x).copy_to_host()
    print("computed", *result)
except (npp.CompilerError, npp.CudaError) as error:
    print(type(error).__name__, error)
from numpy_plugin import _core
print(_core.nvrtc_info(10 * sum(n * m for n, m in zip(_core.driver_version(), (100, 1))))["path"])
"""
COMPUTED = "computed 0.0 2.0 6.0 12.0 20.0"

CU12 = str(PACKAGES / "cuda_nvrtc")
CU13 = str(PACKAGES / "cu13")


def call(settings, *hidden):
    installed_library("nvrtc", 12), installed_library("nvrtc", 13)
    first, path = run_with_driver(CALL, settings, **hiding(*hidden)).splitlines()
    return first, path


def test_pip_alone_is_enough():
    result, path = call("capability=150 version=13090", TOOLKITS)
    assert result == COMPUTED
    assert path.startswith(CU13)


def test_the_newest_of_the_drivers_major_version_is_taken():
    path = call("capability=90 version=13000")[1]
    assert path.startswith(CU13), "an older toolkit was preferred"
    assert call("capability=90 version=12020")[1].startswith(CU12)
    assert call("capability=90 version=14000")[1].startswith(CU13)


# By default the oldest and the newest version, and the oldest and the newest GPU.
DRIVERS = [(12080, 120), (12090, 90), (13050, 75)]
OTHER_DRIVERS = set(itertools.product([12080, 12090, 13000, 13050], [75, 90, 120])) - set(DRIVERS)


@pytest.mark.parametrize(
    ("version", "capability"), [*DRIVERS, *in_long_runs(*sorted(OTHER_DRIVERS))]
)
def test_every_driver_takes_the_machine_code(version, capability):
    result, _ = call(f"capability={capability} version={version}", TOOLKITS)
    assert result.startswith("computed")


@pytest.mark.parametrize("capability", [99, *in_long_runs(109, 129)])
def test_a_newer_gpu_of_a_known_major_version_takes_machine_code(capability):
    assert call(f"capability={capability} version=13090", TOOLKITS)[0].startswith("computed")


def test_a_gpu_of_a_later_major_version_takes_ptx_no_newer_than_its_driver():
    assert call("capability=150 version=13090", TOOLKITS)[0] == COMPUTED
    assert call("capability=150 version=12090", TOOLKITS)[0] == COMPUTED


def test_a_gpu_older_than_nvrtc_13_takes_nvrtc_12():
    assert call("capability=70 version=13000", TOOLKITS)[0].startswith("computed")


REFUSED = {
    "NO_BINARY_FOR_GPU": ("capability=90 version=12080", (CU12, TOOLKITS), 12),
    "UNSUPPORTED_PTX_VERSION": ("capability=150 version=12080", (CU12, TOOLKITS), 12),
    "UNSUPPORTED_PTX_VERSION of a minor version": (
        "capability=150 version=13000",
        (CU12, TOOLKITS),
        13,
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refused_code_names_driver_nvrtc_and_what_to_install(reason):
    settings, hidden, major = REFUSED[reason]
    result, _ = call(settings, *hidden)
    version = settings.rpartition("=")[2]
    name = reason.partition(" ")[0]
    own = _core.nvrtc_info()["version"]
    assert result.startswith("CudaError the CUDA driver failed to load 'body'")
    assert f"compiled by NVRTC {own} for sm_" in result
    assert f"CUDA_ERROR_{name}" in result
    assert f"this driver of CUDA {version[:2]}.{int(version[2:4])} loads" in result
    assert f'pip install "numpy_plugin[cuda{major}]"' in result


def test_a_gpu_that_no_installed_nvrtc_knows_names_the_extra():
    result, _ = call("capability=70 version=13000", CU12, TOOLKITS)
    assert result.startswith("CompilerError unknown architecture 'sm_70'")
    assert 'pip install "numpy_plugin[cuda12]"' in result


def test_without_any_nvrtc_the_extra_is_named():
    program = CALL.partition("from numpy_plugin import _core")[0]
    shown = run_with_driver(program, **hiding(CU12, CU13, TOOLKITS))
    assert shown.startswith("CompilerError no NVRTC")
    assert 'pip install "numpy_plugin[cuda]"' in shown
    assert npp.__version__
