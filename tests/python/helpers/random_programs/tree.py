"""Programs as trees. Each node knows its text in a kernel and in the Python that predicts it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

INDENT = "    "


@dataclass
class Expression:
    """A value. The texts have a `{}` field for each operand."""

    type: str
    kernel: str
    oracle: str
    operands: list[Expression] = field(default_factory=list)
    callee: Program | None = None

    def text(self, is_kernel: bool) -> str:
        texts = [operand.text(is_kernel) for operand in self.operands]
        return (self.kernel if is_kernel else self.oracle).format(*texts)


@dataclass
class Statement:
    """A line, and the blocks below it. The shrinker leaves out what is not `fixed`."""

    kernel: str
    oracle: str
    expressions: list[Expression] = field(default_factory=list)
    blocks: list[list[Statement]] = field(default_factory=list)
    fixed: bool = False

    def lines(self, is_kernel: bool, indent: str) -> Iterator[str]:
        texts = [expression.text(is_kernel) for expression in self.expressions]
        yield indent + (self.kernel if is_kernel else self.oracle).format(*texts)
        for number, block in enumerate(self.blocks):
            if number and not block:
                continue
            if number:
                yield indent + "else:"
            yield from block_lines(block, is_kernel, indent + INDENT)


def block_lines(block: list[Statement], is_kernel: bool, indent: str) -> Iterator[str]:
    if not block:
        yield indent + "pass"
    for statement in block:
        yield from statement.lines(is_kernel, indent)


@dataclass
class Program:
    """A device function. `widened` are parameters whose variable has a wider type."""

    name: str
    parameters: dict[str, str]
    results: list[str]
    widened: dict[str, str] = field(default_factory=dict)
    body: list[Statement] = field(default_factory=list)
    is_exact: bool = True

    def source(self, is_kernel: bool) -> str:
        lines = [f"def {self.name}({', '.join(self.parameters)}):"]
        if is_kernel:
            lines.insert(0, "@npp.device")
        else:
            lines += [f"{INDENT}{name} = as_{type}({name})" for name, type in self.widened.items()]
        return "\n".join([*lines, *block_lines(self.body, is_kernel, INDENT)]) + "\n"

    def callees(self) -> list[Program]:
        """Return the programs that this one calls, those first that others call."""
        found: list[Program] = []
        for expression in expressions_of(self.body):
            if expression.callee is not None:
                for program in [*expression.callee.callees(), expression.callee]:
                    if program not in found:
                        found.append(program)
        return found


def statements_of(block: list[Statement]) -> Iterator[Statement]:
    for statement in block:
        yield statement
        for inner in statement.blocks:
            yield from statements_of(inner)


def expressions_of(block: list[Statement]) -> Iterator[Expression]:
    def walk(expression: Expression) -> Iterator[Expression]:
        yield expression
        for operand in expression.operands:
            yield from walk(operand)

    for statement in statements_of(block):
        for expression in statement.expressions:
            yield from walk(expression)
