"""A pytest plugin: NumPy's test modules find ufuncs of this package under NumPy's names.

Only what the tests themselves call is replaced: NumPy's own Python code and its operators keep
NumPy's loops.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from machines.device_under_test import device_under_test

from numpys_tests.exclusions import KINDS, find_exclusion, read_exclusions
from numpys_tests.on_device import OnDevice
from numpys_tests.substitutes import ALL, FEW, FORMS, MISSING_TYPES, substitute

# : Modules that NumPy imports lazily, and adds only to the original module.
IMPORTED_LATE = ["ctypeslib", "dtypes", "fft", "linalg", "ma", "polynomial", "random", "testing"]

# : Tests of functions that report whether arrays share memory: no ufunc is called.
OF_SHARED_MEMORY = ("test_may_share", "test_shares", "test_diophantine", "test_internal_overlap")

# : Left to the run with all ufuncs: tests that fill gigabytes, and that need a loop of each type.
LONG_TESTS = (
    "test_identityless_reduction_huge_array",
    "test_reduce_zero_axis",
    "test_ufunc_at_inner_loops",
    "test_at_negative_indexes",
)

_SUBSTITUTES = pytest.StashKey[dict[str, np.ufunc]]()
# : NumPy's ufuncs that a module keeps: it removes them from its list of object ufuncs.
KEPT = {"test_ufunc": ["bitwise_count"]}

_counts: dict[str, Counter[str]] = defaultdict(Counter)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--form", choices=FORMS, required=True)
    parser.addoption("--ufuncs", choices=["few", "all"], required=True)
    parser.addoption("--counts", required=True, help="file for the outcomes of each module")


def pytest_configure(config: pytest.Config) -> None:
    names = FEW.split() if config.getoption("--ufuncs") == "few" else ALL
    form = config.getoption("--form")
    if form == "device":
        devices = ExitStack()
        devices.enter_context(device_under_test())
        config.add_cleanup(devices.close)
        # Adds loops to what it finds under NumPy's names, which are no ufuncs here.
        importlib.import_module("numpy._core._rational_tests")
    config.stash[_SUBSTITUTES] = {name: substitute(name, form) for name in names}


def namespaces(ufuncs: dict[str, np.ufunc]) -> dict[str, ModuleType]:
    """Return copies of NumPy's modules in which the ufuncs are, by name."""
    for name in IMPORTED_LATE:
        importlib.import_module(f"numpy.{name}")
    modules = {name: sys.modules[name] for name in ("numpy", "numpy._core", "numpy._core.umath")}
    numpys = {id(getattr(np._core.umath, name)): ufunc for name, ufunc in ufuncs.items()}
    copies = {name: ModuleType(name) for name in modules}
    for name, copy in copies.items():
        for key, value in vars(modules[name]).items():  # aliases such as np.abs too
            setattr(copy, key, numpys.get(id(value), value))
    copies["numpy"].typecodes = {
        kind: "".join(code for code in codes if code not in MISSING_TYPES)
        for kind, codes in np.typecodes.items()
    }
    # Runs tests of long double, which this package lacks, with supported types.
    copies["numpy"].longdouble, copies["numpy"].clongdouble = np.float64, np.complex128
    copies["numpy"]._core = copies["numpy._core"]
    copies["numpy._core"].umath = copies["numpy._core.umath"]
    return copies


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    if not isinstance(collector, pytest.Module):
        return (yield)
    ufuncs = dict(collector.config.stash[_SUBSTITUTES])
    for name in KEPT.get(collector.path.stem, []):
        ufuncs.pop(name, None)
    with pytest.MonkeyPatch.context() as patch:
        for name, copy in namespaces(ufuncs).items():
            patch.setitem(sys.modules, name, copy)
        return (yield)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    form, rows = config.getoption("--form"), read_exclusions()
    is_complete = config.getoption("--ufuncs") == "all"
    left_out = OF_SHARED_MEMORY if is_complete else OF_SHARED_MEMORY + LONG_TESTS
    tests_of_ufuncs = [item for item in items if not item.name.startswith(left_out)]
    config.hook.pytest_deselected(items=[item for item in items if item not in tests_of_ufuncs])
    items[:] = tests_of_ufuncs
    for item in items:
        if (row := find_exclusion(rows, form, item.nodeid)) is not None:
            item.add_marker(pytest.mark.xfail(reason=row.reason, strict=is_complete))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        module = report.nodeid.partition("::")[0].rpartition("/")[2]
        _counts[module][_outcome(report)] += 1


def _outcome(report: pytest.TestReport) -> str:
    reason = getattr(report, "wasxfail", None)
    if reason is None or report.outcome == "passed":
        return report.outcome
    # NumPy's own expected failures have other reasons.
    return reason.partition(":")[0] if reason.startswith(KINDS) else "skipped"


def pytest_sessionfinish(session: pytest.Session) -> None:
    found = {"modules": _counts, "calls on devices": OnDevice.n_calls}
    Path(session.config.getoption("--counts")).write_text(json.dumps(found))
