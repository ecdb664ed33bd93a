"""Measure the accuracy of functions in kernels, and write docs/reference/function_accuracy.md.

    python tools/measure_functions.py [--points 16777216] [--jobs 2] [--complex]

Run with the package and the test requirements installed; `make accuracy` does, in about two hours.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import itertools
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[Any]
# Two errors per call, target and dtype.
Pair = tuple[float, float]
Found = dict[tuple[str, str, str], Pair]
ROOT = Path(__file__).resolve().parents[1]
FOUND = ROOT / "build" / "function_errors.jsonl"
PAGE = ROOT / "docs" / "reference" / "function_accuracy.md"
# For each function of complex numbers and region, compared with mpmath's.
COMPLEX_POINTS = 1 << 12
sys.path.insert(0, str(ROOT / "tests" / "python" / "helpers"))

import complex_bounds  # noqa: E402
from function_bounds import DTYPES, FUNCTIONS, TARGETS  # noqa: E402
from function_errors import largest_distances  # noqa: E402

from numpy_plugin import cuda  # noqa: E402

HEAD = """# Function accuracy

The tables show the largest error found in units in the last place (ulp), followed by the bound that
the tests enforce. For functions of one operand in float32 on the CPU all numbers of the range were
tried, otherwise at least {points:,} at random. `>` marks errors beyond the bound, which the tests'
fewer arguments do not reach. Arithmetic, `sqrt`, comparisons, casts, rounding, `fmod`, `remainder`,
`nextafter`, `frexp`, `ldexp`, `modf`, the integer functions, and combinations of only these are
exact: they give the same result on every target.

Functions of `math`, and NumPy's and SciPy's of the same name, come from CUDA on a device. On the
CPU they are the C library's vector functions (libmvec), or its scalar ones in kernels that are not
computed in vectors; powers, `cbrt`, `tanh`, `gamma`, `lgamma` between -24 and -2, and with AVX-512
or an older C library more, are this package's. The table has the largest error of all three.
Functions of `scipy.special` are implemented in this package, and those with a bound of 1 in float32
are computed in float64 and rounded; the headers in `templates/npp/special` cite their sources. On a
device, `erfinv`, `erfcinv`, `erfcx`, `ndtr`, `ndtri`, `i0` and `i1` for float32 are CUDA's.

Exactly representable results are exact: powers of integers, `gamma` of integers, `log2` of powers
of 2, `j0(0)`, `ndtr(0)`, `sindg(30)` and so on. The exceptions are `cbrt` of cubes and `log10` of
powers of 10 on processors without AVX2, in kernels that are not computed in vectors, and in C++
bodies; with `math="reproducible"` these are exact, too.

The 16-bit types are computed in float32 and rounded once.

`hyp2f1` keeps its bounds where the sizes of a and b are at most 30, c is between -10 and 30, and x
is below 1; beyond, mostly for c below -10, it may lose digits. `jv` and `yv` keep them for orders
up to 200 and x up to 10000, `struve` for orders from -10 to 200.

Next to a zero that is not representable, the error in ulp is unbounded. Functions with such zeros
have two entries: the first for results of at least the magnitude in the last column, the second
for smaller results, in units of the ulp of 1.

"""


COMPLEX_TITLE = "\n## Complex numbers\n"
COMPLEX_HEAD = """
On the CPU these are the C library's functions, on a device they are implemented in this package
(`complex_formulas.hpp`). The tables show two errors: that of the complex number, in ulp of its
magnitude; then, if it is bounded, that of the real or the imaginary part in its own ulp, whichever
is larger. {points:,} arguments at random were tried in each of up to seven regions. `cmath.exp(z)`
is `np.exp(z)`, and so on.

`exp2` keeps its bounds if the imaginary part is below 1e6. The error of a power is proportional to
the magnitude of `w * log(z)`; integer exponents below 100 are computed by multiplication. The sign
of a zero part selects the side of each branch cut, and zeros, infinities and nan follow annex G of
the C standard.

"""

NOTES = """
The device is the simulator, whose approximate instructions may differ from a GPU's in the last bit.
Run `make accuracy` to measure again; ranges and bounds are in `function_bounds.py`,
`special_bounds.py` and `complex_bounds.py` of `tests/python/helpers`.
"""


def computed(
    compute: Callable[..., Any], keys: Sequence[tuple[str, ...]], points: int, jobs: int
) -> list[Any]:
    """Return what a function computes from each key and a number of points.

    An interrupted run goes on from what it had found, a line each in `FOUND`.
    """
    lines = FOUND.read_text().splitlines() if FOUND.exists() else []
    found = {tuple(key): result for key, result in map(json.loads, lines)}
    missing = [key for key in keys if key not in found]
    FOUND.parent.mkdir(exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool, FOUND.open("a") as file:
        results = pool.map(compute, *zip(*((*key, points) for key in missing), strict=True))
        for key, result in zip(missing, results, strict=True):
            print(json.dumps([key, result]), file=file, flush=True)
            found[key] = result
    return [found[key] for key in keys]


def measured(points: int, jobs: int) -> Found:
    """Return the largest errors of each call, target and dtype."""
    keys = [(row.call, t, dtype) for row in FUNCTIONS for t in TARGETS for dtype in DTYPES]
    return dict(zip(keys, computed(largest_distances, keys, points, jobs), strict=True))


complex_kernel = functools.cache(complex_bounds.kernel)


@functools.cache
def complex_results(target: str, region: str, dtype: str, count: int) -> list[Vector]:
    """Return the results of all functions of complex numbers."""
    columns = complex_bounds.arguments(region, dtype, count)
    with np.errstate(all="ignore"), cuda.simulator(memory="64 MiB"):
        if target == "cpu":
            return list(complex_kernel()(*columns))
        on_device = complex_kernel()(*map(cuda.to_device, columns))
        return [np.asarray(result.copy_to_host()) for result in on_device]


def complex_distances(call: str, dtype: str, points: int) -> list[Pair]:
    """Return the largest errors of a call on each target, which share the exact values."""
    row = next(row for row in complex_bounds.FUNCTIONS if row.call == call)
    computing = [functools.partial(complex_results, target) for target in TARGETS]
    pairs = [complex_bounds.measure(row, dtype, points, compute) for compute in computing]
    complex_bounds.exact_values.cache_clear()
    return pairs


def measured_complex(points: int, jobs: int) -> Found:
    """Return the largest errors of each call of complex numbers, target and dtype."""
    rows = complex_bounds.FUNCTIONS
    keys = [(row.call, dtype) for row in rows for dtype in complex_bounds.DTYPES]
    results = computed(complex_distances, keys, points, jobs)
    found: Found = {}
    for (call, dtype), pairs in zip(keys, results, strict=True):
        found |= {(call, t, dtype): pair for t, pair in zip(TARGETS, pairs, strict=True)}
    return found


def beside_bound(size: float, most: float) -> str:
    """Return an error and its bound."""
    return f"{size:.2f} {'≤' if size <= most else '>'} {most:g}"


def complex_table(found: Found) -> str:
    """Return the errors of the numbers and of their parts, each with its bound, as Markdown."""
    dtypes = complex_bounds.DTYPES
    columns = [f"{target}, {dtype}" for target in TARGETS for dtype in dtypes]
    text = f"| call | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
    for row in complex_bounds.FUNCTIONS:
        cells = []
        for target in TARGETS:
            for dtype in dtypes:
                pairs = zip(found[row.call, target, dtype], row.bounds(target, dtype), strict=True)
                kept = [pair for pair in pairs if pair[1] < math.inf]
                cells.append("; ".join(itertools.starmap(beside_bound, kept)))
        text += f"| `{row.call}` | {' | '.join(cells)} |\n"
    return text


def table(found: Found) -> str:
    """Return the errors and their bounds as Markdown."""
    columns = [f"{target}, {dtype}" for target in TARGETS for dtype in DTYPES]
    text = f"| call | {' | '.join(columns)} | zeros |\n|{'---|' * (len(columns) + 2)}\n"
    for row in FUNCTIONS:
        cells = []
        for target in TARGETS:
            for dtype in DTYPES:
                pairs = zip(found[row.call, target, dtype], row.limits(target, dtype), strict=True)
                texts = list(itertools.starmap(beside_bound, pairs))
                cells.append("; ".join(texts if row.zero_below else texts[:1]))
        zeros = f"below {row.zero_below:g}" if row.zero_below else ""
        text += f"| `{row.call}` | {' | '.join(cells)} | {zeros} |\n"
    return text


def versions() -> str:
    """Return a line that says when and with what a table was measured."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    libc = " ".join(platform.libc_ver())
    numpy, python = np.__version__, platform.python_version()
    return f"\nMeasured on {today}; {libc}, NumPy {numpy}, Python {python}.\n"


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1 << 24, help="random arguments")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--complex", action="store_true", help="only the table of complex numbers")
    arguments = parser.parse_args()
    os.environ["NUMPY_PLUGIN_NUM_THREADS"] = "1"  # of each process
    if arguments.complex:
        text = PAGE.read_text(encoding="utf-8").partition(COMPLEX_TITLE)[0]
    else:
        found = measured(arguments.points, arguments.jobs)
        text = HEAD.format(points=arguments.points) + table(found) + versions()
    found = measured_complex(COMPLEX_POINTS, arguments.jobs)
    text += COMPLEX_TITLE + COMPLEX_HEAD.format(points=COMPLEX_POINTS) + complex_table(found)
    PAGE.write_text(text + versions() + NOTES, encoding="utf-8")
    FOUND.unlink()
    print(PAGE)


if __name__ == "__main__":
    main()
