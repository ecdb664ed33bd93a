"""Measurements of `bench` in a separate process, run as a script; prints its numbers as JSON."""

from __future__ import annotations

import json
import math
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy_plugin._inspection.inspect import Inspection

SQRT_2PI = np.float32(math.sqrt(2 * math.pi))
ARCHITECTURE = "sm_90"
N_KERNELS = 5


def gaussian_pdf(x: float, mean: float, sigma: float) -> Any:
    """Density at x of the normal distribution with this mean and standard deviation."""
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * SQRT_2PI)


def milliseconds(function: Callable[[], object]) -> float:
    """Return the time of one call in milliseconds."""
    start = time.perf_counter_ns()
    function()
    return (time.perf_counter_ns() - start) * 1e-6


def first_result() -> dict[str, float]:
    """Measure the import, then declaration and first call: the time that a user waits."""
    x = np.linspace(-3.0, 3.0, 1000)
    start = time.perf_counter_ns()
    import numpy_plugin

    imported = time.perf_counter_ns()
    ufunc = numpy_plugin.vectorize(["float64(float64, float64, float64)"])(gaussian_pdf)
    ufunc(x, 0.0, 1.0)
    done = time.perf_counter_ns()
    return {"import_ms": (imported - start) * 1e-6, "first_result_ms": (done - imported) * 1e-6}


def wrong_kernel(x: Any, y: Any) -> Any:
    """A kernel with two errors: `<<` of a float, and a name that may be unassigned."""
    if x > y:
        r = x << 1
    return r  # pyright: ignore[reportPossiblyUnboundVariable]


def errors() -> dict[str, float]:
    """Measure the first wrong declaration of each kind: the time until its error message."""
    import numpy_plugin

    vectorize = numpy_plugin.vectorize
    right_on_the_host = "#ifdef __CUDACC__\nreturn xx;\n#else\nreturn x;\n#endif"
    device = numpy_plugin.inspect(vectorize(["f->f"], args="x", body=right_on_the_host))
    make_kernel(1.0).ptx(arch=ARCHITECTURE)  # NVRTC was loaded by earlier kernels
    wrong: dict[str, Callable[[], object]] = {
        "kernel_ms": lambda: vectorize(["float32(float32, float32)"])(wrong_kernel),
        "body_ms": lambda: vectorize(["f->f"], args="x", body="float y = xx; return y;"),
        "nvrtc_ms": lambda: device.ptx(arch=ARCHITECTURE),
    }
    return {name: milliseconds(partial(error_text, declare)) for name, declare in wrong.items()}


def error_text(declare: Callable[[], object]) -> str:
    """Return the error message of a declaration."""
    from numpy_plugin import CompilerError, KernelError

    try:
        declare()
    except (CompilerError, KernelError) as error:
        return str(error)
    raise RuntimeError("a wrong declaration was accepted")


def nvrtc() -> dict[str, float]:
    """Measure compilation for a GPU: the first, then to PTX, to cubins, and on two threads."""
    inspections = [make_kernel(float(scale)) for scale in range(1, 4 * N_KERNELS + 2)]
    first = milliseconds(partial(inspections[0].ptx, arch=ARCHITECTURE))
    parts = [inspections[1 + part * N_KERNELS :][:N_KERNELS] for part in range(4)]
    ptx = [milliseconds(partial(item.ptx, arch=ARCHITECTURE)) for item in parts[0]]
    cubin = [milliseconds(partial(item.resources, arch=ARCHITECTURE)) for item in parts[1]]
    together = milliseconds(partial(compile_on_two_threads, parts[2], parts[3]))
    return {
        "first_ms": first,
        "ptx_ms": statistics.median(ptx),
        "cubin_ms": statistics.median(cubin),
        "speed_up": 2 * sum(cubin) / together,
    }


def make_kernel(scale: float) -> Inspection:
    """Return the inspection of a gaussian_pdf that is in no cache."""
    import numpy_plugin

    def scaled_pdf(x: float, mean: float, sigma: float) -> Any:
        return scale * math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * SQRT_2PI)

    return numpy_plugin.inspect(
        numpy_plugin.vectorize(["float32(float32, float32, float32)"])(scaled_pdf)
    )


def compile_on_two_threads(*halves: Sequence[Inspection]) -> None:
    """Compile each half's kernels to cubins on a separate thread."""

    def compile_all(inspections: Sequence[Inspection]) -> None:
        for inspection in inspections:
            inspection.resources(arch=ARCHITECTURE)

    threads = [threading.Thread(target=compile_all, args=(half,)) for half in halves]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


MEASUREMENTS = {"errors": errors, "first_result": first_result, "nvrtc": nvrtc}

if __name__ == "__main__":
    print(json.dumps(MEASUREMENTS[sys.argv[1]]()))
