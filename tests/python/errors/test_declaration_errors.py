"""Mistakes in declarations: the whole text that a user reads, the place in their own call."""

import pickle
import warnings

import numpy as np
import pytest
from golden_sections import GOLDEN, applied_parts, read_cases
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

ENTRIES = read_cases(GOLDEN / "signatures.txt")
TYPES = (
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, "
    "complex128, datetime64, timedelta64"
)
NAMES = {"sigs": ["float32(float32)"], "cuda": cuda}


def error_of(source: str, file: str = "user.py") -> Exception:
    """Return the error with which a program fails."""
    with pytest.raises((ValueError, TypeError)) as caught:
        define(source, file, **NAMES)
    return caught.value


def shown_text(source: str, name: str) -> str:
    """Return the text of a program's error, or of its warning, which is at the program's line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            define(source, f"{name}.py", **NAMES)
        except (ValueError, TypeError) as error:
            return str(error)
    (warning,) = caught
    assert warning.category is npp.KernelWarning
    assert (warning.filename, warning.lineno) == (f"{name}.py", 1)
    return str(warning.message)


@pytest.mark.parametrize("name", ENTRIES)
def test_text(name):
    entry = ENTRIES[name]
    assert shown_text(entry["source"], name) == entry["text"].rstrip("\n")


def test_the_golden_files_are_there():
    assert len(ENTRIES) == 14


HINTS = [(name, part) for name, entry in ENTRIES.items() for part in applied_parts(entry)]


@pytest.mark.parametrize(("name", "part"), HINTS)
def test_hints_work(name, part):
    entry = ENTRIES[name]
    hint = entry["text"].partition("  hint: ")[2]
    applied = applied_parts(entry)[part]
    assert part in hint or part in ("int8", "uint64")  # ends of a range
    assert part in applied
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = define(applied, f"{name}_applied.py", **NAMES)["f"]
    assert type(made) is np.ufunc


def test_every_hint_is_applied():
    followed = {name for name, _ in HINTS}
    assert {name for name, entry in ENTRIES.items() if "  hint: " in entry["text"]} == followed


# --- other mistakes: a file of calls, each with what is read ---

CALLS = {
    call: text.rstrip("\n")
    for block in (GOLDEN / "declarations.txt").read_text().split("===== ")[1:]
    for call, _, text in [block.partition("-----\n")]
}


@pytest.mark.parametrize("call", CALLS)
def test_mistakes(call):
    error = error_of(call)
    text = CALLS[call]
    assert str(error) == text
    message, *others = text.split("\n")
    assert len(message) <= 90
    assert message[0].islower() or not message[0].isalpha()
    assert not message.endswith(".")
    hints = [line.partition("hint: ")[2] for line in others if line.startswith("  hint: ")]
    for diagnostic in getattr(error, "diagnostics", ()):  # of TypeError and ValueError none
        assert diagnostic.message == message
        assert [diagnostic.hint] == (hints or [""])
        place = f'File "{diagnostic.file}", line {diagnostic.line}, in '
        assert place in text or "  signature 1: " in text


# --- where the place is ---


def place_of(source: str) -> str:
    """Return what is underlined."""
    lines = str(error_of(source)).split("\n")
    marks = next(line for line in lines if set(line) == {" ", "^"})
    shown = lines[lines.index(marks) - 1]
    return shown[marks.index("^") : len(marks)]


DECORATED = """
@npp.vectorize(
    [
        "float32(float32)",
        "float64(flaot64)",  # the second
    ],
    target="cpu",
)
def f(x):
    return x
"""


def test_a_decorator_over_several_lines():
    error = error_of(DECORATED)
    assert 'line 5, in <module>\n    "float64(flaot64)",  # the second\n' in str(error)
    assert place_of(DECORATED) == "flaot64"
    assert (error.diagnostics[0].line, error.diagnostics[0].column) == (5, 18)


PLACES = {
    "a partial call": ('import functools\nfunctools.partial(npp.vectorize, "x32(f4)")()', "x32"),
    "a call inside of another": ('print(npp.vectorize(sigs, target="gpuu"))', '"gpuu"'),
    "a call in a function": ('def g():\n    npp.vectorize("flaot32(f4)")\ng()', "flaot32"),
    "a call in a lambda": ('(lambda: npp.vectorize("flaot32(f4)"))()', "flaot32"),
    "a method of another name": ('from numpy_plugin import vectorize as v\nv("x32(f4)")', "x32"),
    "wide characters before it": ('"日本"; npp.vectorize("x32(f4)")', "x32"),
    "a tab before it": ('if True:\n\tnpp.vectorize("x32(f4)")', "x32"),
    "raw, in three quotes": ("npp.vectorize(r'''x32(f4)''')", "x32"),
    "a keyword": ('npp.vectorize(signatures=["x32(f4)"])', "x32"),
    "a tuple": ('npp.vectorize(("f->f", "x32(f4)"))', "x32"),
}


@pytest.mark.parametrize("case", PLACES)
def test_places(case):
    source, place = PLACES[case]
    if case == "wide characters before it":
        assert "\n    " + " " * 23 + "^^^" in str(error_of(source))
    else:
        assert place_of(source) == place


UNREADABLE = {
    "a variable": 's = "x32(f4)"\nnpp.vectorize(s)',
    "a list in a variable": 's = ["x32(f4)"]\nnpp.vectorize(s)',
    "a text with arguments": 't = "x32"\nnpp.vectorize(f"{t}(f4)")',
    "an escape": r'npp.vectorize("\x7832(f4)")',
    "two literals": 'npp.vectorize("x32" "(f4)")',
    "a star": 's = ["x32(f4)"]\nnpp.vectorize(*[s])',
    "two stars": 's = {"signatures": "x32(f4)"}\nnpp.vectorize(**s)',
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_text_that_is_not_in_the_call_is_shown_by_itself(case):
    error = error_of(UNREADABLE[case])
    assert str(error) == (
        "unknown type 'x32'\n"
        "  signature 1: x32(f4)\n"
        "               ^^^\n"
        f"  hint: expected one of {TYPES}"
    )
    assert error.diagnostics[0][:3] == ("", 0, 0)


def test_a_call_without_source_shows_the_text():
    for code in ("npp.vectorize('x32(f4)')", "npp.vectorize(sigs, target='gpuu')"):
        with pytest.raises(ValueError) as caught:
            exec(code, {"npp": npp, **NAMES})
        assert "File" not in str(caught.value)


def test_the_error_travels():
    error = error_of('npp.vectorize("x32(f4)")')
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error)
    assert copy.diagnostics == error.diagnostics


def test_a_correct_call_works_after_a_wrong_one():
    error_of('npp.vectorize(["f->f"], target="gpuu", args="x", body="return x;")')
    f = npp.vectorize(["f->f"], target="cpu", args="x", body="return x;")
    assert f(np.float32(2)) == 2


def test_a_warning_is_issued_once_for_a_place():
    source = 'for i in range(3):\n    npp.vectorize(["f->f", "f->f"])\n'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        define(source, "twice.py")
    assert [(one.filename, one.lineno) for one in caught] == [("twice.py", 2)]
