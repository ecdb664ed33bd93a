"""A private cache for the whole run, and tests that need a GPU left out where there is none."""

import gc
import os
import shutil
import tempfile
import warnings
from collections import Counter

import pytest
from machines.counting_driver import NOT_BUILT

# Before any test imports the package: entries of earlier runs are not found, and none are left
# behind. The processes of pytest-xdist share the directory of the one that started them.
_IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
if not _IS_WORKER:
    os.environ["NUMPY_PLUGIN_CACHE_DIR"] = tempfile.mkdtemp(prefix="numpy_plugin_tests_")
_CACHE = os.environ["NUMPY_PLUGIN_CACHE_DIR"]
_COLLECTS_FROM_THE_END = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
# Every import of NumPy, in hundreds of processes, would start a thread a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# Files with few, long tests: started last, they would keep one process busy and the others idle.
_LONG = {
    "test_array_api.py",
    "test_fuzz_front_end.py",
    "test_gpu_check.py",
    "test_numpys_tests.py",
    "test_nvrtc.py",
    "test_ptx_inventory.py",
    "test_random_flags.py",
    "test_random_programs.py",
    "test_semantics_table.py",
}


# What is collected stays: garbage collections, which some tests ask for, need not go through it.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config):
    if not _IS_WORKER:
        shutil.rmtree(_CACHE, ignore_errors=True)


def pytest_terminal_summary(terminalreporter):
    """Say once what is not built, however many tests need it."""
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    for reason, n_tests in Counter(reason for reason in reasons if NOT_BUILT in reason).items():
        text = f"{n_tests} tests were left out: {reason.removeprefix('Skipped: ')}"
        terminalreporter.write_line(text, yellow=True)


def why_no_gpu() -> str:
    """Why tests marked `gpu` can't run here; empty where they can."""
    from numpy_plugin import cuda

    has_gpu = any(not device.is_simulated for device in cuda.gpus)
    return "" if has_gpu else "no CUDA GPU in this machine, or no driver for it"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """Let every other process collect from the end.

    Modules compile kernels: processes in the same order would all compile the same ones at once,
    and find none in the cache of kernels, nor in that of Python's code.
    """
    report = yield
    if _COLLECTS_FROM_THE_END and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: (item.path.name not in _LONG, item.path))
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and (reason := why_no_gpu()):
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def nvrtc():
    """What NVRTC says of itself; the test is left out where there is none."""
    from numpy_plugin import CompilerError, _core

    try:
        return _core.nvrtc_info()
    except CompilerError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def device():
    """This thread's device: a simulated one, or that of the machine's driver."""
    from machines.device_under_test import device_under_test

    with device_under_test() as made:
        yield made


@pytest.fixture(scope="module")
def simulator():
    """A small simulated device, this thread's."""
    from numpy_plugin import cuda

    with cuda.simulator(memory="64 MiB") as made:
        yield made


@pytest.fixture
def quiet():
    """No warnings, of NumPy or of others."""
    import numpy as np

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    """A cache directory of this test's own, for this process and its children."""
    directory = tmp_path / "cache"
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(directory))
    return directory


@pytest.fixture
def compiler_log(tmp_path, monkeypatch):
    """A real compiler behind a script that writes a line a compilation; call it for those lines."""
    real = next(path for name in ("g++", "c++", "clang++") if (path := shutil.which(name)))
    log = tmp_path / "compilations"
    log.write_text("")
    script = tmp_path / "logged_compiler"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *--version*) ;; *) echo compiled >> {log} ;; esac\n'
        f'exec {real} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", str(script))
    return lambda: log.read_text().splitlines()
