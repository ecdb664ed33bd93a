"""`%load_ext numpy_plugin`: `%%ufunc`, `%npp_explain`, and their errors in the cell."""

import re
from pathlib import Path

import numpy as np
import pytest
from IPython.core.error import UsageError
from notebook import notebook

import numpy_plugin as npp
from numpy_plugin._ipython.operand_names import named_signature

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "guide" / "notebooks.md"


@pytest.fixture
def run_cell():
    with notebook() as run:
        assert run("%load_ext numpy_plugin") is None
        yield run


def test_a_cell_makes_a_ufunc(run_cell):
    cell = '%%ufunc hypot "float32(float32 x, float32 y)" "float64(float64 x, float64 y)"\n'
    assert run_cell(cell + "return sqrt(x * x + y * y);\n") is None
    hypot = run_cell.names["hypot"]
    assert type(hypot) is np.ufunc
    assert hypot.__name__ == "hypot"
    assert hypot.types == ["ff->f", "dd->d"]
    assert hypot(3.0, y=4.0) == 5.0


def test_signatures_name_results(run_cell):
    cell = "%%ufunc divmod2 'float64 q, float64 r(float64 x, float64 y)' --target cpu\n"
    assert run_cell(cell + "q = floor(x / y);\nr = x - q * y;\n") is None
    assert run_cell.names["divmod2"](7.0, 2.0) == (3.0, 1.0)


def test_a_preamble_is_a_variable(run_cell):
    helpers = "template <class T> T twice(T x) { return x + x; }"
    cell = '%%ufunc doubled "int64(int64 x)" --preamble helpers\nreturn twice(x);'
    assert run_cell(cell, helpers=helpers) is None
    assert run_cell.names["doubled"](21) == 42
    error = run_cell(cell, helpers=3)
    assert isinstance(error, UsageError) and "'helpers' is none" in str(error)
    assert run_cell.names["doubled"](21) == 42


def test_a_layout_makes_a_generalized_ufunc(run_cell):
    cell = (
        '%%ufunc dot "void(float64[:] a, float64[:] b, float64[:] total)" --layout "(n),(n)->()"\n'
        "total(0) = 0;\nfor (int i = 0; i < a.shape(0); ++i) total(0) += a(i) * b(i);\n"
    )
    error = run_cell(cell)
    assert error is None, error
    assert run_cell.names["dot"].signature == "(n),(n)->()"
    assert run_cell.names["dot"]([1.0, 2.0], [3.0, 4.0]) == 11.0


def test_an_error_in_the_body_underlines_the_cells_line(run_cell):
    cell = '%%ufunc wrong "float64(float64 x)"\ndouble y = x + 1;\nreturn absent(y);\n'
    error = run_cell(cell)
    assert isinstance(error, npp.CompilerError)
    (diagnostic,) = error.diagnostics
    assert re.fullmatch(r"Cell In\[\d+\]", diagnostic.file)
    assert (diagnostic.line, diagnostic.column) == (3, 8)
    assert "    return absent(y);\n           ^^^^^^" in str(error)
    assert re.search(r"  Cell In\[\d+\], line 3", str(error))
    assert "wrong" not in run_cell.names


def test_an_error_in_a_signature_underlines_the_first_line(run_cell):
    error = run_cell('%%ufunc wrong "float64(flaot64 x)"\nreturn x;\n')
    assert isinstance(error, npp.SignatureError)
    (diagnostic,) = error.diagnostics
    assert diagnostic.line == 1
    column = '%%ufunc wrong "float64('
    assert diagnostic.column == len(column) + 1
    assert f'{column}flaot64 x)"\n    {" " * len(column)}^^^^^^^' in str(error)


def test_operands_have_the_same_names_in_all_signatures(run_cell):
    error = run_cell('%%ufunc wrong "float32(float32 x)" "float64(float64 y)"\nreturn x;\n')
    assert isinstance(error, UsageError)
    assert "the signatures name different operands" in str(error)
    assert "wrong" not in run_cell.names


def test_explain_shows_a_call(run_cell, nvrtc):
    assert run_cell('%%ufunc added "float64(float64 x, float64 y)"\nreturn x + y;') is None
    run_cell("found = %npp_explain added(points, 1.0, arch='sm_80')", points=np.ones(100))
    found = run_cell.names["found"]
    assert found.elements == 100
    assert "sm_80" in found.device
    run_cell("total = %npp_explain added.reduce(points)")
    assert run_cell.names["total"].reduction is not None


@pytest.mark.parametrize("line", ["", "hypot"])
def test_wrong_options_show_the_help(run_cell, line):
    error = run_cell(f"%%ufunc {line}\nreturn x;\n")
    assert isinstance(error, UsageError)
    assert "the following arguments are required: " in str(error)
    assert "usage: %%ufunc" in str(error)


def test_open_quotes_are_a_usage_error(run_cell):
    error = run_cell("%%ufunc f 'float64(float64 x)\nreturn x;\n")
    assert isinstance(error, UsageError)
    assert "No closing quotation" in str(error)


def test_explain_needs_a_call(run_cell):
    error = run_cell("%npp_explain 1 +")
    assert isinstance(error, UsageError)
    assert str(error) == "expected a call such as 'hypot(x, y)', found '1 +'"


def test_the_documented_cells_run(run_cell, nvrtc):
    cells = re.findall(r"^```ipython\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    assert len(cells) == 5
    for cell in cells:
        assert run_cell(cell) is None, cell
    assert run_cell.names["divmod2"](7.0, 2.0) == (3.0, 1.0)


@pytest.mark.parametrize(
    ("text", "signature", "inputs", "outputs"),
    [
        ("float64(float64 x, int8 y)", "float64(float64, int8)", ["x", "y"], []),
        ("f8 q, f8 r(f8 x)", "f8, f8(f8)", ["x"], ["q", "r"]),
        ("float64(float64, float64)", "float64(float64, float64)", [], []),
        ("void(f8[:,:] a, f8[:] out)", "void(f8[:,:], f8[:])", ["a", "out"], []),
        ("dd->d", "dd->d", [], []),
        ("float64(float64 x", "float64(float64 x", [], []),
        ("", "", [], []),
    ],
)
def test_names_in_signatures(text, signature, inputs, outputs):
    assert named_signature(text) == (signature, inputs, outputs)
