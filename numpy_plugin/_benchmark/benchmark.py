"""`benchmark`: a ufunc beside other functions of the same operands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken

if TYPE_CHECKING:
    from numpy_plugin._benchmark.result import Benchmark

__all__ = ["benchmark"]

Function = Callable[..., Any]


@without_own_frames
def benchmark(
    f: Function,
    *args: Any,
    against: Mapping[str, Function | str] | None = None,
    sizes: Sequence[int] | None = None,
    dtypes: Sequence[npt.DTypeLike] | None = None,
    threads: Sequence[int] | None = None,
    devices: Sequence[str] = ("cpu",),
    rounds: int = 15,
) -> Benchmark:
    """Compare a ufunc with other functions of the same operands: values first, then speed.

    All functions are called in turn, so often in each of the rounds that a measurement takes 0.2
    ms at least, after a call that does not count if there are several; the table has medians, the
    spread between the quartiles, the ratio to the ufunc's median, and the largest difference from
    the ufunc's results. Ufuncs write to preallocated results. Prints the table, except in
    notebooks, which show the result.

    Args:
        f: the ufunc; any other function will do.
        args: its operands, arrays and numbers.
        against: the functions to compare it with, by name. A str is imported,
            "scipy.special.expit"; what cannot be imported is a row that says so.
        sizes: numbers of elements: arrays of more than one element are repeated or cut, along
            their first axis. None: the operands as they are.
        dtypes: dtypes to which the arrays are cast. None: their own.
        threads: numbers of threads of calls on the CPU. None: the current one.
        devices: "cpu", and "cuda" for this thread's device, a simulated one included; functions
            that do not take device arrays are rows that say so.
        rounds: the number of measurements of each function.

    Returns:
        The rows, with `to_json()` and `plot()`.

    Raises:
        TypeError: an argument of the wrong type, or the ufunc does not take the operands.
        ValueError: a size, a number of threads or a device that there is not.
    """
    if not callable(f):
        raise mistaken(TypeError, wrong_class("f", "a ufunc or a function", f), argument="f")
    # Imported here: they load the statistics module, which takes long.
    from numpy_plugin._benchmark.cases import cases
    from numpy_plugin._benchmark.measurement import Contestant, contestant_of, measured_rows
    from numpy_plugin._benchmark.result import HEADERS, Benchmark
    from numpy_plugin._commands import report
    from numpy_plugin._commands.environment import environment

    name = getattr(f, "__name__", type(f).__name__)
    contestants = [Contestant(name, f)]
    contestants += [contestant_of(key, value) for key, value in (against or {}).items()]
    chosen = list(cases(sizes, dtypes, threads, devices))
    rows = []
    before = _core.n_threads()
    try:
        with report.progress("measuring", len(chosen)) as advance:
            for case in chosen:
                rows += measured_rows(case, args, contestants, rounds)
                advance()
    finally:
        _core.set_n_threads(before)
    result = Benchmark(name, rows, environment())
    if "ipykernel" not in sys.modules:
        report.table(result.title, HEADERS, [row.cells() for row in rows])
    return result
