"""Measurements of a benchmark: values first, then interleaved rounds of timed calls."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core, cuda
from numpy_plugin._benchmark.cases import Case, operands_of
from numpy_plugin._benchmark.differences import largest_difference
from numpy_plugin._benchmark.result import Row
from numpy_plugin._benchmark.timing import repeated, times_of_rounds
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.wrong_call import mistaken

__all__ = ["Contestant", "contestant_of", "measured_rows"]

Function = Callable[..., Any]

# A round calls each function so often that the fastest one takes this long, in seconds.
_LEAST_SECONDS = 200e-6


class Contestant(NamedTuple):
    """A function under its name; None where it is missing, and why."""

    name: str
    function: Function | None
    note: str = ""


def contestant_of(name: str, value: object) -> Contestant:
    """Return a function to compare with, imported where it is named."""
    if callable(value):
        return Contestant(name, value)
    if not isinstance(value, str):
        message = wrong_class(f"against[{name!r}]", "a function or its dotted name", value)
        raise mistaken(TypeError, message, 'against={"SciPy": "scipy.special.expit"}', "against")
    module, _, attribute = value.rpartition(".")
    try:
        return Contestant(name, getattr(import_module(module), attribute))
    except (AttributeError, ImportError, ValueError):
        return Contestant(name, None, "missing")


def measured_rows(
    case: Case, given: Sequence[Any], contestants: Sequence[Contestant], rounds: int
) -> list[Row]:
    """Return the rows of one case: its operands are made of the given ones.

    Raises:
        TypeError: the first function does not take the operands.
    """
    _core.set_n_threads(case.threads)
    return _Measured(case, operands_of(case, given), rounds).rows(contestants)


class _Measured:
    """The measurements of one case."""

    def __init__(self, case: Case, operands: list[Any], rounds: int) -> None:
        """Keep the operands, and what the rows have in common."""
        self.operands = operands
        self.rounds = rounds
        self.device = "cpu"
        arrays = [item for item in operands if hasattr(item, "dtype")]
        if case.device == "cuda":
            device = _core.find_current_device()
            self.device = "cuda" if device is None else device.name
        self.common = (
            max((int(item.size) for item in arrays), default=1),
            ", ".join(dict.fromkeys(str(item.dtype) for item in arrays)),
            case.threads,
            self.device,
        )

    def rows(self, contestants: Sequence[Contestant]) -> list[Row]:
        """Compare the results of the functions with the first one's, and time them."""
        first = contestants[0]
        assert first.function is not None
        ours = self.result(first.function)
        rows, calls = [Row(first.name, *self.common, ulp=0.0, relative=0.0)], {}
        calls[first.name] = self.call(first.function, ours)
        for contestant in contestants[1:]:
            row, call = self.compared(contestant, ours)
            rows.append(row)
            if call is not None:
                calls[contestant.name] = call
        return self.timed(rows, calls)

    def compared(
        self, contestant: Contestant, ours: Any
    ) -> tuple[Row, Callable[[], object] | None]:
        """Return the row of a function without its time, and the call to time."""
        row = Row(contestant.name, *self.common, note=contestant.note)
        if contestant.function is None:
            return row, None
        try:
            theirs = self.result(contestant.function)
            difference = largest_difference(_on_host(ours), _on_host(theirs))
        except (TypeError, ValueError, NotImplementedError) as error:
            return row._replace(note=str(error).splitlines()[0]), None
        row = row._replace(ulp=difference.ulp, relative=difference.relative, place=difference.place)
        return row, self.call(contestant.function, theirs)

    def result(self, function: Function) -> Any:
        """Return a function's results, which exist when this returns."""
        with np.errstate(all="ignore"):
            result = function(*self.operands)
        self.wait()
        return result

    def call(self, function: Function, result: Any) -> Callable[[], object]:
        """Return a call to time: functions with `out=` write to results that exist already."""
        operands = self.operands
        on_device = self.device != "cpu"
        named = {"out": result} if self.takes_out(function, result) else {}

        def call() -> None:
            function(*operands, **named)
            if on_device:
                cuda.synchronize()

        return call

    def takes_out(self, function: Function, result: Any) -> bool:
        """Return whether a function, as ufuncs do, writes to the arrays of `out=`."""
        if np.ndim(_first(result)) == 0:
            return False
        try:
            with np.errstate(all="ignore"):
                returned = function(*self.operands, out=result)
        except (TypeError, ValueError):
            return False
        else:
            return _first(returned) is _first(result)
        finally:
            self.wait()

    def wait(self) -> None:
        """Wait for the device."""
        if self.device != "cpu":
            cuda.synchronize()

    def timed(self, rows: list[Row], calls: dict[str, Callable[[], object]]) -> list[Row]:
        """Return the rows with their times."""
        with np.errstate(all="ignore"):
            n_calls = _n_calls(calls)
            runs = {name: repeated(call, n_calls) for name, call in calls.items()}
            # Others' operands have taken the caches meanwhile: the first call of several is not
            # typical.
            before = calls if n_calls > 1 else {}
            times = times_of_rounds(runs, self.rounds, before=before)
        quartiles = {name: _quartiles(values, n_calls) for name, values in times.items()}
        ours = quartiles[rows[0].function][1]
        done = []
        for row in rows:
            if row.function not in quartiles:
                done.append(row)
                continue
            low, median, high = quartiles[row.function]
            done.append(row._replace(seconds=median, low=low, high=high, ratio=median / ours))
        return done


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) else result


def _on_host(result: Any) -> Any:
    """Return results as host arrays."""
    if isinstance(result, tuple):
        return tuple(map(_on_host, result))
    return result.copy_to_host() if hasattr(result, "copy_to_host") else np.asarray(result)


def _n_calls(calls: Mapping[str, Callable[[], object]]) -> int:
    """Return how often the fastest function is called in a measurement."""
    seconds = [values[0] for values in times_of_rounds(calls, 1, before=calls).values()]
    return max(1, round(_LEAST_SECONDS / max(min(seconds), 1e-9)))


def _quartiles(values: Sequence[float], n_calls: int) -> tuple[float, float, float]:
    seconds = [value / n_calls for value in values]
    if len(seconds) == 1:
        return seconds[0], seconds[0], seconds[0]
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return low, median, high
