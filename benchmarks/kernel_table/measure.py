"""Measures all kernels in a process of its own: `python -m kernel_table.measure THREADS`.

Prints JSON. The process is pinned to as many processors as it has threads, before any library is
imported, so that each of them uses so many.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

__all__ = ["SIZES", "SWEEP", "SWEEP_SIZES", "main"]

SIZES = (1_000, 100_000, 2_000_000)
# Measured at more sizes, for the plots.
SWEEP = ("gaussian", "power", "scaled_sum", "escape_time")
SWEEP_SIZES = (100, 1_000, 10_000, 100_000, 2_000_000)
ROUNDS = 9


def main(n_threads: int) -> None:
    """Measure with a number of threads, and print the rows."""
    processors = sorted(os.sched_getaffinity(0))[:n_threads]
    os.sched_setaffinity(0, processors)
    from kernel_table.kernels import KERNELS
    from kernel_table.peers import versions

    with contextlib.redirect_stdout(sys.stderr):
        rows = [
            {"kernel": kernel.name, **row}
            for kernel in KERNELS
            for dtype in ("float32", "float64")
            for fastmath in (False, True)
            for row in _rows(kernel, dtype, n_threads, fastmath)
        ]
    print(json.dumps({"versions": versions(), "rows": rows}))


def _rows(kernel: Any, dtype: str, n_threads: int, fastmath: bool) -> list[dict[str, Any]]:
    from kernel_table.kernels import operands_of
    from kernel_table.peers import contestants, ours
    from numpy_plugin import benchmark

    sizes = sorted({*SIZES, *(SWEEP_SIZES if kernel.function.__name__ in SWEEP else ())})
    against = contestants(kernel, dtype, fastmath)
    if n_threads == 1:
        del against["Numba, parallel"]
    found = benchmark(
        ours(kernel, dtype, "cpu" if n_threads == 1 else "parallel", fastmath),
        *operands_of(kernel, dtype, max(sizes)),
        against=against,
        sizes=sizes,
        rounds=ROUNDS,
    )
    return [{**row._asdict(), "threads": n_threads, "fastmath": fastmath} for row in found]


if __name__ == "__main__":
    main(int(sys.argv[1]))
