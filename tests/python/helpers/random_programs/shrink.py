"""Makes a failing program small: leaves out what it fails without."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from random_programs.dtypes import CASTS, DTYPES
from random_programs.tree import Expression, Program, Statement, expressions_of, statements_of

_MOST_TRIES = 200


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """Return a program that still fails and of which no smaller one was found to."""
    tries = 0
    is_smaller = True
    while is_smaller and tries < _MOST_TRIES:
        is_smaller = False
        for candidate in _candidates(program):
            tries += 1
            if fails(candidate):
                program = candidate
                is_smaller = True
                break
            if tries >= _MOST_TRIES:
                break
    return program


def _candidates(program: Program) -> Iterator[Program]:
    yield from _without_statements(program)
    yield from _with_opened_blocks(program)
    yield from _with_smaller_expressions(program)


def _blocks(block: list[Statement]) -> list[list[Statement]]:
    return [block, *[inner for each in statements_of(block) for inner in each.blocks]]


def _without_statements(program: Program) -> Iterator[Program]:
    for block_number, block in enumerate(_blocks(program.body)):
        for number, statement in enumerate(block):
            if statement.fixed:
                continue
            smaller = copy.deepcopy(program)
            del _blocks(smaller.body)[block_number][number]
            yield smaller


def _with_opened_blocks(program: Program) -> Iterator[Program]:
    for block_number, block in enumerate(_blocks(program.body)):
        for number, statement in enumerate(block):
            if statement.blocks and statement.kernel.startswith("if"):
                smaller = copy.deepcopy(program)
                outer = _blocks(smaller.body)[block_number]
                outer[number : number + 1] = outer[number].blocks[0]
                yield smaller


def _simpler(expression: Expression) -> list[Expression]:
    """Return what may replace an expression: an operand of its type, or a number."""
    found = [operand for operand in expression.operands if operand.type == expression.type]
    if expression.operands and expression.type in DTYPES:
        text = f"{CASTS[expression.type]}(1)"
        found.append(Expression(expression.type, text, f"as_{expression.type}(1)"))
    return found


def _with_smaller_expressions(program: Program) -> Iterator[Program]:
    for number, expression in enumerate(expressions_of(program.body)):
        for choice in range(len(_simpler(expression))):
            smaller = copy.deepcopy(program)
            changed = list(expressions_of(smaller.body))[number]
            other = _simpler(changed)[choice]
            changed.kernel, changed.oracle = other.kernel, other.oracle
            changed.operands, changed.callee = other.operands, other.callee
            yield smaller
