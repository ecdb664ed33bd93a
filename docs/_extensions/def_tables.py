"""The tables of the C++ sources, src/**/*.def, as Markdown."""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src/numpy_plugin"

OPERATIONS = "kernel/operations.def"
EVALUATIONS = {"kExact": "exact", "kVector": "vector", "kLibrary": "scalar"}


def table_rows(path: str, macro: str) -> list[list[str]]:
    """Return the arguments of each row of a table: strings without quotes, all else as it is.

    Raises:
        ValueError: the file has no such row.
    """
    text = (SOURCE / path).read_text(encoding="utf-8")
    found = re.findall(rf"^ *{macro}\((.*)\)(?:\s*//.*)?$", text, re.MULTILINE)
    if not found:
        raise ValueError(f"{path} has no row {macro}")
    return [_arguments(row) for row in found]


def _arguments(row: str) -> list[str]:
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'.\'|(?:[^,"<>{}]|<[^>]*>|\{[^}]*\})+', row)
    return [part.strip().strip("\"'") for part in parts if part.strip()]


def markdown_table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def dtype_table() -> list[str]:
    """Return the table of dtypes."""
    rows = [
        [f"`{name}`", f"`{character}`", kind[1:].lower(), size, f"`{cpp}`"]
        for _, name, character, _, cpp, kind, size in table_rows("base/dtype.def", "NPP_DTYPE")
    ]
    return markdown_table(["dtype", "character", "kind", "bytes", "in C++ kernels"], rows)


def option_table() -> list[str]:
    """Return the table of declarations' options."""
    rows = []
    for _, name, default, text in table_rows("declaration/options.def", "NPP_DECLARATION_OPTION"):
        unset = "the function's" if name in ("name", "doc") else "none"
        shown = {"": unset, "{}": "none", "true": "`True`"}.get(default, f"`{default}`")
        rows.append([f"`{name}`", shown, text])
    return markdown_table(["option", "default", "meaning"], rows)


def fastmath_table() -> list[str]:
    """Return the table of liberties."""
    rows = table_rows("base/fast_math.def", "NPP_FAST_MATH")
    return markdown_table(["name", "liberty"], [[f"`{name}`", text] for name, text in rows])


TABLES = {"dtypes": dtype_table, "options": option_table, "fastmath": fastmath_table}


def evaluations() -> dict[str, str]:
    """Return how each operation is evaluated, by enumerator."""
    rows = table_rows(OPERATIONS, "NPP_OPERATION")
    rows += [row[1:] for row in table_rows(OPERATIONS, "NPP_OPERATION_OF")]
    return {row[0]: EVALUATIONS[row[-1]] for row in rows if row[-1] in EVALUATIONS}


def functions() -> dict[str, dict[str, str]]:
    """Return the evaluation of each function that kernels can call, by module and name."""
    known = evaluations()
    found: dict[str, dict[str, str]] = {}
    for module, name, operation, rule in table_rows(OPERATIONS, "NPP_PYTHON_NAME"):
        evaluation = "complex" if rule == "kComplexMath" else known[operation]
        found.setdefault(module, {})[name] = evaluation
    for qualified, _ in table_rows("infer/calls/builtins.def", "NPP_BUILTIN"):
        module, _, name = qualified.rpartition(".")
        found.setdefault(module, {}).setdefault(name, "composed")
    for name in written_functions():
        found["numpy"][name] = "written"
    return found


def written_functions() -> list[str]:
    """Return the names of NumPy's functions that are written in the kernel language."""
    from numpy_plugin._frontend.array_calls import EXPANSIONS

    return list(EXPANSIONS)
