"""The same mistakes in all forms that a function has: message, place, notes and hint stay the same.

Only file, line and column differ; those are checked too.
"""

import math
import re
import textwrap

import numpy as np
import pytest
from golden_entries import ENTRIES, declare, names_for
from golden_scenes import import_file
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

# Errors of kernels that are a single function. The front end rejects them: nothing is compiled.
SINGLE = [
    entry
    for entry in ENTRIES.values()
    if entry.source.startswith("def f(") and not entry.how and not entry.is_warning
]
PLACE = re.compile(r'^  File "\w+\.py", line (\d+)', re.MULTILINE)


def error_text(entry, function) -> str:
    with pytest.raises(npp.KernelError) as caught:
        declare(entry, function)
    return str(caught.value)


def moved(text: str, place: str, n_lines: int) -> str:
    """Return a golden text with its places in another file, so many lines further down."""
    text = PLACE.sub(lambda found: f"  {place}, line {int(found[1]) + n_lines}", text)
    return re.sub(r"in line (\d+)$", lambda found: f"in line {int(found[1]) + n_lines}", text)


def differences(functions, place: str, n_lines: int = 0) -> dict[str, tuple[str, str]]:
    """Return what is read and what should be, of the entries whose texts are not the same.

    `functions` gives the function of an entry; `place` is the file's, of the entry's name.
    """
    wrong = {}
    for entry in SINGLE:
        found = error_text(entry, functions(entry))
        expected = moved(entry.text, place.format(name=entry.name), n_lines)
        if found != expected:
            wrong[entry.name] = (found, expected)
    return wrong


def names_of(entry) -> dict[str, object]:
    return {"math": math, **names_for(entry.source)}


def test_there_are_many():
    assert len(SINGLE) > 80


def test_imported_files(tmp_path):
    def function(entry):
        path = tmp_path / f"{entry.name}.py"
        path.write_text(f'"""A module."""\n\n{entry.source}')
        return import_file(path, **names_of(entry)).f

    assert differences(function, f'File "{tmp_path}/{{name}}.py"', 2) == {}


def test_notebook_cells():
    pytest.importorskip("IPython")
    from notebook import notebook

    with notebook(np=np, npp=npp, cuda=cuda) as run_cell:
        for number, entry in enumerate(SINGLE, 1):
            names = names_of(entry)
            assert run_cell(f"# {entry.name}\n{entry.source}", **names) is None
            found = error_text(entry, run_cell.names["f"])
            assert found == moved(entry.text, f"Cell In[{number}]", 1)


BLOCKS = {
    "nested": ("def outer():\n", "    return f\nf = outer()\n", 1),
    "static method": ("class Holder:\n    @staticmethod\n", "f = Holder.f\n", 2),
    "conditional": ("if True:\n    # a comment\n\n", "else:\n    f = None\n", 3),
}


@pytest.mark.parametrize("form", BLOCKS)
def test_indented(form):
    before, after, n_lines = BLOCKS[form]

    def function(entry):
        source = before + textwrap.indent(entry.source, "    ") + after
        return define(source, f"{entry.name}.py", **names_for(source))["f"]

    assert differences(function, 'File "{name}.py"', n_lines) == {}


DECORATORS = """\
def same(*_):
    return lambda function: function

@same()
# a comment
@same(
    "of two",
    "lines",
)
"""


def test_decorated():
    def function(entry):
        return define(DECORATORS + entry.source, f"{entry.name}.py", **names_for(entry.source))["f"]

    assert differences(function, 'File "{name}.py"', DECORATORS.count("\n")) == {}


def parts(text: str) -> list[str]:
    """Return a text without places, each line with an underline as what is underlined."""
    found: list[str] = []
    for line in text.splitlines():
        if re.fullmatch(r"    [ \t]*\^+", line):
            found[-1] = found[-1][line.index("^") : len(line)]
        elif not re.match(r"  (File|Cell) ", line):
            found.append(line)
    return found


HEAD = re.compile(r"def f\((.*)\):\n    return (.*)\n")
# Differences for a lambda: f is another name, there is no 'return', a tuple has parentheses.
NO_LAMBDA = {
    "calls_itself",
    "guvectorize_returns",
    "two_values_for_one_result",
    "tuple_of_one",
    "two_values_returned_into_one_array",
}
ONE_RETURN = [
    entry for entry in SINGLE if HEAD.fullmatch(entry.source) and entry.name not in NO_LAMBDA
]


@pytest.mark.parametrize("entry", ONE_RETURN, ids=lambda entry: entry.name)
def test_lambdas(entry):
    source = HEAD.sub(r"f = [lambda: 0, (lambda \1: (\2))][1]\n", entry.source)
    found = error_text(entry, define(source, **names_for(source))["f"])
    assert parts(found) == parts(entry.text.replace("f takes", "the lambda takes"))
