"""Which function of a line is compiled: lambdas beside and inside each other, and equal names."""

import os
import sys

import pytest
from kernel_source import define
from machines.fresh_process import end_of

import numpy_plugin as npp

# Each defines `found`: ufuncs, the first of which has the value below for the operands 5 and, where
# there is another, 3.
LAMBDAS = {
    "inside another": (
        "make = lambda c: npp.vectorize(F)(lambda x: x * c)\nfound = make(2.0), make(4.0)",
        (10, 20),
    ),
    "inside another of the same operand": (
        "make = lambda x: npp.vectorize(F)(lambda x: x + x)\nfound = (make(7.0),)",
        (10,),
    ),
    "three deep": (
        "make = lambda a: lambda b: npp.vectorize(F)(lambda x: x * a + b)\n"
        "found = make(2.0)(1.0), make(3.0)(0.0)",
        (11, 15),
    ),
    "the outer one": (
        "outer = lambda x: (lambda v: v + 1.0)(x)\nfound = (npp.vectorize(F)(lambda x: x),)",
        (5,),
    ),
    "side by side": (
        "found = npp.vectorize(F)(lambda x: x + 1.0), npp.vectorize(F)(lambda x: x - 1.0)",
        (6, 4),
    ),
    "that differ in a constant's type": (
        "found = npp.vectorize(I)(lambda x: x // 2), npp.vectorize(F)(lambda x: x // 2.0)",
        (2, 2),
    ),
    "that differ in a default": (
        "found = [npp.vectorize(G)(k) for k in (lambda x, y: x + y, lambda x, y=1.0: x + y)]",
        (8, 8),
    ),
    "that differ in what is constant": (
        "found = [npp.vectorize(F)(k) for k in (lambda x: x * (1 + 1), lambda x: x * 3)]",
        (10, 15),
    ),
    "equal ones": (
        "found = [npp.vectorize(F)(k) for k in (lambda x: x * 2.0, lambda x: x * 2.0)]",
        (10, 10),
    ),
    "constants": (
        "found = npp.vectorize(F)(lambda x: 2.5), npp.vectorize(F)(lambda x: 4.0)",
        (2.5, 4),
    ),
    "constants over lines": (
        "found = (npp.vectorize(F)(lambda x: (\n 2.5)), npp.vectorize(F)(lambda x:\n (4.0)))",
        (2.5, 4),
    ),
    "over lines": (
        "found = (npp.vectorize(F)(lambda x: (x +\n 1.0)), npp.vectorize(F)(lambda x: (x -\n"
        " 1.0)), npp.vectorize(F)(\n lambda\n x:\n x * 2.0))",
        (6, 4, 10),
    ),
    "a default argument": (
        "def make(f=npp.vectorize(F)(lambda x: x * 2.0), g=(lambda x: x + 1.0)):\n"
        "    return f, npp.vectorize(F)(g)\nfound = make()",
        (10, 6),
    ),
    "the default of another": (
        "make = lambda f=lambda x: x * 2.0: npp.vectorize(F)(f)\nfound = (make(),)",
        (10,),
    ),
    "lists and dicts": (
        "table = {'a': [lambda x: x + 1.0, lambda x: x + 2.0], 'b': (lambda x: x + 3.0)}\n"
        "found = [npp.vectorize(F)(k) for k in (*table['a'], table['b'])]",
        (6, 7, 8),
    ),
    "a comprehension": (
        "found = [npp.vectorize(F)(lambda x: x * k) for k in (2.0, 3.0)]",
        (10, 15),
    ),
    "decorators": (
        "def keep(*given):\n    return lambda function: given\n"
        "@keep(npp.vectorize(F)(lambda x: x + 1.0), npp.vectorize(F)(lambda x: x + 2.0))\n"
        "def found():\n    pass",
        (6, 7),
    ),
    "a class": (
        "class Table:\n    double = npp.vectorize(F)(lambda x: x * 2.0)\n"
        "    make = lambda c: npp.vectorize(F)(lambda x: x * c)\n"
        "found = Table.double, Table.make(3.0)",
        (10, 15),
    ),
    "device functions": (
        "found = [npp.vectorize(F)(lambda x: half(x) + k(x)) for half, k in"
        " [(npp.device(lambda v: v / 2.0), npp.device(lambda v: v * 2.0))]]",
        (12.5,),
    ),
}
HEAD = (
    "F, I = ['float64(float64)'], ['int64(int64)']\nG = ['float64(float64, float64)']\n"
    "import numpy_plugin as npp\n"
)


def results(found) -> tuple[float, ...]:
    return tuple(float(f(5, 3)) if f.nin == 2 else float(f(5)) for f in found)


@pytest.mark.parametrize("form", LAMBDAS)
def test_lambdas(form):
    source, expected = LAMBDAS[form]
    assert results(define(HEAD + source + "\n")["found"]) == expected


WITHOUT_COLUMNS = """
from test_source_lambdas import HEAD, LAMBDAS, define, results
for name, (source, expected) in LAMBDAS.items():
    if name == "that differ in a default":
        continue  # of one code
    assert results(define(HEAD + source + "\\n")["found"]) == expected, name
"""


# Where a new process finds this module.
PATH = os.pathsep.join(item for item in sys.path if item)


def test_where_python_keeps_no_columns():
    done = end_of(WITHOUT_COLUMNS, PYTHONNODEBUGRANGES="1", PYTHONPATH=PATH)
    assert done.returncode == 0, done.stderr


def test_lambdas_of_one_line_that_only_columns_tell_apart():
    source = "f, g = lambda x: x * (1 + 1), lambda x: x * 2\n"
    program = (
        "from kernel_source import define\nimport numpy_plugin as npp\n"
        f"names = define({source!r}, 'two.py')\n"
        "npp.vectorize(['float64(float64)'])(names['g'])\n"
    )
    done = end_of(program, python=("-X", "no_debug_ranges"), PYTHONPATH=PATH)
    assert done.stderr.endswith(
        "numpy_plugin.KernelError: 2 lambdas on this line cannot be distinguished: Python has not "
        "kept their columns\n"
        '  File "two.py", line 1, in <lambda>\n'
        f"    {source}"
        "           ^^^^^^^^^^^^^^^^^^^^^\n"
        "  hint: write each on a line of its own, or leave out -X no_debug_ranges\n"
    )
    f = define(source)["g"]
    assert npp.vectorize(["float64(float64)"])(f)(5.0) == 10


def test_the_error_of_one_of_two_equal_lambdas_is_at_its_own_place():
    names = define("f, g = lambda x: x << 1, lambda x: x << 1\n")
    for name, column in (("f", 18), ("g", 36)):
        with pytest.raises(npp.KernelError) as caught:
            npp.vectorize(["float64(float64)"])(names[name])
        assert caught.value.diagnostics[0].column == column


NAMES = {
    "nested functions of one name": (
        "def outer(x):\n    def f(x):\n        return x + 1.0\n    return f\n"
        "def f(x):\n    def f(x):\n        return x + 2.0\n    return f\n"
        "def g(x):\n    def f(x):\n        return x + 1.0\n    return f\n"
        "found = [npp.vectorize(F)(k(0)) for k in (outer, f, g)]",
        (6, 7, 6),
    ),
    "a function that is defined again": (
        "def f(x):\n    return x + 1.0\nfirst = f\ndef f(x):\n    return x + 2.0\n"
        "found = npp.vectorize(F)(first), npp.vectorize(F)(f)",
        (6, 7),
    ),
    "branches": (
        "if False:\n    def f(x):\n        return x + 1.0\nelse:\n    def f(x):\n"
        "        return x + 2.0\nfound = (npp.vectorize(F)(f),)",
        (7,),
    ),
    "names that a class hides": (
        "class Table:\n    @npp.vectorize(F)\n    def f(__x):\n        return __x + 1.0\n"
        "    g = npp.vectorize(F)(lambda __x: __x + 2.0)\nfound = Table.f, Table.g",
        (6, 7),
    ),
}


@pytest.mark.parametrize("form", NAMES)
def test_equal_names(form):
    source, expected = NAMES[form]
    assert results(define(HEAD + source + "\n")["found"]) == expected


def test_an_edit_of_a_name_that_begins_with_underscores_is_noticed(tmp_path):
    path = tmp_path / "hidden.py"
    source = "def f(__x):\n    return __x + 1.0\n"
    namespace: dict[str, object] = {"__name__": "hidden"}
    exec(compile(source, str(path), "exec"), namespace)
    path.write_text(source.replace("+", "-"))
    with pytest.raises(npp.KernelError, match="has changed since it was loaded"):
        npp.vectorize(["float64(float64)"])(namespace["f"])


def test_functions_that_exec_made_of_one_file_name():
    """The text in linecache is that of the last; an earlier function is not taken for it."""
    first = define("def f(x):\n    return x + 1.0\n", "<generated>")["f"]
    second = define("def f(x):\n    return x - 1.0\n", "<generated>")["f"]
    assert npp.vectorize(["float64(float64)"])(second)(5.0) == 4
    with pytest.raises(npp.KernelError, match="cannot be read: it was created by exec"):
        npp.vectorize(["float64(float64)"])(first)


def test_cells_that_define_a_name_twice():
    pytest.importorskip("IPython")
    from notebook import notebook

    with notebook(npp=npp) as run_cell:
        run_cell(
            HEAD + "f = lambda c: npp.vectorize(F)(lambda x: x * c)\n"
            "def g(x):\n    return x + 1.0\nfirst = npp.vectorize(F)(g)\n"
            "def g(x):\n    return x + 2.0\nfound = f(2.0), first, npp.vectorize(F)(g)\n"
        )
        assert results(run_cell.names["found"]) == (10, 6, 7)
