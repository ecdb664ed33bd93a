"""Mistakes in C++ bodies: one text, whichever of g++, clang++, zig and NVRTC finds them."""

import importlib.util
import pickle
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from golden_sections import GOLDEN, applied_parts, not_applied, read_cases
from kernel_source import define, function
from long_runs import in_long_runs
from wrong_bodies import declare, host_error, make_blind_compiler, nvrtc_error

import numpy_plugin as npp
from numpy_plugin import cuda

ENTRIES = read_cases(*sorted(GOLDEN.glob("bodies/*.txt")))
# zig is an optional dependency.
HAS_ZIG = importlib.util.find_spec("ziglang") is not None
COMPILERS = ("g++", "clang++", "nvrtc", *(["zig"] if HAS_ZIG else []))


@pytest.fixture(scope="module")
def blind_compiler(tmp_path_factory):
    return make_blind_compiler(tmp_path_factory.mktemp("blind"))


def host_command(compiler: str) -> str | None:
    if compiler != "zig":
        return shutil.which(compiler)
    import ziglang

    return f"{Path(ziglang.__file__).parent / 'zig'} c++"


def error_from(compiler: str, name: str, monkeypatch, blind_compiler: str):
    entry = ENTRIES[name]
    if compiler in entry.get("accepted by", "").split():
        pytest.skip(f"{compiler} takes this body")
    if compiler == "nvrtc":
        monkeypatch.setenv("NUMPY_PLUGIN_CXX", blind_compiler)
        return nvrtc_error(entry, name)
    command = host_command(compiler)
    if command is None:
        pytest.skip(f"there is no {compiler}")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", command)
    return host_error(entry, name)


def test_the_golden_files_are_there():
    assert len(ENTRIES) == 119


def bodies_and_compilers():
    """Every other body, in turn with g++ and one of the others; the rest is for long runs."""
    found = []
    for number, name in enumerate(ENTRIES):
        quick = {0: "g++", 2: COMPILERS[1 + number // 4 % (len(COMPILERS) - 1)]}
        for compiler in COMPILERS:
            marks = () if compiler == quick.get(number % 4) else pytest.mark.slow
            found.append(pytest.param(name, compiler, id=f"{name}-{compiler}", marks=marks))
    return found


@pytest.mark.parametrize(("name", "compiler"), bodies_and_compilers())
def test_text(name, compiler, monkeypatch, blind_compiler):
    error = error_from(compiler, name, monkeypatch, blind_compiler)
    assert error is not None
    assert str(error) == ENTRIES[name]["text"].rstrip("\n")


HINTS = [(name, hint) for name, entry in ENTRIES.items() for hint in applied_parts(entry)]


@pytest.mark.parametrize(("name", "hint"), HINTS)
def test_a_hint_is_of_the_text_and_in_the_body_that_follows_it(name, hint):
    entry = ENTRIES[name]
    body = applied_parts(entry)[hint]
    hints = [line for line in entry["text"].splitlines() if line.startswith("  hint: ")]
    assert any(hint in line for line in hints)
    is_prose = re.search("[a-z'] [a-z]", hint) and not hint.endswith(";")
    assert is_prose or hint in body
    assert body != entry["body"]


OTHER_HINTS = [hint for number, hint in enumerate(HINTS) if number % 4]


@pytest.mark.parametrize(("name", "hint"), [*HINTS[::4], *in_long_runs(*OTHER_HINTS)])
def test_a_body_that_follows_a_hint_compiles(name, hint):
    entry = ENTRIES[name]
    declare(entry, name, applied_parts(entry)[hint])


@pytest.mark.parametrize("name", ENTRIES)
def test_every_hint_is_applied(name):
    assert not_applied(ENTRIES[name]) == []


PREAMBLES = {
    'nan("")': "NAN",
    "inf": "INFINITY",
    "pi": "M_PI",
    "e": "M_E",
    "arcsin": "asin",
    "sqr": "x*x",
}


@pytest.mark.parametrize("written", PREAMBLES)
def test_a_hint_in_a_preamble_names_what_is_there(written):
    def made(expression: str) -> np.ufunc:
        preamble = f"double helper(double x) {{ return {expression}; }}"
        return npp.vectorize(
            ["float64(float64)"], args="x", body="return helper(x);", preamble=preamble
        )

    hint = PREAMBLES[written]
    is_function = hint == "asin"
    with pytest.raises(npp.CompilerError) as caught:
        made(f"{written}(x)" if is_function else written)
    assert caught.value.diagnostics[0].hint == hint
    made(f"{hint}(x)" if is_function else hint)(0.5)


def pointer_error(body: str, preamble: str = "") -> tuple[str, str]:
    """Return the message of a wrong text and its hint."""
    with pytest.raises(npp.CompilerError) as caught:
        npp.vectorize(["float64(float64)"], args="x", body=body, preamble=preamble)
    (item,) = caught.value.diagnostics
    return item.message, item.hint


def test_pointers():
    dropped = ("a const double* cannot become a double*", "declare the pointer as const double*")
    assert pointer_error("double* p = &x; return *p;") == dropped
    assert pointer_error("const double t = x; double* p = &t; return *p;") == dropped
    helper = "double helper(const double* v) { double* p = v; return *p; }"
    assert pointer_error("return helper(&x);", helper) == dropped
    helper = "double helper(double v) { return &v; }"
    assert pointer_error("return helper(x);", helper)[0] == "double* returned, double declared"
    assert npp.vectorize(["float64(float64)"], args="x", body="const double* p = &x; return *p;")(2)


def test_an_error_has_its_diagnostics_and_survives_pickling():
    body = "double s = 1;\n  return xx + s + tot;"
    with pytest.raises(npp.CompilerError) as caught:
        npp.vectorize(["float64(float64)"], name="g", args="x", body=body)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.diagnostics == [
            npp.Diagnostic("<body of 'g'>", 2, 10, "unknown name 'xx'", "did you mean 'x'?"),
            npp.Diagnostic("<body of 'g'>", 2, 19, "unknown name 'tot'", ""),
        ]
        assert "error:" in error.log


def test_an_error_found_without_a_compiler_has_its_diagnostics():
    body = "return (x;"
    with pytest.raises(npp.CompilerError) as caught:
        npp.vectorize(["float64(float64)"], name="g", args="x", body=body)
    (item,) = caught.value.diagnostics
    assert (item.line, item.column, item.message) == (1, 8, "'(' has no ')'")
    assert caught.value.log == ""


DECLARATION = """
def declare():
    npp.vectorize(["float64(float64)"], name="g", args="x", preamble=PREAMBLE, body=BODY)
declare()
"""


def error_of_file(preamble: str, body: str) -> npp.CompilerError:
    with pytest.raises(npp.CompilerError) as caught:
        define(DECLARATION.replace("PREAMBLE", preamble).replace("BODY", body), "user.py")
    return caught.value


def test_a_literal_of_several_lines_is_shown_in_its_file():
    error = error_of_file("''", "'''\n        double s = x;\n        return s /*größe*/ // s;\n'''")
    assert str(error) == (
        "'//' starts a comment in C++\n"
        '  File "user.py", line 5, in declare\n'
        "    return s /*größe*/ // s;\n"
        "                       ^^\n"
        "  hint: floor(s / s)"
    )
    assert error.diagnostics[0][:3] == ("user.py", 5, 28)


def test_a_literal_of_one_line_is_shown_in_its_file_and_its_note_too():
    preamble = "r'''\ndouble twice(double x, double y) { return x * y; }'''"
    error = error_of_file(preamble, '"return twice(x);"')
    assert str(error) == (
        "twice takes 2 arguments, 1 given\n"
        '  File "user.py", line 4, in declare\n'
        "    double twice(double x, double y) { return x * y; }''', body=\"return twice(x);\")\n"
        "                                                                        ^^^^^\n"
        "  note: defined here\n"
        '  File "user.py", line 4, in declare\n'
        "    double twice(double x, double y) { return x * y; }''', body=\"return twice(x);\")\n"
        "           ^^^^^"
    )


@pytest.mark.parametrize("body", ['"return " "(x;"', '"return (x;\\n"', '"".join(["return (x;"])'])
def test_what_is_no_plain_literal_is_shown_by_itself(body):
    assert error_of_file("''", body).diagnostics[0][:3] == ("<body of 'g'>", 1, 8)


def kernel_error(source: str) -> str:
    with cuda.simulator(), pytest.raises(npp.CompilerError) as caught:
        cuda.kernel(source, "f")[1, 1](np.zeros(2, np.float32))
    assert all(item.file == "<source of 'f'>" for item in caught.value.diagnostics)
    return str(caught.value)


def test_a_cuda_source_shows_all_its_mistakes():
    source = "__global__ void f(float* x) {\n  x[0] = sqroot(x[1]);\n  x[1] = x[0] % 2;\n}"
    assert kernel_error(source) == (
        "unknown function 'sqroot'\n"
        "  File \"<source of 'f'>\", line 2\n"
        "    x[0] = sqroot(x[1]);\n"
        "           ^^^^^^\n"
        "  hint: did you mean 'sqrt'?\n"
        "\n"
        "'%' needs integers in C++\n"
        "  File \"<source of 'f'>\", line 3\n"
        "    x[1] = x[0] % 2;\n"
        "           ^^^^^^^^\n"
        "  hint: fmod(x[0], 2)"
    )


def declared_error(source: str) -> str:
    g = npp.declare_device("g", "int32(int32)", cpu=source)
    with pytest.raises(npp.CompilerError) as caught:
        npp.vectorize(["int32(int32)"])(function("def f(x):\n    return g(x)\n", g=g))
    assert caught.value.diagnostics
    return str(caught.value)


def test_a_declared_source_is_shown_as_it_is():
    assert declared_error("int g(int x) {\n  return (x;\n}") == (
        "'(' has no ')'\n  File \"<cpu source of 'g'>\", line 2\n    return (x;\n           ^"
    )
    assert declared_error("int h(int);\nint g(int x) { return h(x); }") == (
        "'h' is called but not defined\n"
        "  File \"<cpu source of 'g'>\", line 2\n"
        "    int g(int x) { return h(x); }\n"
        "                          ^\n"
        "  hint: define it in this source; functions of the C library need no definition"
    )
