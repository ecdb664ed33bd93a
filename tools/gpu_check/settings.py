"""What the caller sets: the limit of the run, and small sizes for a stand-in of a GPU."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["IS_SMALL", "SECONDS_IN_ALL", "one_of", "part", "scaled", "step_seconds"]

#: Of the whole run.
SECONDS_IN_ALL = float(os.environ.get("SECONDS_IN_ALL", "470"))

#: For the simulated GPU of a stand-in driver, and under compute-sanitizer.
IS_SMALL = os.environ.get("GPU_CHECK_SIZE") == "small"

#: "1/6": the second of six parts of what is probed and measured, as is "7/6".
_PART = os.environ.get("GPU_CHECK_PART", "0/1")

_Item = TypeVar("_Item")


def part(items: Sequence[_Item]) -> Sequence[_Item]:
    """Return the part of a list that is asked for, by default all of it."""
    first, n = map(int, _PART.split("/"))
    return items[first % n :: n]


def one_of(items: Sequence[_Item]) -> _Item:
    """Return one of a list, which depends on the number of the part."""
    return random.Random(_PART).choice(items)


def scaled(n: int, small: int = 1 << 13) -> int:
    """Return a number of elements: this one, or at most the small one."""
    return min(n, small) if IS_SMALL else n


def step_seconds(default: float) -> float:
    """Return how long the step has that this process is part of."""
    return float(os.environ.get("GPU_CHECK_STEP_SECONDS", default))
