"""`make bench` on a GPU: memory bandwidth of calls, compared to other libraries.

Each call is made many times between two synchronizations; its rate is the size of its operands
divided by the shortest time per call. A copy within the device shows the attainable rate.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from results import Heading, Results

from numpy_plugin import cuda, vectorize

__all__ = ["Rate", "is_there", "measure", "shortest", "table", "write"]

SIZES = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
ROUNDS = 5
#: Total duration of the calls of a round, in seconds.
ROUND_SECONDS = 0.05
FILE_NAME = "bandwidth"

Call = Callable[[], object]


class Operation(NamedTuple):
    """A call that every library supports: `x` and `y` into `out`."""

    name: str
    dtype: str
    body: str
    numpy_name: str


OPERATIONS = (
    Operation("add", "float32", "return x + y;", "add"),
    Operation("multiply", "float64", "return x * y;", "multiply"),
    Operation("add", "int8", "return x + y;", "add"),
)


class Rate(NamedTuple):
    """Bandwidth of one library's call.

    Attributes:
        operation: with its dtype, "add float32".
        n: number of elements.
        library: "numpy_plugin", "copy", "cupy", "numba" or "torch".
        gigabytes: of operands a second.
    """

    operation: str
    n: int
    library: str
    gigabytes: float


def measure(device: cuda.Device, sizes: Sequence[int] = SIZES) -> list[Rate]:
    """Return the rates of all operations and libraries, on a device with enough memory."""
    rates = []
    with device:
        for operation in OPERATIONS:
            for n in sizes:
                for library, call, n_arrays in calls(operation, n):
                    n_bytes = n_arrays * n * np.dtype(operation.dtype).itemsize
                    seconds = shortest(call, device.synchronize)
                    name = f"{operation.name} {operation.dtype}"
                    rates.append(Rate(name, n, library, n_bytes / seconds / 1e9))
    return rates


def shortest(call: Call, wait: Call) -> float:
    """Return the shortest time of one call in seconds, from rounds of many."""
    call()
    wait()
    n_calls, times = 1, []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(n_calls):
            call()
        wait()
        taken = time.perf_counter() - begin
        times.append(taken / n_calls)
        n_calls = max(1, min(1000, int(ROUND_SECONDS / times[-1])))
    return min(times)


def calls(operation: Operation, n: int) -> Iterator[tuple[str, Call, int]]:
    """Yield each library's call and the number of arrays it reads and writes."""
    x, y, out = (cuda.ones(n, operation.dtype) for _ in range(3))
    signature = f"{operation.dtype}({operation.dtype}, {operation.dtype})"
    ours = vectorize([signature], args="x, y", body=operation.body, name=operation.name)
    yield "copy", lambda: out.copy_to_device(x), 2
    yield "numpy_plugin", lambda: ours(x, y, out=out), 3
    has_gpu = not cuda.current_device().is_simulated
    for library, make in {"cupy": _cupy, "numba": _numba, "torch": _torch}.items():
        call = make(operation, n) if has_gpu and is_there(library) else None
        if call is not None:
            yield library, call, 3


def is_there(library: str) -> bool:
    """Return whether a library can be imported."""
    try:
        importlib.import_module(library)
    except ImportError:
        return False
    return True


def _cupy(operation: Operation, n: int) -> Call:
    cupy = importlib.import_module("cupy")
    x, y, out = (cupy.ones(n, operation.dtype) for _ in range(3))
    function = getattr(cupy, operation.numpy_name)
    return lambda: function(x, y, out=out)


def _torch(operation: Operation, n: int) -> Call:
    torch = importlib.import_module("torch")
    dtype = getattr(torch, operation.dtype)
    x, y, out = (torch.ones(n, dtype=dtype, device="cuda") for _ in range(3))
    function = getattr(torch, operation.numpy_name)
    return lambda: function(x, y, out=out)


def _numba(operation: Operation, n: int) -> Call:
    numba = importlib.import_module("numba")
    numba_cuda = importlib.import_module("numba.cuda")
    host = np.ones(n, operation.dtype)
    x, y, out = (numba_cuda.to_device(host) for _ in range(3))
    operator = importlib.import_module("operator")
    python = {"add": operator.add, "multiply": operator.mul}[operation.numpy_name]

    def kernel(a: Any, b: Any) -> Any:
        return python(a, b)

    signature = f"{operation.dtype}({operation.dtype}, {operation.dtype})"
    function = numba.vectorize([signature], target="cuda")(kernel)
    return lambda: function(x, y, out=out)


def table(rates: Sequence[Rate]) -> list[str]:
    """Return a Markdown table's lines: a row per operation and size, a column per library."""
    libraries = list(dict.fromkeys(rate.library for rate in rates))
    lines = [f"| operation | elements | {' | '.join(libraries)} |"]
    lines.append("|---|---:|" + "---:|" * len(libraries))
    for operation, n in dict.fromkeys((rate.operation, rate.n) for rate in rates):
        found = {r.library: r.gigabytes for r in rates if (r.operation, r.n) == (operation, n)}
        cells = [f"{found[name]:.0f}" if name in found else "" for name in libraries]
        lines.append(f"| {operation} | {n:,} | {' | '.join(cells)} |")
    return lines


def write(results: Results, environment: dict[str, Any]) -> bool:
    """Write the rates of the first GPU as Markdown and JSON; return whether there is one."""
    gpus = [device for device in cuda.gpus if not device.is_simulated]
    if not gpus:
        return False
    rates = measure(gpus[0])
    heading = Heading("Memory rates of calls on device arrays")
    lines = ["Gigabytes of operands a second.", "", *table(rates)]
    values = {"rates": [rate._asdict() for rate in rates]}
    results.write(FILE_NAME, heading, {**environment, "GPU": gpus[0].name}, lines, values)
    return True
