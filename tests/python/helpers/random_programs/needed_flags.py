"""Which kinds of floating-point errors of a program a kernel must report.

Of work that makes no difference to the result a compiler may leave the flags out, and of work on
numbers that it knows. So the oracle is run again with other values in the place of one operation's.
"""

from __future__ import annotations

import copy
import itertools
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from flag_kinds import collected_kinds

from random_programs.dtypes import DTYPES, FLOATS
from random_programs.oracle import expected
from random_programs.runner import are_same
from random_programs.tree import Program, expressions_of

Columns = dict[str, np.ndarray]
# An operation identified by the number of its text and the bytes of its value: where both are
# equal, compilers compute it once.
Name = tuple[int, bytes]
# An operation identified by its text and all previously evaluated ones, and whether each was 0.
Path = tuple[object, ...]


def rows_of(columns: Columns) -> list[Columns]:
    """Return columns of one element each."""
    count = len(next(iter(columns.values())))
    return [
        {name: column[row : row + 1] for name, column in columns.items()} for row in range(count)
    ]


@dataclass
class Watch:
    """What each operation of a run raises; in place of one's value another is handed on."""

    program: Program
    operands: Columns
    replaced: Name | None = None
    replacement: np.ndarray | None = None
    kinds: dict[Name, set[str]] = field(default_factory=dict)
    types: dict[Name, str] = field(default_factory=dict)
    path: list[tuple[int, bool]] = field(default_factory=list)
    paths: dict[Name, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = {"operation": self.operation, "other": self.other}
        with collected_kinds() as self.raised:
            self.results = expected(self.program, self.operands, **names)

    def operation(self, text: int, type: str, value: object) -> object:
        name = (text, np.asarray(value).tobytes())
        self.types[name] = type
        self.paths[name] = (text, *self.path)
        self.kinds.setdefault(name, set()).update(self.raised)
        return self.replacement if name == self.replaced else self.other(text, value)

    def other(self, text: int, value: object) -> object:
        """Note what is evaluated, for integers whether it is 0: code has branches for that."""
        is_whole = np.asarray(value).dtype.kind in "biu"
        self.path.append((text, is_whole and not np.any(value)))
        self.raised.clear()  # by a conversion between operations
        return value

    def changes(self, name: Name, value: np.ndarray) -> bool:
        """Return whether the results are others where an operation has another value."""
        changed = Watch(self.program, self.operands, name, value).results
        return not all(map(are_same, changed, self.results, itertools.repeat(True)))

    def depends_on(self, name: Name) -> bool:
        """Return whether the results depend on an operation's value, on both parts if complex."""
        dtype = DTYPES[self.types[name]]
        value = np.frombuffer(name[1], dtype)
        if dtype.kind == "c":
            reals = [real + 1j * value.imag for real in (5.0, -1.25, np.nan)]
            imags = [value.real + 1j * imag for imag in (5.0, -1.25, np.nan)]
            return all(
                any(self.changes(name, other.astype(dtype)) for other in others)
                for others in (reals, imags)
            )
        numbers = [False, True, 5, 99] + [1.25, -7.0, np.nan] * (self.types[name] in FLOATS)
        return any(self.changes(name, np.array([number]).astype(dtype)) for number in numbers)


def _watched(program: Program) -> Program:
    """Return the program with an oracle that hands the values of its operations to a Watch."""
    made = copy.deepcopy(program)
    numbers: defaultdict[str, int] = defaultdict(itertools.count().__next__)
    for each in [*made.callees(), made]:
        for expression in expressions_of(each.body):
            number = numbers[expression.text(is_kernel=True)]
            is_operation = expression.operands and not expression.callee
            if is_operation and expression.type in DTYPES:
                expression.oracle = f"operation({number}, {expression.type!r}, {expression.oracle})"
            else:
                expression.oracle = f"other({number}, {expression.oracle})"
    return made


def _shuffled(columns: Columns, times: int) -> list[Columns]:
    """Return rows with the columns' numbers, in other combinations."""
    generator = np.random.default_rng(0)
    return [
        row
        for _ in range(times)
        for row in rows_of({n: generator.permutation(c) for n, c in columns.items()})
    ]


def needed_kinds(program: Program, columns: Columns) -> list[set[str]]:
    """Return for each row what operations raise whose value the results depend on.

    Compilers know the value of an operation that is the same whenever the program takes a path.
    """
    program = _watched(program)
    watches = [Watch(program, row) for row in rows_of(columns)]
    values: defaultdict[Path, set[bytes]] = defaultdict(set)
    for watch in watches + [Watch(program, row) for row in _shuffled(columns, 5)]:
        for name, path in watch.paths.items():
            values[path].add(name[1])
    needed = []
    for watch in watches:
        found: set[str] = set()
        for name, kinds in watch.kinds.items():
            is_known = len(values[watch.paths[name]]) == 1
            if kinds - found and not is_known and watch.depends_on(name):
                found |= kinds
        needed.append(found)
    return needed
