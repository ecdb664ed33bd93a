"""`make bench`: parts of dates and arithmetic of times, beside pandas and NumPy.

`python benchmarks/dates.py` prints what it measures in this process, as JSON; with the directories
docs/benchmarks and build/benchmarks it writes dates.md to the first one, dates.json to the second.
"""

from __future__ import annotations

import json
import operator
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from kernel_table.table import in_process, levels
from results import Content, Page, Results, table
from variants import library

import numpy_plugin as npp
from numpy_plugin._benchmark.timing import times_of_rounds
from numpy_plugin._commands.environment import environment

__all__ = ["ARITHMETIC", "PAGE", "PARTS", "UNITS", "contestants", "measure", "names", "operands_of"]

UNITS = ("s", "ns")
N_ELEMENTS = 1_000_000
ROUNDS = 25
#: What the peers' times have to be over this package's on one thread, at least.
TARGETS = {"dayofyear": {"pandas": 5.0, "NumPy": 20.0}}
ONE, ALL = "one thread", "all threads"

Array = npt.NDArray[Any]
Row = dict[str, Any]


class Part(NamedTuple):
    """A part of dates by the other libraries: an attribute of Series.dt, and NumPy's casts."""

    pandas: str
    numpys: Callable[[Array], Array]


def _day_of_year(t: Array) -> Array:
    days: Array = t.astype("M8[D]") - t.astype("M8[Y]").astype("M8[D]")
    return days.astype(np.int64) + 1


PARTS = {
    "dayofyear": Part("day_of_year", _day_of_year),
    "year": Part("year", lambda t: t.astype("M8[Y]").astype(np.int64) + 1970),
    "month": Part("month", lambda t: t.astype("M8[M]").astype(np.int64) % 12 + 1),
    "weekday": Part("day_of_week", lambda t: (t.astype("M8[D]").astype(np.int64) + 3) % 7),
    "hour": Part("hour", lambda t: t.astype("M8[h]").astype(np.int64) % 24),
}


def _later(t: Any, hours: Any) -> Any:
    return t + hours * np.timedelta64(1, "h")


def _year_fraction(t: Any) -> Any:
    start = npp.time.date(npp.time.year(t), 1, 1)
    return (t - start) / np.timedelta64(1, "D") / (365 + npp.time.is_leap_year(t))


def _year_fraction_in_steps(t: Array) -> Array:
    year = t.astype("M8[Y]")
    start, end = year.astype("M8[D]"), (year + 1).astype("M8[D]")
    fraction: Array = (t - start) / np.timedelta64(1, "D") / (end - start).astype(np.int64)
    return fraction


class Case(NamedTuple):
    """A kernel, the kinds of its operands, and the same by NumPy where that is not the kernel."""

    kernel: Callable[..., Any]
    operands: str
    numpys: Callable[..., Array] | None = None


#: Operands are times t and u in seconds, durations d and e in seconds, D in days, numbers x.
ARITHMETIC = {
    "t + d": Case(lambda t, d: t + d, "td", operator.add),
    "t + d, d in days": Case(lambda t, d: t + d, "tD", operator.add),
    "t - u": Case(lambda t, u: t - u, "tu", operator.sub),
    "d / e": Case(lambda d, e: d / e, "de", operator.truediv),
    "d // e": Case(lambda d, e: d // e, "de", operator.floordiv),
    "d * x": Case(lambda d, x: d * x, "dx", operator.mul),
    "t < u": Case(lambda t, u: t < u, "tu", operator.lt),
    "t == u": Case(lambda t, u: t == u, "tu", operator.eq),
    "t + x * hour": Case(_later, "tx"),
    "year fraction": Case(_year_fraction, "t", _year_fraction_in_steps),
}


def operands_of(kinds: str, n: int = N_ELEMENTS) -> list[Array]:
    """Return arrays of the kinds: times from 1901 to 2099, durations up to 116 days."""
    random = np.random.default_rng(0)
    made: dict[str, Callable[[], Array]] = {
        "D": lambda: random.integers(1, 100, n).astype("m8[D]"),
        "x": lambda: random.uniform(1.0, 100.0, n),
        **dict.fromkeys("tu", lambda: random.integers(-(2**31), 2**32 - 2**28, n).astype("M8[s]")),
        **dict.fromkeys("de", lambda: random.integers(1, 10**7, n).astype("m8[s]")),
    }
    return [made[kind]() for kind in kinds]


def names() -> list[str]:
    """Return what is measured."""
    return [*(f"{part} of [{unit}]" for part in PARTS for unit in UNITS), *ARITHMETIC]


def contestants(name: str, n: int = N_ELEMENTS) -> dict[str, Callable[[], Any]]:
    """Return calls by name, this package's first."""
    if name in ARITHMETIC:
        case, operands = ARITHMETIC[name], operands_of(ARITHMETIC[name].operands, n)
        ours = npp.vectorize(case.kernel)
        numpys = case.numpys or case.kernel
        return {"numpy_plugin": partial(ours, *operands), "NumPy": partial(numpys, *operands)}
    part, _, unit = name.partition(" of ")
    t = operands_of("t", n)[0].astype(f"M8{unit}")
    found: dict[str, Callable[[], Any]] = {
        "numpy_plugin": partial(getattr(npp.time, part), t),
        "NumPy": partial(PARTS[part].numpys, t),
    }
    pandas = library("pandas")
    if pandas is not None:
        found["pandas"] = partial(operator.attrgetter(PARTS[part].pandas), pandas.Series(t).dt)
    return found


def measure(n: int = N_ELEMENTS) -> list[Row]:
    """Return a row for each name: the ns an element, the least of several rounds in turn."""
    before = npp.get_num_threads()
    threads = {ONE: partial(npp.set_num_threads, 1), ALL: partial(npp.set_num_threads, before)}
    rows: list[Row] = []
    try:
        for name in names():
            peers = contestants(name, n)
            ours = peers.pop("numpy_plugin")
            times = times_of_rounds({ONE: ours, ALL: ours, **peers}, ROUNDS, before=threads)
            ns = {who: min(seconds) / n * 1e9 for who, seconds in times.items()}
            rows.append({"name": name, "threads": before, "ns": ns})
    finally:
        npp.set_num_threads(before)
    return rows


def _cells(row: Row) -> list[str]:
    ns = row["ns"]
    targets = TARGETS.get(row["name"].partition(" ")[0], {})
    ratios = {who: ns[who] / ns[ONE] for who in ("pandas", "NumPy") if who in ns}
    cells = [row["name"], row["level"], f"{ns[ONE]:.3g}", f"{ns[ALL]:.3g}"]
    for who in ("pandas", "NumPy"):
        over_all = f"{ns[who] / ns[ALL]:.3g}" if who in ns else ""
        cells += [f"**{ratios[who]:.3g}**" if who in ratios else "", over_all]
    outcomes = [
        f"{who} {target:g}: {'met' if ratios[who] >= target else 'missed'}"
        for who, target in targets.items()
        if who in ratios
    ]
    return [*cells, ", ".join(outcomes)]


def _contents(_: Results) -> Content:
    rows = [
        {**row, "level": level}
        for level, settings in levels().items()
        for row in in_process("dates", **settings)
    ]
    n_threads = rows[0]["threads"]
    headers = ["what", "level", "ns an element", f"on {n_threads} threads"]
    headers += [f"{who} over {way}" for who in ("pandas", "NumPy") for way in ("one", "all")]
    lines = table([*headers, "asked"], "llrrrrrrl", map(_cells, rows))
    return Content(lines, {"rows": rows}, {"pandas": getattr(library("pandas"), "__version__", "")})


PAGE = Page(
    "dates",
    "Dates and durations",
    _contents,
    "Measured by `make bench` or `python benchmarks/dates.py docs/benchmarks build/benchmarks`:\n"
    f"{N_ELEMENTS:,} elements, the least of {ROUNDS} rounds in turn, in a process for each level.\n"
    "Ratios are a peer's time over this package's, on one thread and on all: above 1, this one\n"
    "is faster. Peers run on one thread. The parts are those of `npp.time`, of `Series.dt` of\n"
    "pandas, and of casts by NumPy; operands of arithmetic are in seconds.",
)

if __name__ == "__main__":
    if len(sys.argv) > 1:
        Results(*map(Path, sys.argv[1:3])).add(PAGE, environment())
    else:
        print(json.dumps(measure()))
