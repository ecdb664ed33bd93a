"""Directives that show the tables of the C++ sources, the commands and the example programs.

- `npp-table`: the dtypes, options or liberties of src/**/*.def
- `npp-functions`: the functions that kernels can call, a section for each module
- `npp-names`: the public names of a module, with the first lines of their docstrings
- `npp-commands`: the help of `python -m numpy_plugin` and its commands
- `npp-examples`: the programs of examples/, with their source
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from def_tables import TABLES, functions, markdown_table
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]

# Modules under the names that documents give them.
MODULES = {"builtins": "Python", "numpy": "np"}


class TableDirective(SphinxDirective):
    """Shows one of TABLES."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table's nodes."""
        return self.parse_text_to_nodes("\n".join(TABLES[self.arguments[0]]()))


class FunctionsDirective(SphinxDirective):
    """Shows the functions of each module in a section of its own."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        lines: list[str] = []
        for module, names in sorted(functions().items()):
            lines += [f"## {MODULES.get(module, module)}", ""]
            lines += [*markdown_table(["evaluation", "functions"], by_evaluation(names)), ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def by_evaluation(names: dict[str, str]) -> list[list[str]]:
    """Return a row for each evaluation with its functions."""
    ways = sorted(set(names.values()))
    return [
        [way, ", ".join(f"`{name}`" for name in sorted(names) if names[name] == way)]
        for way in ways
    ]


class NamesDirective(SphinxDirective):
    """Shows the public names of a module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table's nodes."""
        module = importlib.import_module(self.arguments[0])
        rows = [[f"`{name}`", summary(getattr(module, name))] for name in sorted(module.__all__)]
        return self.parse_text_to_nodes("\n".join(markdown_table(["name", ""], rows)))


def summary(value: object) -> str:
    """Return the first sentence of an object's docstring; for a constant, its value."""
    if value is None or isinstance(value, (float, str)):
        return f"`{value!r}`"
    doc = inspect.getdoc(value) or ""
    first = next((part for part in doc.split("\n\n") if not is_signature(part)), "")
    return " ".join(first.split()).replace("|", "\\|").replace("*", "\\*")


def is_signature(paragraph: str) -> bool:
    """Whether a paragraph of a docstring is the signature that begins NumPy's ufuncs'."""
    return re.match(r"\w+\(.*\)", paragraph, re.DOTALL) is not None


class CommandsDirective(SphinxDirective):
    """Shows the help of each command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        lines = []
        for name, text in command_helps():
            lines += [f"## {name}", "", "```text", text.rstrip(), "```", ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def command_helps() -> Iterator[tuple[str, str]]:
    """Yield each command's name and help."""
    from numpy_plugin.__main__ import make_parser

    parser = make_parser()
    yield "python -m numpy_plugin", parser.format_help()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name, command.format_help()


class ExamplesDirective(SphinxDirective):
    """Shows each program of examples/, titled by its docstring."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        lines = StringList()
        for path in sorted((ROOT / "examples").glob("*.py")):
            self.env.note_dependency(str(path))
            text = path.read_text(encoding="utf-8")
            title = (ast.get_docstring(ast.parse(text)) or path.name).splitlines()[0]
            code = ["```python", *text.rstrip().splitlines(), "```", ""]
            for line in [f"## {path.name}", "", title, "", *code]:
                lines.append(line, str(path))
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app: Any) -> dict[str, bool]:
    """Add the directives to a Sphinx application."""
    app.add_directive("npp-table", TableDirective)
    app.add_directive("npp-functions", FunctionsDirective)
    app.add_directive("npp-names", NamesDirective)
    app.add_directive("npp-commands", CommandsDirective)
    app.add_directive("npp-examples", ExamplesDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
