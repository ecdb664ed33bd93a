"""`make bench` on a GPU: memory bandwidth of calls, compared to other libraries.

Each call is made many times between two synchronizations; its rate is the size of its operands
divided by the shortest time per call. A copy within the device shows the attainable rate.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from results import Content, Page, Results, table
from variants import library

from numpy_plugin import cuda, vectorize
from numpy_plugin._benchmark.timing import repeated, seconds_of

__all__ = ["PAGE", "Call", "Rate", "measure", "rates_page", "shortest", "table_of"]

SIZES = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
ROUNDS = 5
#: Total duration of the calls of a round, in seconds.
ROUND_SECONDS = 0.05

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
                for name, call, n_arrays in calls(operation, n):
                    n_bytes = n_arrays * n * np.dtype(operation.dtype).itemsize
                    seconds = shortest(call, device.synchronize)
                    what = f"{operation.name} {operation.dtype}"
                    rates.append(Rate(what, n, name, n_bytes / seconds / 1e9))
    return rates


def shortest(call: Call, wait: Call) -> float:
    """Return the shortest time of one call in seconds, from rounds of many."""
    n_calls, times = 1, []
    for _ in range(1 + ROUNDS):
        times.append(seconds_of(repeated(call, n_calls, wait)) / n_calls)
        n_calls = max(1, min(1000, int(ROUND_SECONDS / times[-1])))
    return min(times[1:])


def calls(operation: Operation, n: int) -> Iterator[tuple[str, Call, int]]:
    """Yield each library's call and the number of arrays it reads and writes."""
    x, y, out = (cuda.ones(n, operation.dtype) for _ in range(3))
    signature = f"{operation.dtype}({operation.dtype}, {operation.dtype})"
    ours = vectorize([signature], args="x, y", body=operation.body, name=operation.name)
    yield "copy", lambda: out.copy_to_device(x), 2
    yield "numpy_plugin", lambda: ours(x, y, out=out), 3
    has_gpu = not cuda.current_device().is_simulated
    for name, make in {"cupy": _cupy, "numba": _numba, "torch": _torch}.items():
        module = library(name) if has_gpu else None
        if module is not None:
            yield name, make(module, operation, n), 3


def _cupy(cupy: Any, operation: Operation, n: int) -> Call:
    x, y, out = (cupy.ones(n, operation.dtype) for _ in range(3))
    function = getattr(cupy, operation.numpy_name)
    return lambda: function(x, y, out=out)


def _torch(torch: Any, operation: Operation, n: int) -> Call:
    dtype = getattr(torch, operation.dtype)
    x, y, out = (torch.ones(n, dtype=dtype, device="cuda") for _ in range(3))
    function = getattr(torch, operation.numpy_name)
    return lambda: function(x, y, out=out)


def _numba(numba: Any, operation: Operation, n: int) -> Call:
    numba_cuda = library("numba.cuda")
    host = np.ones(n, operation.dtype)
    x, y, out = (numba_cuda.to_device(host) for _ in range(3))
    python = {"add": operator.add, "multiply": operator.mul}[operation.numpy_name]

    def kernel(a: Any, b: Any) -> Any:
        return python(a, b)

    signature = f"{operation.dtype}({operation.dtype}, {operation.dtype})"
    function = numba.vectorize([signature], target="cuda")(kernel)
    return lambda: function(x, y, out=out)


def table_of(rates: Sequence[Rate]) -> list[str]:
    """Return a Markdown table's lines: a row per operation and size, a column per library."""
    names = list(dict.fromkeys(rate.library for rate in rates))
    found = {(rate.operation, rate.n, rate.library): f"{rate.gigabytes:.0f}" for rate in rates}
    rows = [
        [operation, f"{n:,}", *(found.get((operation, n, name), "") for name in names)]
        for operation, n in dict.fromkeys((rate.operation, rate.n) for rate in rates)
    ]
    return table(["operation", "elements", *names], "lr" + "r" * len(names), rows)


def rates_page(
    name: str, title: str, of: str, measure: Callable[[cuda.Device], list[Rate]]
) -> Page:
    """Return the page of rates on the first GPU; `of` says what they are rates of."""

    def contents(_: Results) -> Content | None:
        gpu = next((device for device in cuda.gpus if not device.is_simulated), None)
        if gpu is None:
            return None
        rates = measure(gpu)
        lines = [f"Gigabytes of {of} a second.", "", *table_of(rates)]
        return Content(lines, {"rates": [rate._asdict() for rate in rates]}, {"GPU": gpu.name})

    return Page(name, title, contents)


PAGE = rates_page("bandwidth", "Memory rates of calls on device arrays", "operands", measure)
