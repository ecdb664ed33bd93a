"""Places in sources that are hard to point into: encodings, line ends, wide and odd characters."""

import doctest
import linecache
import os
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest
from golden_scenes import import_file
from kernel_source import define, error_of

import numpy_plugin as npp

FLOATS = npp.vectorize(["float32(float32, float32)"])
SHIFT = "def f(x, y):\n    return x << 1\n"
SAID = "'<<' needs integers, x is float32"


def file_error(path: Path, data: bytes) -> npp.KernelError:
    """Return the error of the function `f` of a file with these bytes."""
    path.write_bytes(data)
    with pytest.raises(npp.KernelError) as caught:
        FLOATS(import_file(path).f)
    return caught.value


def shown(error: npp.KernelError) -> tuple[str, str]:
    """Return the line that an error shows first, and what is below it."""
    lines = str(error).splitlines()
    return lines[2], lines[3]


def underlined(error: npp.KernelError) -> str:
    """Return the characters above the first underline; all are one column wide."""
    line, marks = shown(error)
    return line[marks.index("^") : len(marks)]


FILES = {
    "CRLF": SHIFT.replace("\n", "\r\n").encode(),
    "CR": SHIFT.replace("\n", "\r").encode(),
    "byte order mark": b"\xef\xbb\xbf" + SHIFT.encode(),
    "accents": SHIFT.replace("return", "'\xe9\xe8'; return").encode(),
    "latin-1": b"# coding: latin-1\nNAME = '\xe9\xe8'\n" + SHIFT.encode(),
    "accents in latin-1": (
        "# coding: latin-1\n" + SHIFT.replace("return", "'\xe9\xe8'; return")
    ).encode("latin-1"),
    "future": b"from __future__ import annotations\n"
    + SHIFT.replace("(x", "(x: 'Missing'").encode(),
    "tabs": SHIFT.replace("    ", "\t").encode(),
    "one space": SHIFT.replace("    ", " ").encode(),
    "no line end": SHIFT[:-1].encode(),
    "empty lines": b"\n\n\n" + SHIFT.encode(),
    "form feed": b"\x0c\n" + SHIFT.encode(),
    "form feed before text": SHIFT.replace("\n    return", "\n\x0c    return").encode(),
    "separators that end no line": SHIFT.replace(
        "\n    return", "\n    # \u2028 \x0b \x1c \x85\n    return"
    ).encode(),
    "text over lines": SHIFT.replace("    return", "    '''a\n  b'''\n    return").encode(),
    "head over lines": SHIFT.replace("(x, y)", "(x,\n y\n)").encode(),
    "expression over lines": SHIFT.replace("x << 1", "(\n  x\n  << 1)").encode(),
    "backslash": SHIFT.replace("x << 1", "x \\\n << 1").encode(),
}


@pytest.mark.parametrize("form", FILES)
def test_files(tmp_path, form):
    error = file_error(tmp_path / "kernel.py", FILES[form])
    (item,) = error.diagnostics
    assert item.message == SAID
    assert underlined(error) == "x"
    text = (tmp_path / "kernel.py").read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    encoding = "latin-1" if b"coding" in text else "utf-8-sig"
    line = text.decode(encoding).split("\n")[item.line - 1]
    assert line[item.column - 1 :].startswith("x")
    assert f'File "{tmp_path}/kernel.py", line {item.line}, in f' in str(error)


WIDE = [
    ("'日本'; return x << 1", "    '日本'; return x << 1", "                   ^"),
    ("'e\u0301'; return x << 1", "    'e\u0301'; return x << 1", "                ^"),
    ("'😀'; return x << 1", "    '😀'; return x << 1", "                 ^"),
    ("'ｱ'; return x << 1", "    'ｱ'; return x << 1", "                ^"),
    ("0;\treturn x << 1", "    0;\treturn x << 1", "      \t       ^"),
    ("return 0.0 +\t(x << 1)", "    return 0.0 +\t(x << 1)", "                \t ^"),
]


@pytest.mark.parametrize(("body", "line", "marks"), WIDE)
def test_characters_before_the_place(body, line, marks):
    error = error_of(FLOATS, f"def f(x, y):\n    {body}\n")
    assert shown(error) == (line, marks)
    assert error.diagnostics[0].column == 5 + body.index("x")


def test_a_place_of_wide_characters():
    error = error_of(FLOATS, "def f(x, y):\n    return 速度 + x\n")
    assert str(error).startswith("unknown name '速度'")
    assert shown(error) == ("    return 速度 + x", "           ^^^^")


def test_names_that_python_folds():
    # 'ﬁ' is 'fi', 'ℎ' is 'h': the message has the normalized name, the line the original.
    error = error_of(FLOATS, "def f(x, y):\n    ﬁx = ℎ + x\n    return fix\n")
    assert str(error).startswith("unknown name 'h'")
    assert shown(error) == ("    ﬁx = ℎ + x", "         ^")
    assert float(FLOATS(define("def f(ﬁ, ℎ):\n    return fi - h\n")["f"])(*np.float32([3, 1]))) == 2


def test_a_function_whose_name_python_folds():
    name = "def \N{MATHEMATICAL BOLD SMALL F}(x, y):\n    d = x\n"
    error = error_of(FLOATS, name)
    assert str(error).startswith("f returns nothing")
    assert error.diagnostics[0].line == 1


def test_keywords_of_cpp_as_names():
    error = error_of(FLOATS, "def f(double, new):\n    auto = double << 1\n    return new + int_\n")
    first, second = error.diagnostics
    assert first.message == "'<<' needs integers, double is float32"
    assert first.hint == "double * 2, or int(double) << 1"
    assert second.message == "unknown name 'int_'"
    source = (
        "def f(register, template):\n    switch = register if template > 0 else -register\n"
        "    for int_ in range(3):\n        switch += int_\n    namespace = switch\n"
        "    return namespace\n"
    )
    assert float(FLOATS(define(source)["f"])(*np.float32([2, 1]))) == 5


def test_a_place_that_spans_lines_shows_its_first():
    source = "def f(x, y):\n    return (x +\n            y) << (1 +\n                   2)  # end\n"
    error = error_of(FLOATS, source)
    assert str(error).splitlines()[2:5] == ["    return (x +", "            ^^^", "    ..."]


def test_several_errors_of_one_line():
    error = error_of(FLOATS, "def f(x, y):\n    return aaa + (x << 1) + bbb * math.sqroot(y)\n")
    assert [(item.line, item.column) for item in error.diagnostics] == [
        (2, 12),
        (2, 19),
        (2, 29),
        (2, 35),
    ]
    assert [item.message for item in error.diagnostics] == [
        "unknown name 'aaa'",
        SAID,
        "unknown name 'bbb'",
        "math has no 'sqroot'",
    ]


def test_a_zip_file(tmp_path):
    path = tmp_path / "kernels.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zipped_kernel.py", SHIFT)
    sys.path.insert(0, str(path))
    try:
        import zipped_kernel  # type: ignore[import-not-found]

        with pytest.raises(npp.KernelError) as caught:
            FLOATS(zipped_kernel.f)
    finally:
        sys.path.remove(str(path))
        sys.modules.pop("zipped_kernel", None)
    assert f'File "{path}/zipped_kernel.py", line 2, in f' in str(caught.value)
    assert underlined(caught.value) == "x"


def test_a_doctest():
    text = (
        ">>> @npp.vectorize(['float32(float32, float32)'])\n... def f(x, y):\n"
        "...     return x << 1\n"
    )
    case = doctest.DocTestParser().get_doctest(text, {"npp": npp}, "page", "page", 0)
    raised = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.report_unexpected_exception = lambda *item: raised.append(item[-1][1])
    runner.run(case, clear_globs=False)
    assert str(raised[0]).startswith(f'{SAID}\n  File "<doctest page[0]>", line 3, in f\n')


def run_python(*arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [sys.executable, *arguments], input=text, capture_output=True, text=True, env={**os.environ}
    )
    return done.stderr


def test_a_program_on_the_command_line():
    program = "import numpy_plugin as npp\n@npp.vectorize(['float32(float32, float32)'])\n" + SHIFT
    text = run_python("-c", program)
    if sys.version_info >= (3, 13):
        assert f'{SAID}\n  File "<string>", line 4, in f\n' in text
    else:
        assert "cannot be read: it is in the text passed to 'python -c'" in text


def test_a_file_that_was_edited_with_the_text_kept(tmp_path):
    path = tmp_path / "kept.py"
    path.write_text(SHIFT)
    f = import_file(path).f
    linecache.getlines(str(path))
    path.write_text("import math\n\n" + SHIFT)
    with pytest.raises(npp.KernelError) as caught:
        FLOATS(f)
    assert str(caught.value).startswith(f'{SAID}\n  File "{path}", line 2, in f\n')


@pytest.mark.parametrize(
    "edited",
    [
        "import math\n" + SHIFT,  # lines shifted
        SHIFT.replace("<<", ">>"),  # different text on the same line
        SHIFT.replace("1", "2"),
        SHIFT.replace("x <<", "y <<"),
        "def f(x, y):\n",  # nothing left
        "def g(x, y):\n    return x << 1\n",
        "(",
        "",
    ],
)
def test_a_file_that_was_edited(tmp_path, edited):
    path = tmp_path / "edited.py"
    path.write_text(SHIFT)
    f = import_file(path).f
    path.write_text(edited)
    linecache.clearcache()
    with pytest.raises(npp.KernelError) as caught:
        FLOATS(f)
    assert str(caught.value).startswith("the source of 'f' has changed since it was loaded\n")


def test_an_edit_elsewhere_is_no_change(tmp_path):
    path = tmp_path / "elsewhere.py"
    path.write_text(SHIFT)
    f = import_file(path).f
    path.write_text(SHIFT + "\n\ndef g(x):\n    return x\n")
    linecache.clearcache()
    with pytest.raises(npp.KernelError, match=SAID):
        FLOATS(f)


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "gone.py"
    path.write_text(SHIFT)
    f = import_file(path).f
    path.unlink()
    linecache.clearcache()
    with pytest.raises(npp.KernelError) as caught:
        FLOATS(f)
    assert str(caught.value) == (
        f"the source of 'f' cannot be read: there is no file {path}\n"
        "  hint: put the file back, or give body="
    )


def test_a_function_of_types_has_no_other_text(tmp_path):
    f = types.FunctionType(define(SHIFT)["f"].__code__, {})
    with pytest.raises(npp.KernelError, match=SAID):
        FLOATS(f)
