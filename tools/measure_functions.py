"""Measure the accuracy of functions in kernels, and write docs/reference/function_accuracy.md.

    python tools/measure_functions.py [--points 16777216] [--jobs 2]

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
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[Any]
# Two errors per call, target and dtype.
Found = dict[tuple[str, str, str], tuple[float, float]]
ROOT = Path(__file__).resolve().parents[1]
FOUND = ROOT / "build" / "function_errors.jsonl"
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
computed in vectors; powers, `cbrt`, `tanh`, `gamma`, and with AVX-512 or an older C library more,
are this package's. The table has the largest error of all three. Functions of `scipy.special` are
implemented in this package, and those with a bound of 1 in float32 are computed in float64 and
rounded; the headers in `templates/npp/special` cite their sources. On a device, `erfinv`,
`erfcinv`, `erfcx`, `ndtr`, `ndtri`, `i0` and `i1` for float32 are CUDA's.

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


COMPLEX_HEAD = """
## Complex numbers

On the CPU these are the C library's functions, on a device they are implemented in this package
(`complex_formulas.hpp`). The tables show two errors: that of the complex number, in ulp of its
magnitude; then, if it is bounded, that of the real or the imaginary part in its own ulp, whichever
is larger. `cmath.exp(z)` is `np.exp(z)`, and so on.

`exp2` keeps its bounds if the imaginary part is below 1e6. The error of a power is proportional to
the magnitude of `w * log(z)`; integer exponents below 100 are computed by multiplication. The sign
of a zero part selects the side of each branch cut, and zeros, infinities and nan follow annex G of
the C standard.

"""


def measured(points: int, jobs: int) -> Found:
    """Return the largest error of each call, target and dtype.

    An interrupted run goes on from those that it had found, a line each in `FOUND`.
    """
    lines = FOUND.read_text().splitlines() if FOUND.exists() else []
    found = {tuple(key): tuple(pair) for key, pair in map(json.loads, lines)}
    keys = [(row.call, t, dtype) for row in FUNCTIONS for t in TARGETS for dtype in DTYPES]
    missing = [key for key in keys if key not in found]
    FOUND.parent.mkdir(exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool, FOUND.open("a") as file:
        results = pool.map(largest_distances, *zip(*missing, strict=True), itertools.repeat(points))
        for key, pair in zip(missing, results, strict=True):
            print(json.dumps([key, pair]), file=file, flush=True)
            found[key] = pair
    FOUND.unlink()
    return found


def measured_complex(points: int) -> Found:
    """Return the largest errors of each call of complex numbers, target and dtype."""
    found = {}
    for target in TARGETS:
        kernel = complex_bounds.kernel()

        @functools.cache
        def call(
            region: str, dtype: str, count: int, kernel: np.ufunc = kernel, target: str = target
        ) -> list[Vector]:
            columns = complex_bounds.arguments(region, dtype, count)
            with np.errstate(all="ignore"):
                if target == "cpu":
                    return list(kernel(*columns))
                on_device = kernel(*map(cuda.to_device, columns))
                return [np.asarray(result.copy_to_host()) for result in on_device]

        for row in complex_bounds.FUNCTIONS:
            for dtype in complex_bounds.DTYPES:
                found[row.call, target, dtype] = complex_bounds.measure(row, dtype, points, call)
    return found


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
                kept = [f"{size:.2f} ≤ {most:g}" for size, most in pairs if most < math.inf]
                cells.append("; ".join(kept))
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
                texts = [
                    f"{size:.2f} {'≤' if size <= most else '>'} {most:g}" for size, most in pairs
                ]
                cells.append("; ".join(texts if row.zero_below else texts[:1]))
        zeros = f"below {row.zero_below:g}" if row.zero_below else ""
        text += f"| `{row.call}` | {' | '.join(cells)} | {zeros} |\n"
    return text


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1 << 24, help="random arguments")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    os.environ["NUMPY_PLUGIN_NUM_THREADS"] = "1"  # of each process
    found = measured(arguments.points, arguments.jobs)
    with cuda.simulator(memory="64 MiB"):
        found_complex = measured_complex(COMPLEX_POINTS)
    libc = " ".join(platform.libc_ver())
    today = datetime.datetime.now(tz=datetime.UTC).date()
    versions = f"{libc}, NumPy {np.__version__}, Python {platform.python_version()}"
    footer = (
        f"\nMeasured on {today}; {versions}. The device is the simulator, whose approximate\n"
        "instructions may differ from a GPU's in the last bit. Run `make accuracy` to measure\n"
        "again; ranges and bounds are in `function_bounds.py` and `special_bounds.py` of\n"
        "`tests/python/helpers`.\n"
    )
    path = ROOT / "docs" / "reference" / "function_accuracy.md"
    head = HEAD.format(points=arguments.points)
    parts = [head, table(found), COMPLEX_HEAD, complex_table(found_complex), footer]
    path.write_text("".join(parts), encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
