"""Warnings about kernels: where they are reported, how often, and what filters make of them."""

import subprocess
import sys
import warnings

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp

MIXED = "def f(x, n):\n    return x * n\n"
FLOATS = ["float32(float32, int32)"]


def caught_by(declare, action: str = "default") -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        declare()
    return [item for item in caught if item.category is npp.KernelWarning]


def test_each_place_is_reported_once():
    f = define(MIXED)["f"]
    assert len(caught_by(lambda: [npp.vectorize(FLOATS)(f) for _ in range(3)])) == 1
    assert len(caught_by(lambda: [npp.vectorize(FLOATS)(f) for _ in range(3)], "always")) == 3


def test_two_places_are_reported_each():
    source = "def f(a, b):\n    c = (a > 0) + (b > 0)\n    return c == ((a < 1) + (b < 1))\n"
    f = define(source)["f"]
    found = caught_by(lambda: npp.vectorize(["bool(float32, float32)"])(f))
    assert [item.lineno for item in found] == [2, 3]


def test_several_signatures_report_a_place_once():
    f = define("def f(a, b):\n    return (a > 0) + (b > 0)\n")["f"]
    signatures = ["int32(float32, float32)", "int64(float64, float64)"]
    assert len(caught_by(lambda: npp.vectorize(signatures)(f), "always")) == 1


def test_the_first_call_reports_at_the_kernels_line():
    f = npp.vectorize(define("def f(a, b):\n    return (a > 0) + (b > 0)\n", "lazy.py")["f"])
    (item,) = caught_by(lambda: f(1.0, 2.0))
    assert (item.filename, item.lineno) == ("lazy.py", 2)
    assert caught_by(lambda: f(1.0, 2.0)) == []


def test_a_warning_as_error_leaves_nothing_behind():
    f = npp.vectorize(define("def f(a, b):\n    return (a > 0) + (b > 0)\n")["f"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(npp.KernelWarning, match="never 2"):
            f(1.0, 2.0)
    assert f(1.0, 2.0) == np.True_


PROGRAM = """\
import numpy_plugin as npp

@npp.vectorize(["float32(float32, int32)"])
def f(x, n):
    return x * n

print(f.types)
"""

IMPORT = "import sys; sys.path.insert(0, sys.argv[1]); import mixed"


@pytest.mark.parametrize(
    ("filters", "is_shown"),
    [
        ([], True),
        (["ignore::UserWarning"], False),
        (["ignore::UserWarning:mixed"], False),
        (["ignore::UserWarning:other"], True),
    ],
)
def test_filters_know_the_category_and_the_module(tmp_path, filters, is_shown):
    (tmp_path / "mixed.py").write_text(PROGRAM)
    options = [part for item in filters for part in ("-W", item)]
    ran = subprocess.run(
        [sys.executable, *options, "-c", IMPORT, tmp_path], capture_output=True, text=True
    )
    assert ran.stdout == "['fi->f']\n"
    shown = f"{tmp_path / 'mixed.py'}:5: KernelWarning: float32 * int32 is float64"
    assert ran.stderr.startswith(shown) is is_shown
    assert bool(ran.stderr) is is_shown
