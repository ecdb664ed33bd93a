"""The rows of the semantics table: expressions of two operands, grouped into few kernels.

An operand's name says its side and dtype: `l_i1` is a column of values, `r_i1` a row of them, so
that an expression of two meets all pairs. A kernel takes what its expressions need; NumPy allows 64
operands.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from functools import cache

import ml_dtypes
import numpy as np

DTYPES = ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
DTYPES += ["f2", "bf16", "f4", "f8", "c8", "c16"]
INTEGERS = [name for name in DTYPES if name[0] in "iu"]
REALS = ["f2", "bf16", "f4", "f8"]
COMPLEX = ["c8", "c16"]
WHOLE = ["bool", *INTEGERS]

ARITHMETIC = ["+", "-", "*", "/", "//", "%"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
BITWISE = ["&", "|", "^", "<<", ">>"]
OPERATORS = ARITHMETIC + COMPARISONS + BITWISE

_MOST_OPERANDS = 60


def dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bf16" else name)


@cache
def values(name: str) -> np.ndarray:
    """Return twelve values of a dtype: ordinary numbers and its corners."""
    return np.resize(_corners(name), 12)


def _corners(name: str) -> np.ndarray:
    kind = dtype(name)
    if name == "bool":
        return np.array([False, True])
    if name in INTEGERS:
        info = np.iinfo(kind)
        numbers = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.min + 1]
        return np.array(numbers, kind)
    if name in REALS:
        numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, 7.0, 1e4, np.inf, -np.inf, np.nan]
        return np.array(numbers).astype(kind)
    return np.array([1 + 2j, -0.5 + 0.25j, 3 - 4j, -2j, 2.5, -1], kind)


def has_type(symbol: str, left: str, right: str) -> bool:
    """Whether NumPy has the operator for the two dtypes, and a kernel means the same by it."""
    both = {left, right}
    if symbol in BITWISE:
        is_whole = both <= set(WHOLE)
        return is_whole and not ("u8" in both and both & {"i1", "i2", "i4", "i8"})
    if both & set(COMPLEX):
        return symbol in ["+", "-", "*", "/", "==", "!="]
    return not (symbol == "-" and both == {"bool"})


def rows_of_pairs(symbols_of: dict[tuple[str, str], list[str]]) -> list[str]:
    return [
        f"l_{left} {symbol} r_{right}"
        for (left, right), symbols in symbols_of.items()
        for symbol in symbols
        if has_type(symbol, left, right)
    ]


def all_rows() -> list[str]:
    """Return every operator for every pair of dtypes."""
    return rows_of_pairs({pair: OPERATORS for pair in itertools.product(DTYPES, DTYPES)})


def some_rows() -> list[str]:
    """Return every operator for equal dtypes, and one of each kind in turn for every other pair."""
    chosen: dict[tuple[str, str], list[str]] = {}
    for number, (left, right) in enumerate(itertools.product(DTYPES, DTYPES)):
        kinds = (["+", "*", "-"], ["/", "//", "%"], COMPARISONS, BITWISE)
        turn = [kind[number % len(kind)] for kind in kinds]
        chosen[left, right] = OPERATORS if left == right else turn
    return rows_of_pairs(chosen)


def literal_rows() -> list[str]:
    """Return plain numbers on both sides: they take the operand's type, or a wider kind's."""
    rows = []
    for name in DTYPES:
        for symbol, literal in itertools.product([*ARITHMETIC, "<", "=="], ["3", "2.5"]):
            if has_type(symbol, name, "i8"):
                rows += [f"l_{name} {symbol} {literal}", f"{literal} {symbol} l_{name}"]
        if name in WHOLE:
            rows += [f"l_{name} {symbol} 1" for symbol in BITWISE]
            rows += [f"1 {symbol} l_{name}" for symbol in BITWISE]
        rows += [f"l_{name} + 1j", f"2j * l_{name}", f"True + l_{name}"]
    return rows


def power_rows() -> list[str]:
    rows = []
    for name in DTYPES[1:]:  # int64 for a bool, as for a NumPy scalar
        rows += [f"l_{name} ** 2", f"l_{name} ** 1", f"l_{name} ** 0"]
        if name in REALS and name != "bf16":
            rows += [f"l_{name} ** 0.5", f"l_{name} ** -1"]
        if name in WHOLE:
            rows += [f"l_{name} ** r_u1", f"l_{name} ** 3"]
    return rows


def unary_rows() -> list[str]:
    rows = [f"not l_{name}" for name in DTYPES]
    rows += [f"{sign}l_{name}" for sign in "+-" for name in DTYPES if name != "bool"]
    rows += [f"~l_{name}" for name in WHOLE]
    return rows + [f"abs(l_{name})" for name in DTYPES if name not in COMPLEX]


def chosen_rows() -> list[str]:
    """Return what gives one of several values: the common type."""
    rows = []
    for number, (left, right) in enumerate(itertools.product(DTYPES, DTYPES)):
        is_complex = bool({left, right} & set(COMPLEX))
        one, other = f"l_{left}", f"r_{right}"
        texts = [f"({one} if l_bool else {other})", f"({one} and {other})", f"({one} or {other})"]
        texts += [] if is_complex else [f"min({one}, {other})", f"max({one}, {other})"]
        rows.append(texts[number % len(texts)])
    for name in DTYPES:
        rows += [f"(l_{name} if r_bool else 1)", f"(l_{name} if r_bool else 2.5)"]
    return rows


def cast_rows() -> list[str]:
    """Return casts of every dtype to every other that has one."""
    rows = []
    for source, target in itertools.product(DTYPES, DTYPES):
        if source not in COMPLEX or target in COMPLEX:
            rows.append(f"to_{target}(l_{source})")
    return rows


def operands_of(row: str) -> set[str]:
    return set(re.findall(r"\b[lr]_\w+", row))


def kernels(rows: Iterable[str]) -> list[tuple[list[str], list[str]]]:
    """Group rows: each group is a kernel's operands and the expressions it returns."""
    groups: list[tuple[list[str], list[str]]] = []
    operands: set[str] = set()
    group: list[str] = []
    for row in rows:
        wider = operands | operands_of(row)
        if len(wider) + len(group) + 1 > _MOST_OPERANDS:
            groups.append((sorted(operands), group))
            wider, group = operands_of(row), []
        operands = wider
        group = [*group, row]
    return [*groups, (sorted(operands), group)]
