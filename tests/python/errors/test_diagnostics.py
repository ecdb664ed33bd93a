"""Every mistake of the catalogue: the whole text that a user reads, from golden files."""

import traceback
import warnings

import numpy as np
import pytest
from golden_entries import ENTRIES, declared_text
from golden_scenes import SCENES
from kernel_source import define, error_of

import numpy_plugin as npp


def test_the_golden_files_are_there():
    assert len(ENTRIES) == 232


@pytest.mark.filterwarnings("ignore::SyntaxWarning")  # Python's own, when it compiles the source
@pytest.mark.parametrize("name", ENTRIES)
def test_text(name):
    entry = ENTRIES[name]
    shown = SCENES[entry.how](name, entry.source) if entry.how else declared_text(entry)
    assert shown == (entry.text, entry.is_warning)


FLOATS = npp.vectorize(["float32(float32, float32)"])


def test_all_errors_come_at_once_in_the_order_of_the_source():
    error = error_of(
        FLOATS,
        "def f(x, y):\n    a = x << 1\n    b = unknown + a\n    c = {x: 1}\n    return b + c\n",
    )
    assert [(item.line, item.column) for item in error.diagnostics] == [(2, 9), (3, 9), (4, 9)]
    assert str(error).count("\n\n") == 2


def test_at_most_ten_errors_are_shown():
    lines = "".join(f"    a{i} = x << {i}\n" for i in range(15))
    error = error_of(FLOATS, f"def f(x, y):\n{lines}    return x\n")
    assert str(error).count("needs integers") == 10


def test_an_unknown_name_is_reported_at_its_first_use_only():
    error = error_of(FLOATS, "def f(x, y):\n    return unknown + unknown * unknown\n")
    assert len(error.diagnostics) == 1


def test_a_diagnostic_has_its_parts():
    (item,) = error_of(FLOATS, "def f(x, y):\n    return x + abb\n").diagnostics
    assert item.message == "unknown name 'abb'"
    assert (item.line, item.column) == (2, 16)
    assert item.hint == "did you mean 'abs'?"


def test_wide_characters_and_tabs_are_underlined_where_they_are():
    text = str(error_of(FLOATS, "def f(日本, y):\n\treturn 日本 + (日本 << 1)\n"))
    assert "\n    return 日本 + (日本 << 1)\n                   ^^^^\n" in text


def test_the_traceback_ends_at_the_persons_line():
    function = define("def f(x, y):\n    return x << y\n")["f"]
    try:
        npp.vectorize(["float32(float32, float32)"])(function)
    except npp.KernelError as error:
        frames = traceback.extract_tb(error.__traceback__)
    assert [frame.name for frame in frames] == [
        "test_the_traceback_ends_at_the_persons_line",
    ]


def test_deep_nesting_is_an_error_and_no_crash():
    long = " + ".join(["x"] * 700)
    with pytest.raises(npp.KernelError, match="deep"):
        npp.vectorize(["float32(float32)"])(define(f"def f(x):\n    return {long}\n")["f"])


def test_a_sum_of_a_hundred_terms_is_fine():
    long = " + ".join(["x"] * 100)
    f = npp.vectorize(["int64(int64)"])(define(f"def f(x):\n    return {long}\n")["f"])
    assert f(3) == 300


def test_an_error_in_a_device_function_shows_the_calls_that_lead_there():
    error = error_of(
        FLOATS,
        "@npp.device\ndef inner(v):\n    return v >> 1\n"
        "@npp.device\ndef outer(v):\n    return inner(v)\n"
        "def f(x, y):\n    return outer(x)\n",
    )
    lines = [line.strip() for line in str(error).splitlines() if "note:" in line]
    assert lines == ["note: called from here with float32"] * 2


def test_an_error_that_two_calls_lead_to_is_shown_once():
    error = error_of(
        FLOATS,
        "@npp.device\ndef half(v):\n    return v >> 1\n"
        "def f(x, y):\n    return half(x) + half(y) + half(float(y))\n",
    )
    (item,) = error.diagnostics
    assert (item.line, item.column) == (3, 12)


def test_device_functions_as_kernels_that_call_one_another():
    error = error_of(
        npp.vectorize(["float32(float32)"]),
        "@npp.device\ndef f(v):\n    return g(v - 1) if v > 0 else v\n"
        "@npp.device\ndef g(v):\n    return f(v)\n",
    )
    (item,) = error.diagnostics
    assert item.message == "device functions are recursive: g, f, g"


def test_a_closure_without_a_value_yet_names_where_it_gets_one():
    source = (
        "def make():\n    f = npp.vectorize(['float32(float32)'])(lambda x: x * k)\n"
        "    k = 2.0\n    return f\n"
    )
    with pytest.raises(npp.KernelError, match="'k' has no value yet") as caught:
        define(source)["make"]()
    assert "note: assigned here" in str(caught.value)
    assert ", line 3, in make" in str(caught.value)


def test_numbers_of_a_module_are_those_of_the_declaration():
    namespace = define("K = 2.0\ndef f(x):\n    return K * x\n")
    f = npp.vectorize(namespace["f"])
    assert f(np.float32(3)) == 6
    namespace["K"] = 10.0
    with pytest.warns(npp.KernelWarning, match="'K' was 2.0 when f was declared and is 10.0 now"):
        assert f(np.float64(3)) == 6


def test_a_place_is_warned_of_once_however_many_types_are_compiled():
    f = npp.vectorize(define("def f(a, b):\n    return (a > 0) + (b > 0)\n")["f"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        assert f(1.0, 2.0) == f(np.float32(1), np.float32(2))
    assert len(caught) == 1


def test_an_array_that_was_changed_since_the_declaration_is_warned_of():
    namespace = define("def f(x):\n    return T[0] * x\n", T=np.array([2.0, 3.0]))
    f = npp.vectorize(namespace["f"])
    namespace["T"][0] = 5.0
    with pytest.warns(npp.KernelWarning, match="'T' has changed since f was declared"):
        assert f(np.float64(3)) == 6


def test_a_body_that_has_a_function_s_name_has_no_names_that_change():
    f = npp.vectorize(name="f", args="x", body="return x;")
    f.__dict__["__wrapped__"] = define("K = 1\ndef f(x):\n    return K * x\n")["f"]
    assert f(2.0) == 2


def test_numbers_that_are_as_they_were_are_no_matter():
    source = "import types\nC = types.ModuleType('C')\nC.nan = math.nan\nT = (1.0, C.nan)\n"
    namespace = define(source + "def f(x):\n    return x + C.nan * T[1] + np.pi\n")
    f = npp.vectorize(namespace["f"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(1.0)
        namespace["C"].nan = float("nan")
        f(np.float32(1))
