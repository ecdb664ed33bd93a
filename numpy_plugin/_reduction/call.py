"""A reduction's call, in the one shape that hosts and devices take, and what each of them does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core

__all__ = ["Call", "Space"]

Array = npt.NDArray[Any]


@dataclass
class Call:
    """Operands of the loops' dtypes, which are broadcast to a shape and reduced over some axes."""

    name: str
    operands: list[Any]
    shape: tuple[int, ...]
    axes: list[int]
    mask: Any
    initial: list[Array]  # of the host
    result_dtypes: tuple[np.dtype[Any], ...]
    result_shape: tuple[int, ...]
    outputs: list[Any] = field(default_factory=list)  # as they were given; None: a new array


class Space(Protocol):
    """The memory in which a call runs: the host's or a device's."""

    def array(self, value: object) -> Any:
        """Return an operand."""

    def output(self, out: Any) -> Any:
        """Return a given output, or raise TypeError or ValueError where it can't be written."""

    def reduce(self, reduction: _core.MapReduction, call: Call) -> list[Any]:
        """Return the results of a call."""
        ...

    def delivered(self, result: Any, out: Any) -> Any:
        """Return a result as the caller asked for it."""
