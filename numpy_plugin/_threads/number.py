"""`get_num_threads` and `set_num_threads`: the number of threads of calls on the CPU."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from numpy_plugin import _core

__all__ = ["get_num_threads", "set_num_threads"]


def get_num_threads() -> int:
    """Return how many threads share a call with `target="parallel"`, the caller's included.

    By default `$NUMPY_PLUGIN_NUM_THREADS`, or the processors that this process may use: those of
    its affinity, within the limits of its control group (a container's `--cpus`).
    """
    return _core.n_threads()


def set_num_threads(n: SupportsIndex) -> None:
    """Set how many threads share a call with `target="parallel"`, in this process from now on.

    1 makes all calls in the caller's thread. Results are the same for every number.

    Args:
        n: from 1 to 1024, also more than there are processors.

    Raises:
        TypeError: `n` is not an integer.
        ValueError: `n` is out of range.
    """
    if isinstance(n, bool) or not isinstance(n, SupportsIndex):
        raise TypeError(f"n must be an int, not {type(n).__name__}")
    count = index(n)
    if not 1 <= count <= _core.MAX_THREADS:
        raise ValueError(f"n must be from 1 to {_core.MAX_THREADS}, found {count}")
    _core.set_n_threads(count)
