"""Machine instructions that a thread of a device kernel executes, counted in a listing.

The rule: a listing is a graph whose edges are "next instruction" and branches; a conditional branch
has both edges, and so does a conditional `EXIT`. Of all paths from the entry to an `EXIT` without
a back edge, the counted one stores the most bytes to global memory, of those loads the most, up to
a given number, and is the shortest of the rest: in a kernel with full tiles of vectors that is the
path of a full tile of arrays, with every fast path taken. Accesses whose predicate is that of a
branch after them count only where it is taken.
With a given number of back edges, the path has exactly as many: a loop with three trips has two.
"""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

__all__ = [
    "Instruction",
    "PathCount",
    "count_path",
    "counted_path",
    "loads_along",
    "parse",
    "successors",
]

LABEL = re.compile(r"\s*(\.L\w+):")
INSTRUCTION = re.compile(
    r"/\*[0-9a-f]{4,}\*/\s+\{?\s*(?P<guard>@!?U?P\w+\s+)?(?P<name>[A-Z][A-Z0-9_.]*)(?P<rest>[^;]*);"
)
TARGET = re.compile(r"`\((\.L\w+)\)")
MOST = sys.maxsize
ACCESS_BYTES = {"256": 32, "128": 16, "64": 8, "U16": 2, "S16": 2, "U8": 1, "S8": 1}


class Instruction(NamedTuple):
    """One line of a listing.

    Attributes:
        name: including suffixes.
        guard: its predicate, such as "@!P0"; empty if there is none.
        operands: the rest of the line.
    """

    name: str
    guard: str
    operands: str

    @property
    def is_guarded(self) -> bool:
        """Whether it has a predicate."""
        return bool(self.guard)

    @property
    def stored_bytes(self) -> int:
        """Bytes that a thread writes to global memory."""
        return self._bytes_if("STG")

    @property
    def loaded_bytes(self) -> int:
        """Bytes that a thread reads from global memory."""
        return self._bytes_if("LDG")

    def _bytes_if(self, expected: str) -> int:
        name, *suffixes = self.name.split(".")
        if name != expected:
            return 0
        return next((ACCESS_BYTES[s] for s in suffixes if s in ACCESS_BYTES), 4)


class PathCount(NamedTuple):
    """Instructions on the counted path through a kernel.

    Attributes:
        n_instructions: executed by a thread.
        stored_bytes: written to global memory.
        n_vector_accesses: loads and stores of global memory with 16 bytes or more.
        total: number of instructions in the kernel.
    """

    n_instructions: int
    stored_bytes: int
    n_vector_accesses: int
    total: int


class Step(NamedTuple):
    """The best path from an instruction: bytes stored and loaded, negated instruction count, next.

    The second number in `following` is the number of back edges remaining from there.
    """

    stored_bytes: int
    loaded_bytes: int
    minus_length: int
    following: tuple[int, int] | None


def count_path(listing: str, steps_back: int = 0, most_loaded: int = MOST) -> PathCount:
    """Count the instructions of the path that stores the most; see the module for the rule.

    Args:
        listing: output of `nvdisasm --print-code` for one kernel.
        steps_back: number of back edges on the path.
        most_loaded: bytes that a full tile loads: paths are not preferred for more.

    Raises:
        ValueError: there is no such path from the entry to an exit.
    """
    instructions = parse(listing)[0]
    way = counted_path(listing, steps_back, most_loaded)
    return PathCount(
        len(way),
        sum(instruction.stored_bytes for instruction in way),
        sum(is_vector_access(instruction) for instruction in way),
        sum(instruction.name != "NOP" for instruction in instructions),
    )


def counted_path(listing: str, steps_back: int = 0, most_loaded: int = MOST) -> list[Instruction]:
    """Return the instructions that `count_path` counts, in order; arguments are its own."""
    instructions, labels = parse(listing)
    return [instructions[i] for i in find_way(instructions, labels, steps_back, most_loaded)]


def parse(listing: str) -> tuple[list[Instruction], dict[str, int]]:
    """Return the instructions in order, and the position of each label."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in listing.splitlines():
        if match := LABEL.match(line):
            labels[match[1]] = len(instructions)
        elif match := INSTRUCTION.search(line):
            instructions.append(
                Instruction(match["name"], (match["guard"] or "").strip(), match["rest"])
            )
    return instructions, labels


def is_vector_access(instruction: Instruction) -> bool:
    """Whether it moves 16 bytes or more between a thread and global memory."""
    name, *suffixes = instruction.name.split(".")
    return name in ("LDG", "STG") and bool({"128", "256"} & {*suffixes})


def successors(index: int, instruction: Instruction, labels: dict[str, int]) -> list[int | None]:
    """Return the possible next instructions; None means the end."""
    name = instruction.name.partition(".")[0]
    # Uniform branches have their predicate among the operands.
    is_conditional = instruction.is_guarded or re.match(r"\s*!?UP\d", instruction.operands)
    goes_on: list[int | None] = [index + 1] if is_conditional else []
    if name in ("EXIT", "RET"):
        return [None, *goes_on]
    target = TARGET.search(instruction.operands)
    if name in ("BRA", "JMP") and target is not None:
        return [labels[target[1]], *goes_on]
    return [index + 1]


def passed_over(instructions: list[Instruction], branch: int) -> tuple[int, int]:
    """Return the bytes stored and loaded directly before a branch, under its predicate."""
    stored = loaded = 0
    guard = instructions[branch].guard
    while branch > 0 and guard and instructions[branch - 1].guard == guard:
        branch -= 1
        stored += instructions[branch].stored_bytes
        loaded += instructions[branch].loaded_bytes
    return stored, loaded


def loads_along(instructions: list[Instruction], index: int, following: int | None) -> int:
    """Return the bytes that an instruction loads, less what a branch not taken passed over."""
    instruction = instructions[index]
    if instruction.name.startswith(("BRA", "EXIT")) and following == index + 1:
        return instruction.loaded_bytes - passed_over(instructions, index)[1]
    return instruction.loaded_bytes


def find_way(
    instructions: list[Instruction], labels: dict[str, int], steps_back: int, most_loaded: int
) -> list[int]:
    """Return the instructions of the counted path, in order."""
    best: dict[tuple[int, int], Step] = {}
    for left in range(steps_back + 1):
        for index in reversed(range(len(instructions))):
            ways = steps(index, left, instructions, labels, best)
            if ways:
                best[index, left] = max(
                    ways, key=lambda w: (w.stored_bytes, min(w.loaded_bytes, most_loaded), w[2])
                )
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
    instructions: list[Instruction],
    labels: dict[str, int],
    best: dict[tuple[int, int], Step],
) -> list[Step]:
    """Return the edges from an instruction, given the number of remaining back edges."""
    ways = []
    instruction = instructions[index]
    for following in successors(index, instruction, labels):
        if following is None:
            if left == 0:
                ways.append(Step(instruction.stored_bytes, instruction.loaded_bytes, -1, None))
            continue
        place = (following, left if following > index else left - 1)
        if place in best:
            rest = best[place]
            stored = rest.stored_bytes + instruction.stored_bytes
            loaded = rest.loaded_bytes + instruction.loaded_bytes
            if instruction.name.startswith(("BRA", "EXIT")) and following == index + 1:
                not_stored, not_loaded = passed_over(instructions, index)
                stored, loaded = stored - not_stored, loaded - not_loaded
            ways.append(Step(stored, loaded, rest.minus_length - 1, place))
    return ways
