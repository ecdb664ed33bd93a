"""Comparative timing: the functions run alternately, under the same conditions."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

__all__ = ["median_times", "repeated", "seconds_of", "times_of_rounds"]


def seconds_of(function: Callable[[], object]) -> float:
    """Return the time of one call."""
    start = time.perf_counter_ns()
    function()
    return (time.perf_counter_ns() - start) * 1e-9


def repeated(
    function: Callable[[], object], n: int, finish: Callable[[], object] = lambda: None
) -> Callable[[], None]:
    """Return n calls of a function, and then one of `finish`, as a function."""

    def run() -> None:
        for _ in range(n):
            function()
        finish()

    return run


def median_times(
    functions: Mapping[str, Callable[[], object]],
    rounds: int,
    after_each: Callable[[], None] = lambda: None,
) -> dict[str, float]:
    """Return the median seconds of each function, after an uncounted first run.

    The arguments are those of `times_of_rounds`.
    """
    times = times_of_rounds(functions, rounds, after_each)
    return {name: statistics.median(values) for name, values in times.items()}


def times_of_rounds(
    functions: Mapping[str, Callable[[], object]],
    rounds: int,
    after_each: Callable[[], None] = lambda: None,
    before: Mapping[str, Callable[[], object]] = MappingProxyType({}),
) -> dict[str, list[float]]:
    """Return the seconds of all runs of each function, after an uncounted first one.

    Args:
        functions: the functions to time, by name; each round runs every function once.
        rounds: the number of timed runs of each.
        after_each: called after every timed run, to advance a progress bar.
        before: called before every timed run of the function of the same name.
    """
    for function in functions.values():
        function()
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            if name in before:
                before[name]()
            times[name].append(seconds_of(function))
            after_each()
    return times
