"""The seed of random tests: another every day, so that repeated runs cover more."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import TypeVar

__all__ = ["SEED", "share_for_today"]

_Item = TypeVar("_Item")

# Tests count up from it: the seeds of two days are far apart, and those of eight days are 0 to 7
# modulo eight.
_TODAY = datetime.date.today().toordinal() * 1001

# Set the variable to repeat the run of another day.
SEED = int(os.environ.get("NUMPY_PLUGIN_TEST_SEED") or _TODAY)


def share_for_today(items: Sequence[_Item]) -> Sequence[_Item]:
    """Return every eighth item: all of them in eight days."""
    return items[SEED % 8 :: 8]
