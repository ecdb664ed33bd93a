"""Machine instructions and bytes in flight of device reductions, counted without a GPU.

A thread's part of a whole chunk of 2048 elements counts, with all that is around it: of the ways
through the kernel that load exactly the part's bytes and take one ticket, the shortest. A sum of
2**24 elements consists of such chunks, but for the last ones to finish.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

from bytes_in_flight import ARCHITECTURE, Row, bytes_in_flight, threads_per_multiprocessor
from instruction_count import MOST, Instruction, loads_along, parse, successors
from instructions import PER_ELEMENT, bytes_of, can_count

from numpy_plugin import inspect, vectorize
from numpy_plugin._commands.bench import Measurement

__all__ = ["FORMS", "against_targets", "row", "rows", "shortest_path"]

#: Elements of a thread: of a warp's 2048, of a team's; of short columns.
FORMS = {
    "reduce vector_rows": 64,
    "reduce rows": 64,
    "reduce columns": 64,
    "reduce team_columns": 256,
}
DTYPES = ("float32", "float64", "int8")
BLOCK_THREADS = 256


@vectorize([f"{t}({t}, {t})" for t in DTYPES], name="add", identity=0)
def add(x: float, y: float) -> float:
    """x plus y."""
    return x + y


class Place(NamedTuple):
    """An instruction that is reached after some bytes were loaded and tickets taken."""

    position: int
    loaded: int
    tickets: int


def shortest_path(listing: str, loaded_bytes: int, n_tickets: int = 1) -> list[Instruction]:
    """Return the shortest way that loads these bytes and takes these tickets.

    Args:
        listing: output of `nvdisasm --print-code` for one kernel.
        loaded_bytes: of global memory, by a thread.
        n_tickets: atomic operations on the way.

    Raises:
        ValueError: there is none.
    """
    instructions, labels = parse(listing)
    end = Place(len(instructions), loaded_bytes, n_tickets)
    lengths = {Place(0, 0, 0): 0}
    before: dict[Place, Place] = {}
    queue = [(0, Place(0, 0, 0))]
    while queue:
        length, place = heapq.heappop(queue)
        if place == end:
            return path_to(end, before, instructions)
        if place.position == end.position or length > lengths[place]:
            continue
        instruction = instructions[place.position]
        tickets = place.tickets + instruction.name.startswith("ATOM")
        for following in successors(place.position, instruction, labels):
            index = end.position if following is None else following
            loaded = place.loaded + loads_along(instructions, place.position, following)
            found = Place(index, loaded, tickets)
            if loaded > loaded_bytes or tickets > n_tickets:
                continue
            if length + 1 < lengths.get(found, MOST):
                lengths[found], before[found] = length + 1, place
                heapq.heappush(queue, (length + 1, found))
    raise ValueError(f"expected a way that loads {loaded_bytes} bytes; found none")


def path_to(
    place: Place, before: dict[Place, Place], instructions: list[Instruction]
) -> list[Instruction]:
    """Return the instructions before a place, in order."""
    way = []
    while place in before:
        place = before[place]
        way.append(instructions[place.position])
    return way[::-1]


def row(dtype: str, form: str) -> Row:
    """Return the row of a sum in a form."""
    signature = f"{dtype}({dtype}, {dtype})"
    listing = inspect(add).sass(signature, ARCHITECTURE, form)
    n_elements = FORMS[form]
    path = shortest_path(listing, n_elements * bytes_of(dtype))
    n_registers = inspect(add).resources(signature, ARCHITECTURE, form)[0].n_registers
    return Row(
        f"add {dtype}",
        form,
        n_elements,
        n_registers,
        threads_per_multiprocessor(n_registers, BLOCK_THREADS),
        bytes_in_flight(path),
        len(path) / n_elements,
    )


def rows() -> list[Row]:
    """Return a row for every dtype and form, if they can be counted."""
    if not can_count():
        return []
    return [row(dtype, form) for dtype in DTYPES for form in FORMS]


def against_targets() -> list[Measurement]:
    """Return the instructions per element of an inner sum, if they can be counted."""
    if not can_count():
        return []
    counted = row("float32", "reduce vector_rows")
    return [Measurement("sum of float32, inner axis", counted.per_element, PER_ELEMENT, 3.0)]
