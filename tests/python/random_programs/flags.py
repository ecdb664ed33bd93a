"""Floating-point errors of random programs: a kernel reports no kind that NumPy does not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from kernel_source import function

import numpy_plugin as npp
from random_programs.generator import Generator
from random_programs.oracle import expected
from random_programs.runner import Batch, make_operands
from random_programs.tree import Expression, Program, expressions_of

# What vector functions report of underflow is approximate.
_KINDS = {"divide by zero", "overflow", "invalid value"}


class Raised:
    """`with Raised() as raised:` collects the kinds that NumPy reports into raised.kinds."""

    def __enter__(self) -> Raised:
        self.kinds: set[str] = set()
        self._state = np.errstate(all="call", call=self._add)
        self._state.__enter__()
        return self

    def _add(self, kind: str, flag: int) -> None:
        self.kinds |= {kind} & _KINDS

    def __exit__(self, *exception: object) -> None:
        self._state.__exit__(*exception)


def flag_programs(seed: int, count: int) -> tuple[list[Program], dict[str, np.ndarray]]:
    """Return exact programs and a column of numbers for each dtype."""
    generator = Generator(seed, 1)
    programs: list[Program] = []
    while len(programs) < count:
        program = generator.program()
        if program.is_exact and not any(each.type == "bf16" for each in _expressions(program)):
            programs.append(program)
    return programs, make_operands(seed)


def _expressions(program: Program) -> Iterator[Expression]:
    for each in [*program.callees(), program]:
        yield from expressions_of(each.body)


def flag_difference(program: Program, operands: dict[str, np.ndarray]) -> str:
    """Run a program alone; say which kinds a call reports that NumPy does not."""
    batch = Batch([program], operands)
    own = {name: operands[type] for name, type in program.parameters.items()}
    ufunc = npp.vectorize(cache=False)(function(batch.source()))
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in range(len(next(iter(own.values())))):
            one = {name: column[row : row + 1] for name, column in own.items()}
            with Raised() as wanted:
                expected(program, one)
            with Raised() as found:
                ufunc(*[column[row : row + 1] for column in operands.values()])
            rows.append(wanted.kinds)
            if not found.kinds <= wanted.kinds:
                return f"{found.kinds} for {one}; NumPy: {wanted.kinds}\n{batch.source()}"
        for repeats in (1, 20):
            with Raised() as found:
                ufunc(*[np.tile(column, repeats) for column in operands.values()])
            if not found.kinds <= set().union(*rows):
                return f"{found.kinds} for {own} * {repeats}; NumPy: {rows}\n{batch.source()}"
    return ""
