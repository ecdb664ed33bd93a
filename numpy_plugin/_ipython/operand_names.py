"""Type signatures with the names of operands: `float64(float64 x, float64 y)`."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["NamedSignature", "named_signature"]

_NAMED = re.compile(r"(.*\S)\s+([A-Za-z_]\w*)", re.DOTALL)


class NamedSignature(NamedTuple):
    """A signature as `vectorize` takes it, and the names that were written in it."""

    text: str
    inputs: list[str]
    outputs: list[str]


def named_signature(text: str) -> NamedSignature:
    """Split a signature from the names in it; other text stays as it is."""
    results, bracket, operands = text.partition("(")
    if not bracket or not operands.rstrip().endswith(")"):
        return NamedSignature(text, [], [])
    output_types, outputs = _split_names(results)
    input_types, inputs = _split_names(operands.rstrip()[:-1])
    return NamedSignature(f"{output_types}({input_types})", inputs, outputs)


def _split_names(text: str) -> tuple[str, list[str]]:
    types, names = [], []
    for part in re.split(r",(?![^\[]*\])", text):  # commas outside of square brackets
        found = _NAMED.fullmatch(part.strip())
        types.append(found[1] if found else part.strip())
        names += [found[2]] if found else []
    return ", ".join(types), names
