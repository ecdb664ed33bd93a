"""Machine instructions that a thread of a device kernel executes, counted in a listing.

The rule: a listing is a graph whose edges are "next instruction" and branches; a branch that has
a condition goes both ways, and so does an `EXIT` that has one. Of all ways from the entry to an
`EXIT` without a step back, the counted one stores the most bytes to global memory, and is the
shortest of those: where a kernel has full tiles of vectors that is the path of a full tile, with
every fast path taken. Where a number of steps back is given, the way has exactly as many: a loop
that is gone through three times has two.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PathCount", "count_path"]

LABEL = re.compile(r"\s*(\.L\w+):")
INSTRUCTION = re.compile(
    r"/\*[0-9a-f]{4,}\*/\s+\{?\s*(?P<guard>@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9_.]*)(?P<rest>[^;]*);"
)
TARGET = re.compile(r"`\((\.L\w+)\)")
ACCESS_BYTES = {"256": 32, "128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}


class Instruction(NamedTuple):
    """One line of a listing.

    Attributes:
        name: with its suffixes.
        is_guarded: whether a predicate decides.
        operands: the rest of the line.
    """

    name: str
    is_guarded: bool
    operands: str

    @property
    def stored_bytes(self) -> int:
        """Bytes written to global memory by a thread."""
        name, *suffixes = self.name.split(".")
        if name != "STG":
            return 0
        return next((ACCESS_BYTES[s] for s in suffixes if s in ACCESS_BYTES), 4)


class PathCount(NamedTuple):
    """Instructions on the counted path through a kernel.

    Attributes:
        n_instructions: executed by a thread.
        stored_bytes: written to global memory.
        n_vector_accesses: loads and stores of global memory with 16 bytes or more.
        total: instructions of the whole kernel.
    """

    n_instructions: int
    stored_bytes: int
    n_vector_accesses: int
    total: int


class Step(NamedTuple):
    """The best way from an instruction on: bytes stored, less instructions, the next one.

    Of `following`, the second number is the steps back that are left from there.
    """

    stored_bytes: int
    minus_length: int
    following: tuple[int, int] | None


def count_path(listing: str, steps_back: int = 0) -> PathCount:
    """Count the instructions of the path that stores the most; see the module for the rule.

    Args:
        listing: of one kernel, as `nvdisasm --print-code` prints it.
        steps_back: on the way.

    Raises:
        ValueError: there is no such way from the entry to an end.
    """
    instructions, labels = parse(listing)
    way = [instructions[i] for i in find_way(instructions, labels, steps_back)]
    return PathCount(
        len(way),
        sum(instruction.stored_bytes for instruction in way),
        sum(is_vector_access(instruction) for instruction in way),
        sum(instruction.name != "NOP" for instruction in instructions),
    )


def parse(listing: str) -> tuple[list[Instruction], dict[str, int]]:
    """Return the instructions in order, and where each label is."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in listing.splitlines():
        if match := LABEL.match(line):
            labels[match[1]] = len(instructions)
        elif match := INSTRUCTION.search(line):
            instructions.append(Instruction(match["name"], bool(match["guard"]), match["rest"]))
    return instructions, labels


def is_vector_access(instruction: Instruction) -> bool:
    """Whether it moves 16 bytes or more between a thread and global memory."""
    name, *suffixes = instruction.name.split(".")
    return name in ("LDG", "STG") and bool({"128", "256"} & {*suffixes})


def successors(index: int, instruction: Instruction, labels: dict[str, int]) -> list[int | None]:
    """Return the instructions that may come next; None stands for the end."""
    name = instruction.name.partition(".")[0]
    # A uniform branch has its predicate among the operands.
    is_conditional = instruction.is_guarded or re.match(r"\s*!?UP\d", instruction.operands)
    goes_on: list[int | None] = [index + 1] if is_conditional else []
    if name in ("EXIT", "RET"):
        return [None, *goes_on]
    target = TARGET.search(instruction.operands)
    if name in ("BRA", "JMP") and target is not None:
        return [labels[target[1]], *goes_on]
    return [index + 1]


def find_way(instructions: list[Instruction], labels: dict[str, int], steps_back: int) -> list[int]:
    """Return the instructions of the counted way, in order."""
    best: dict[tuple[int, int], Step] = {}
    for left in range(steps_back + 1):
        for index in reversed(range(len(instructions))):
            ways = steps(index, left, instructions[index], labels, best)
            if ways:
                best[index, left] = max(ways, key=lambda way: way[:2])
    place: tuple[int, int] | None = (0, steps_back)
    if place not in best:
        raise ValueError(f"expected a kernel with a way of {steps_back} steps back; found none")
    way = []
    while place is not None:
        way.append(place[0])
        place = best[place].following
    return way


def steps(
    index: int,
    left: int,
    instruction: Instruction,
    labels: dict[str, int],
    best: dict[tuple[int, int], Step],
) -> list[Step]:
    """Return the ways from an instruction on, with so many steps back left."""
    ways = []
    for following in successors(index, instruction, labels):
        if following is None:
            if left == 0:
                ways.append(Step(instruction.stored_bytes, -1, None))
            continue
        place = (following, left if following > index else left - 1)
        if place in best:
            rest = best[place]
            n_bytes = rest.stored_bytes + instruction.stored_bytes
            ways.append(Step(n_bytes, rest.minus_length - 1, place))
    return ways
