"""A plugin of pytest: what needs a package that this machine lacks is left out, with the reason."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Any

import pytest

#: Whose absence is an error: they travel with the tests.
OURS = "numpy_plugin"


def missing_package(excinfo: Any) -> str:
    """Return the package whose import failed because it is not installed; else an empty string."""
    error = None if excinfo is None else excinfo.value
    while error is not None and not isinstance(error, ModuleNotFoundError):
        error = error.__cause__
    package = "" if error is None else (error.name or "").partition(".")[0]
    is_there = package == OURS or not package or importlib.util.find_spec(package) is not None
    return "" if is_there else package


def leave_out(report: Any, path: str, package: str) -> None:
    """Turn a failure into a skip."""
    report.outcome = "skipped"
    report.longrepr = (path, None, f"Skipped: {package} is not installed")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: Any) -> Any:
    """Leave out a file whose imports fail."""
    report = yield
    if report.failed and (package := missing_package(report.call.excinfo)):
        leave_out(report, str(collector.path), package)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    """Leave out a test that imports what is not there."""
    report = yield
    if report.failed and (package := missing_package(call.excinfo)):
        leave_out(report, str(item.path), package)
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say once how many tests and files each package leaves out."""
    end = " is not installed"
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    counts = Counter(reason for reason in reasons if reason.endswith(end))
    for reason, n in counts.items():
        terminalreporter.write_line(f"missing: {n} left out, {reason.removeprefix('Skipped: ')}")
