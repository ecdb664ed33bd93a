"""target="auto": host arrays stay on the CPU and no driver is opened, unless someone asks."""

import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from machines.counting_driver import run_with_driver
from machines.cuda_packages import PACKAGES
from machines.hidden_paths import TOOLKITS, hiding

import numpy_plugin as npp
from numpy_plugin import cuda

N = 1 << 16

# A driver without an entry point, which reports that it was opened.
DRIVER = """
#include <cstdio>
#include <cstdlib>
namespace { const bool is_opened = [] {
  if (std::FILE* file = std::fopen(std::getenv("DRIVER_LOG"), "a")) {
    std::fputs("opened\\n", file);
    std::fclose(file);
  }
  return true;
}(); }
"""

DECLARATIONS = """
import os, threading, warnings
import numpy as np
import numpy_plugin as npp

warnings.simplefilter("always")
X = np.linspace(0.5, 1.5, 1 << 17)
declared = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x * y + x;")
lazy = npp.vectorize(args="x", body="return x + 1;")
row_sum = npp.guvectorize(
    ["void(float64[:], float64[:])"], "(n)->()", args="x", outs="y",
    body="y(0) = 0; for (long i = 0; i < x.shape(0); ++i) y(0) += x(i);",
)

def calls():
    for _ in range(4):
        assert np.array_equal(declared(X, X), X * X + X)
        assert np.array_equal(lazy(X), X + 1)
        assert row_sum(X.reshape(-1, 2)).shape == (1 << 16,)
    declared(X, X, out=X.copy(), where=X > 1)
    declared.reduce(X[:9])
    declared.outer(X[:300], X[:300])
    declared.at(X.copy(), [0, 1], 2.0)
    declared(X.astype("f4"), X.tolist())
"""

DEFAULT_CALLS = f"""
{DECLARATIONS}
calls()
with np.errstate(all="raise"):
    declared(X, 2.0)
assert not os.path.exists(os.environ["DRIVER_LOG"]), "the driver was opened"
npp.cuda.is_available()
assert os.path.exists(os.environ["DRIVER_LOG"]), "this driver shows nothing"
"""

ASKED_CALLS = f"""
{DECLARATIONS}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    calls()
    calls()
print(*(f"{{item.category.__name__}}: {{item.message}}" for item in caught), sep="\\n")
print(os.path.exists(os.environ["DRIVER_LOG"]))
"""


@pytest.fixture(scope="module")
def driver_directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("driver")
    (directory / "driver.cpp").write_text(DRIVER)
    command = ["c++", "-shared", "-fPIC", "-o", "libcuda.so.1", "driver.cpp"]
    subprocess.run(command, cwd=directory, check=True)
    return directory


def run_python(program: str, driver_directory, tmp_path, **variables: str) -> str:
    """Run a program where the driver is that of the directory; return what it prints."""
    unset = ("NUMPY_PLUGIN_CUDA", "NUMPY_PLUGIN_AUTO")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"LD_LIBRARY_PATH": str(driver_directory), "DRIVER_LOG": str(tmp_path / "log")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment | variables,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("variables", [{}, {"NUMPY_PLUGIN_AUTO": "cpu"}], ids=["unset", "cpu"])
def test_calls_with_host_arrays_open_no_driver(driver_directory, tmp_path, variables):
    run_python(DEFAULT_CALLS, driver_directory, tmp_path, **variables)


def test_a_driver_that_cannot_be_used_is_warned_of_once(driver_directory, tmp_path):
    shown = run_python(ASKED_CALLS, driver_directory, tmp_path, NUMPY_PLUGIN_AUTO="device")
    warning, is_opened = shown.splitlines()
    assert warning.startswith(
        "RuntimeWarning: NUMPY_PLUGIN_AUTO=device: no GPU can be used (the CUDA driver is too old"
    )
    assert warning.endswith("; calls with host arrays run on the CPU")
    assert is_opened == "True"


SLOW_CALLS = f"""
{DECLARATIONS}
slow = npp.vectorize(
    ["float64(float64)"], args="x",
    body="double t = 0; for (int i = 0; i < 400; ++i) t += 1 / (x + i); return t;",
)
expected = slow(X)
with warnings.catch_warnings(record=True) as caught, npp.offload():
    warnings.simplefilter("always")
    for _ in range(4):
        assert np.array_equal(slow(X), expected)
"""

WITHOUT_NVRTC = f"""
{SLOW_CALLS}
print(*(item.message for item in caught))
"""


def test_without_nvrtc_calls_run_on_the_cpu(driver_directory, tmp_path):
    hidden = hiding(TOOLKITS, str(PACKAGES))
    shown = run_python(
        WITHOUT_NVRTC, driver_directory, tmp_path, NUMPY_PLUGIN_CUDA="simulator", **hidden
    )
    assert shown.startswith("numpy_plugin.offload(): 'numpy_plugin simulator (sm_90)' failed: ")
    assert "NVRTC" in shown
    assert shown.count("calls with host arrays run on the CPU") == 1


CALLS_OF_A_GPU = f"""
{SLOW_CALLS}
print(*(item.message for item in caught), sep="\\n")
there = npp.cuda.to_device(X)
for _ in range(2):
    try:
        slow(there)
    except RuntimeError as error:
        print(type(error).__name__, error)
assert np.array_equal(there.copy_to_host(), X)
assert np.array_equal(slow(X), expected)
calls()
"""


NO_CODE = {
    "newer": (
        "capability=150 version=12080",
        "CudaError",
        ["the CUDA driver failed to load '", " for sm_150: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"],
    ),
    "older": (
        "capability=30",
        "CompilerError",
        ["unknown architecture 'sm_30'; NVRTC ", " compiles for sm_", "; NVRTC 12 supports older"],
    ),
    "refused code": (
        "capability=90 version=12080",
        "CudaError",
        ["the CUDA driver failed to load '", " for sm_90: CUDA_ERROR_NO_BINARY", "newer driver"],
    ),
}


@pytest.mark.parametrize("reason", NO_CODE)
def test_a_gpu_that_takes_no_code(reason):
    settings, error, words = NO_CODE[reason]
    hidden = hiding(TOOLKITS, str(PACKAGES / "cuda_nvrtc"))
    warning, *errors = run_with_driver(CALLS_OF_A_GPU, settings, **hidden).splitlines()
    assert warning.startswith("numpy_plugin.offload(): '")
    assert "' failed: " in warning
    assert warning.endswith("; calls with host arrays run on the CPU")
    assert len(errors) == 2
    for line in [warning, *errors]:
        assert all(word in line for word in words), line
    assert all(line.startswith(f"{error} ") for line in errors)


def test_explain_says_who_has_to_ask():
    ufunc = npp.vectorize(["float64(float64)"], args="x", body="return x;")
    found = npp.inspect(ufunc).explain(np.ones(N))
    assert (found.place, found.why) == (
        "the CPU",
        "host arrays stay on the host unless numpy_plugin.offload() or NUMPY_PLUGIN_AUTO=device "
        "asks for a device",
    )


def test_another_word_in_the_variable_is_an_error(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_AUTO", "gpu")
    ufunc = npp.vectorize(["float64(float64)"], args="x", body="return x;")
    with pytest.raises(ValueError, match="NUMPY_PLUGIN_AUTO is 'gpu'; expected cpu or device"):
        ufunc(np.ones(N))
    assert ufunc(1.0) == 1


def spin(x, y):
    total = 0.0 * x
    for i in range(400):
        total += y / (x + i)
    return total


SIGNATURES = ["float32(float32, float32)"]
spin_here = npp.vectorize(SIGNATURES, target="cpu")(spin)


@pytest.fixture
def spinning():
    """A ufunc of which the CPU's rate is known: it is the slower one."""
    ufunc = npp.vectorize(SIGNATURES)(spin)
    with cuda.simulator(memory="64 MiB"), npp.offload():
        for _ in range(2):  # the time of a first call is not recorded
            ufunc(X, X)
    return ufunc


X = np.linspace(0.5, 1.5, N, dtype="f4")


def test_a_scope_is_left_and_is_of_its_thread_alone(spinning):
    with cuda.simulator(memory="64 MiB") as device:
        spinning(X, X)
        with npp.offload():
            with npp.offload():
                pass
            thread = threading.Thread(target=spinning, args=(X, X))
            thread.start()
            thread.join()
            assert device.counters.launches == 0
            np.testing.assert_array_equal(spinning(X, X), spin_here(X, X))
            assert device.counters.launches == 1
        with pytest.raises(ZeroDivisionError), npp.offload():
            raise ZeroDivisionError
        spinning(X, X)
        assert device.counters.launches == 1


FAULTS = {
    "no memory for the first buffer": {"faults": {"allocation": 1}},
    "no memory later": {"faults": {"allocation": 3}},
    "no memory at all": {"memory": "4 KiB"},
    "a launch": {"faults": {"launch": 1}},
    "a lost device": {"faults": {"lost": 1}},
    "a kernel that makes no progress": {"max_steps": 5},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_device_that_fails_is_warned_of_once(spinning, fault):
    expected = spin_here(X, X)
    out = np.zeros(N, "f8")[::-1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with cuda.simulator(**{"memory": "64 MiB", **FAULTS[fault]}) as device, npp.offload():
            np.testing.assert_array_equal(spinning(X, X), expected)
            before = device.counters.launches
            assert spinning(X, X, out=out) is out
            np.testing.assert_array_equal(out, expected)
            assert device.counters.launches == before
            assert npp.inspect(spinning).explain(X, X).place == "the CPU"
    (item,) = caught
    assert item.category is RuntimeWarning
    assert item.filename == __file__
    assert str(item.message).startswith("numpy_plugin.offload(): 'numpy_plugin simulator")
    assert str(item.message).endswith("; calls with host arrays run on the CPU")


def test_a_warning_that_is_an_error_leaves_the_next_call_right(spinning):
    faulty = cuda.simulator(memory="64 MiB", faults={"launch": 1})
    with faulty, npp.offload(), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="failed"):
            spinning(X, X)
        np.testing.assert_array_equal(spinning(X, X), spin_here(X, X))


def test_a_call_in_place_is_not_made_twice():
    """A device that fails after a part of it would leave NumPy other operands."""
    ufunc = npp.vectorize(SIGNATURES)(spin)
    many = np.linspace(0.5, 1.5, 1 << 20, dtype="f4")  # two pieces
    with cuda.simulator(memory="64 MiB", faults={"launch": 2}) as device, npp.offload():
        for _ in range(2):
            ufunc(many, many)
        given = many.copy()
        assert ufunc(given, many, out=given) is given
        np.testing.assert_array_equal(given, spin_here(many, many))
        assert device.counters.launches == 0


def test_what_no_device_reads_is_no_failure(spinning):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cuda.simulator(memory="64 MiB") as device, npp.offload():
            out = np.zeros(N, np.longdouble)
            spinning(X, X, out=out)
            np.testing.assert_array_equal(out, spin_here(X, X))
            assert device.counters.launches == 0
            spinning(X, X)
            assert device.counters.launches == 1


def test_generalized_calls_that_a_device_fails():
    loop = (
        "for (long i = 0; i < x.shape(0); ++i)"
        "  for (int j = 0; j < 400; ++j) y(0) += 1 / (x(i) + j);"
    )
    declare = {"args": "x", "outs": "y", "body": "y(0) = 0; " + loop}
    signature = ["void(float64[:], float64[:])"], "(n)->()"
    ufunc, here = (
        npp.guvectorize(*signature, **declare),
        npp.guvectorize(*signature, target="cpu", **declare),
    )
    x = np.linspace(0.5, 1.5, N).reshape(-1, 16)
    with cuda.simulator(memory="64 MiB", faults={"launch": 1}), npp.offload():
        for _ in range(2):
            ufunc(x)
        with pytest.warns(RuntimeWarning, match="failed"):
            np.testing.assert_array_equal(ufunc(x), here(x))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(ufunc(x), here(x))
