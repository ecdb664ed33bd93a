"""`make bench` on a GPU: reductions, scans and sorts, compared to other libraries.

Rates are the size of the array divided by the shortest time per call, as in `bandwidth`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from bandwidth import Call, Rate, rates_page, shortest
from variants import library

from numpy_plugin import cuda

__all__ = ["OPERATIONS", "PAGE", "calls", "measure"]

SIZES = (1 << 20, 1 << 24, 1 << 28)
#: Columns of the arrays of two dimensions.
COLUMNS = 1024


class Operation(NamedTuple):
    """A call on one array that every library has.

    Attributes:
        name: in the table.
        dtype: of the array.
        numpy: the call by a namespace with NumPy's names, such as CuPy's.
        torch: the call by torch.
        is_matrix: whether the array has two dimensions.
        largest: the number of elements of the largest array.
    """

    name: str
    dtype: str
    numpy: Callable[[Any, Any], Any]
    torch: Callable[[Any, Any], Any]
    is_matrix: bool = False
    largest: int = 1 << 28


OPERATIONS = (
    Operation("sum", "float32", lambda m, x: m.sum(x), lambda t, x: t.sum(x)),
    Operation(
        "sum, axis 0", "float32", lambda m, x: m.sum(x, axis=0), lambda t, x: t.sum(x, 0), True
    ),
    Operation(
        "sum, axis 1", "float32", lambda m, x: m.sum(x, axis=1), lambda t, x: t.sum(x, 1), True
    ),
    Operation("max", "float64", lambda m, x: m.max(x), lambda t, x: t.max(x)),
    Operation("cumsum", "float32", lambda m, x: m.cumsum(x), lambda t, x: t.cumsum(x, 0)),
    Operation("cumsum", "int32", lambda m, x: m.cumsum(x), lambda t, x: t.cumsum(x, 0)),
    Operation(
        "sort", "float32", lambda m, x: m.sort(x), lambda t, x: t.sort(x)[0], largest=1 << 26
    ),
    Operation(
        "argsort", "int64", lambda m, x: m.argsort(x), lambda t, x: t.argsort(x), largest=1 << 26
    ),
)


def measure(device: cuda.Device, sizes: Sequence[int] = SIZES) -> list[Rate]:
    """Return the rates of all operations and libraries, on a device with enough memory."""
    rates = []
    with device:
        for operation in OPERATIONS:
            for n in (size for size in sizes if size <= operation.largest):
                n_bytes = n * np.dtype(operation.dtype).itemsize
                for name, call in calls(operation, n):
                    seconds = shortest(call, device.synchronize)
                    what = f"{operation.name} {operation.dtype}"
                    rates.append(Rate(what, n, name, n_bytes / seconds / 1e9))
    return rates


def calls(operation: Operation, n: int) -> Iterator[tuple[str, Call]]:
    """Yield each library's call on the same values."""
    host = np.random.default_rng(0).integers(-1000, 1000, size=n).astype(operation.dtype)
    if operation.is_matrix:
        host = host.reshape(-1, min(COLUMNS, n))
    x = cuda.to_device(host)
    yield "numpy_plugin", lambda: operation.numpy(np, x)
    if cuda.current_device().is_simulated:
        return
    if (cupy := library("cupy")) is not None:
        other = cupy.asarray(host)
        yield "cupy", lambda: operation.numpy(cupy, other)
    if (torch := library("torch")) is not None:
        tensor = torch.from_numpy(host).cuda()
        yield "torch", lambda: operation.torch(torch, tensor)


PAGE = rates_page(
    "device_reductions",
    "Rates of reductions, scans and sorts of device arrays",
    "the array",
    measure,
)
