"""Floating-point errors of random programs: what a call reports, must report, and may."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from flag_kinds import collected_kinds
from kernel_source import function

import numpy_plugin as npp
from random_programs.dtypes import DTYPES, FLOATS
from random_programs.generator import Generator
from random_programs.needed_flags import Columns, needed_kinds, rows_of
from random_programs.oracle import expected
from random_programs.runner import N_ELEMENTS, Batch, make_operands
from random_programs.tree import Expression, Program, expressions_of


def _expressions(program: Program) -> Iterator[Expression]:
    for each in [*program.callees(), program]:
        yield from expressions_of(each.body)


def _own(program: Program, operands: Columns) -> Columns:
    return {name: operands[type] for name, type in program.parameters.items()}


def flag_operands(seed: int) -> Columns:
    """Return a column for each dtype, those of floating numbers with corners above all."""
    generator = np.random.default_rng(seed)
    columns = make_operands(seed)
    for name in FLOATS:
        largest = float(np.finfo("f4" if name == "bf16" else DTYPES[name]).max)
        numbers = [0.0, -0.0, 1.0, -1.0, 0.25, -2.5, 300.0, 7e4, 1e10, -1e10, 1e300]
        numbers += [2.0**31, 2.0**63, largest, -largest, np.inf, -np.inf, np.nan]
        with np.errstate(all="ignore"):
            columns[name] = generator.permutation(numbers)[:N_ELEMENTS].astype(DTYPES[name])
    return columns


def _reported(program: Program, operands: Columns) -> set[str]:
    with collected_kinds() as kinds:
        expected(program, operands)
    return kinds


def flag_programs(seed: int, count: int) -> tuple[list[Program], Columns]:
    """Return exact programs of which NumPy reports something, and a column for each dtype."""
    generator = Generator(seed, 1)
    operands = flag_operands(seed)
    programs: list[Program] = []
    while len(programs) < count:
        program = generator.program()
        is_exact = program.is_exact and all(each.type != "bf16" for each in _expressions(program))
        if is_exact and _reported(program, _own(program, operands)):
            programs.append(program)
    return programs, operands


def flag_difference(program: Program, operands: Columns) -> str:
    """Run a program alone; say which kinds a call reports too many or too few."""
    batch = Batch([program], operands)
    ufunc = npp.vectorize(cache=False)(function(batch.source()))

    def difference(columns: Columns, needed: set[str], possible: set[str]) -> str:
        with collected_kinds() as found:
            ufunc(*columns.values())
        if needed <= found <= possible:
            return ""
        given = _own(program, columns)
        return f"{found}; needed: {needed}; NumPy: {possible}\n{given}\n{batch.source()}"

    own = _own(program, operands)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        possible = [_reported(program, row) for row in rows_of(own)]
        needed = needed_kinds(program, own)
        texts = list(map(difference, rows_of(operands), needed, possible))
        for repeats in (1, 20):
            columns = {name: np.tile(column, repeats) for name, column in operands.items()}
            texts.append(difference(columns, set().union(*needed), set().union(*possible)))
    return next(filter(None, texts), "")
