"""`make bench`: all performance numbers of this package, compared to their targets.

Numbers that depend on a user's machine are also measured by `python -m numpy_plugin bench`; the
others concern the front end, the simulator, and the machine instructions of fixed kernels.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import bytes_in_flight
import cpu_reductions
import dates
import derivatives
import front_end
import instructions
import lane_blocks
import masked_calls
import memory_bound
import order_statistics
import parallel
import reduction_instructions
import scratch_arrays
import simulator_rates
from kernel_table import table as cpu_kernels
from results import Content, Page, Results, measured

from numpy_plugin._commands import bench, info
from numpy_plugin._commands.bench import Measurement

__all__ = ["main"]

PAGES = (
    instructions.PAGE,
    bytes_in_flight.PAGE,
    cpu_reductions.PAGE,
    cpu_kernels.PAGE,
    memory_bound.PAGE,
    order_statistics.PAGE,
    dates.PAGE,
    derivatives.PAGE,
    parallel.PAGE,
)


def steps() -> list[bench.Step]:
    """Return all measurements, in the order of the table."""
    return [
        bench.start_up,
        front_end.measure,
        bench.errors,
        bench.one_element,
        bench.device_call,
        partial(bench.against_others, "float64"),
        partial(bench.against_others, "float32"),
        bench.parallel,
        scratch_arrays.measure,
        lane_blocks.measure,
        masked_calls.measure,
        bench.nvrtc,
        simulator,
        instructions.against_targets,
        reduction_instructions.against_targets,
    ]


def simulator() -> list[Measurement]:
    """Measure the simulator on one thread with all its checks, and its loading of modules."""
    if "error" in info.nvrtc():
        return []
    found = bench.script("simulator", simulator_rates.__file__, NUMPY_PLUGIN_NUM_THREADS="1")
    unit = "million lane instructions a second"
    return [
        Measurement("simulator, saxpy, one core", found["saxpy"], unit, 2000, False),
        Measurement("simulator, mandelbrot, one core", found["mandelbrot"], unit, 3800, False),
        Measurement("simulator, philox, one core", found["philox"], unit, 800, False),
        Measurement("simulator, collatz, one core", found["collatz"], unit, 800, False),
        Measurement("simulator, loading gaussian_pdf's PTX", found["load_ms"], "ms", 5),
        Measurement("simulator, loading 1 MB of PTX", found["load_megabyte_ms"], "ms", 50),
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and write if requested; return the exit status."""
    parser = argparse.ArgumentParser(prog="end_to_end", description="Measure all numbers.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--write", type=Path, metavar="DIRECTORY", help="write tables and records there"
    )
    parser.add_argument(
        "--tables", type=Path, metavar="DIRECTORY", help="write the tables there instead"
    )
    arguments = parser.parse_args(words)
    measurements = bench.measure(steps(), as_json=arguments.json)
    record = bench.show(measurements, as_json=arguments.json)
    if arguments.write is not None:
        results = Results(arguments.tables or arguments.write, arguments.write)
        own = Page("end_to_end", "From declaration to result", measured(lambda: measurements))
        results.write(own, record["environment"], Content.of(measurements))
        for page in PAGES:
            results.add(page, record["environment"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
