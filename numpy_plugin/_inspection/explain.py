"""Explanation of a call: where it runs and why, what it transfers and executes, and its times."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core, cuda
from numpy_plugin._inspection.gpus import find_gpu
from numpy_plugin._inspection.prediction import Demand, Prediction, predict

__all__ = ["Explanation", "LaunchForm", "Seconds", "explain"]


# The alignment of device allocations in bytes.
_ALIGNMENT = 256


class LaunchForm(NamedTuple):
    """How a device launches a call.

    Attributes:
        form: "contiguous", "rows", "short_rows", "transposed" or "strided"; for a generalized
            ufunc "split", "staged", "tiled" or "generalized".
        reason: why this form was chosen, in words.
        blocks: the number of blocks of threads.
        elements_per_thread: in a full block.
        vector_bytes: the width of the widest memory access; 0: element by element.
        is_wide: whether indices and offsets have 64 bits.
        casts: operands that are cast when loaded or stored, such as "input 1: int32 to float32".
    """

    form: str
    reason: str
    blocks: int
    elements_per_thread: int
    vector_bytes: int
    is_wide: bool
    casts: tuple[str, ...]


class Seconds(NamedTuple):
    """Times of the parts of the explained call, in seconds.

    Attributes:
        transfer: copies of operands and results between the host and the device.
        compile: compilation and loading, if not yet done.
        launch: the time until the call returned.
        compute: the time of the kernel, or of the whole call on the CPU.
    """

    transfer: float
    compile: float
    launch: float
    compute: float


class Explanation(NamedTuple):
    """Result of `inspect(f).explain(...)`. Its str is a table.

    Attributes:
        place: "the CPU", or the name of a device.
        why: the reason for running there, in words.
        bytes_to_device: the size of operands copied to the device; 0 if all are already there.
        bytes_to_host: the size of results copied back.
        pieces: the number of pieces of a call with host operands.
        seconds: the times of its parts.
        launch: how a device launches it.
        device: the simulated device that counted the values below.
        elements: the number of elements of the first result.
        instructions: instructions of all threads, counted while active.
        instructions_by_class: likewise, for "global load" and so on.
        divergent_branches: branches where the threads of a warp diverged.
        bytes_loaded: bytes that threads loaded from global memory.
        bytes_stored: bytes that threads stored to global memory.
        transactions: 32-byte sectors of global memory accessed by warps.
        prediction: of the call on the GPU that was named; None without one.
    """

    place: str
    why: str
    bytes_to_device: int
    bytes_to_host: int
    pieces: int
    seconds: Seconds
    launch: LaunchForm
    device: str
    elements: int
    instructions: int
    instructions_by_class: dict[str, int]
    divergent_branches: int
    bytes_loaded: int
    bytes_stored: int
    transactions: int
    prediction: Prediction | None

    def __str__(self) -> str:
        """Return the place and the launch in words, then one line per count."""
        counts = {"instructions": self.instructions}
        counts |= {f"  {name}": count for name, count in self.instructions_by_class.items()}
        counts |= {
            "divergent branches": self.divergent_branches,
            "bytes loaded": self.bytes_loaded,
            "bytes stored": self.bytes_stored,
            "32-byte transactions": self.transactions,
        }
        rows = [
            f"{name:<24}{count:>14,}{count / max(self.elements, 1):>12.2f} per element"
            for name, count in counts.items()
        ]
        predicted = [] if self.prediction is None else [str(self.prediction)]
        return "\n".join([*self._words(), *rows, *predicted])

    def _words(self) -> list[str]:
        parts = [f"{name} {1e3 * value:.3g} ms" for name, value in self.seconds._asdict().items()]
        words = [f"runs on {self.place}: {self.why}", "took " + ", ".join(parts)]
        if self.pieces:
            words.append(
                f"transfers {self.bytes_to_device:,} bytes to the device and "
                f"{self.bytes_to_host:,} back, "
                f"in {self.pieces} piece{'s' if self.pieces > 1 else ''}"
            )
        words.append(f"on a device one launch: {self.launch.reason}")
        words += [f"  cast of {cast}" for cast in self.launch.casts]
        return [*words, f"{self.elements:,} elements on {self.device}"]


def explain(
    ufunc: np.ufunc,
    operands: tuple[Any, ...],
    keywords: dict[str, Any],
    arch: str | None,
    gpu: str | None,
) -> Explanation:
    """Run a call where it normally runs, then on a simulated device, and explain it."""
    predicted = None if gpu is None else find_gpu(gpu)
    if predicted is not None and arch not in (None, predicted.arch):
        raise ValueError(f"gpu={gpu!r} is of {predicted.arch}, not of arch={arch!r}; omit arch=")
    arch = arch or (predicted.arch if predicted else "sm_90")
    operands = tuple(map(_ours, operands))
    device, why, there, back, pieces = _core.explain_place(ufunc, operands, keywords)
    if device is None:
        seconds = _seconds_on_cpu(ufunc, operands, keywords)
    else:
        with device:
            seconds = _seconds_on_device(ufunc, operands, keywords)
    place = "the CPU" if device is None else device.name
    counts, demand = _counts(ufunc, operands, keywords, arch, predicted is not None)
    prediction = None
    if predicted is not None and demand is not None:
        prediction = predict(demand, predicted, seconds.compute if device is None else None)
    return Explanation(place, why, there, back, pieces, seconds, *counts, prediction)


def _ours(operand: Any) -> Any:
    """Return another library's device array as a DeviceArray, anything else unchanged."""
    try:
        return cuda.as_device_array(operand)
    except TypeError:
        return operand


def _seconds_on_cpu(
    ufunc: np.ufunc, operands: tuple[Any, ...], keywords: dict[str, Any]
) -> Seconds:
    first, _ = _timed(lambda: ufunc(*operands, **keywords))
    second, _ = _timed(lambda: ufunc(*operands, **keywords))
    return Seconds(0.0, max(first - second, 0.0), 0.0, second)


def _seconds_on_device(
    ufunc: np.ufunc, operands: tuple[Any, ...], keywords: dict[str, Any]
) -> Seconds:
    def finished(result: Any) -> Any:
        cuda.synchronize()
        return result

    there, arrays = _timed(lambda: finished(_on_device(operands)))
    first, _ = _timed(lambda: finished(ufunc(*arrays, **keywords)))
    begin, end = cuda.event(), cuda.event()
    begin.record()
    launch, result = _timed(lambda: ufunc(*arrays, **keywords))
    end.record()
    second = launch + _timed(cuda.synchronize)[0]
    has_moved = any(x is not y for x, y in zip(arrays, operands, strict=True))
    back = _timed(lambda: [x.copy_to_host() for x in _results(result)])[0] if has_moved else 0.0
    compute = begin.elapsed_time(end) / 1e3
    return Seconds(there + back if has_moved else 0.0, max(first - second, 0.0), launch, compute)


def _counts(
    ufunc: np.ufunc,
    operands: tuple[Any, ...],
    keywords: dict[str, Any],
    arch: str,
    has_demand: bool,
) -> tuple[tuple[LaunchForm, str, int, int, dict[str, int], int, int, int, int], Demand | None]:
    """Return the launch and counts of a call on a simulated device, and its demand on a GPU."""
    n_bytes = 8 * sum(_span(x) for x in operands) + (64 << 20)
    with cuda.simulator(arch, memory=n_bytes) as device:
        arrays = _on_device(tuple(map(_same_layout, operands)))
        launch = LaunchForm(*_core.explain_launch(ufunc, arrays, keywords))
        results = _results(ufunc(*arrays, **keywords))
        device.synchronize()
        counters = device.counters
        resources = (0, 0, 0)
        if has_demand:
            resources = _core.explain_resources(ufunc, arrays, keywords, device)
    result = results[0]
    counts = (
        launch,
        device.name,
        result.size,
        counters.instructions,
        counters.instructions_by_class,
        counters.divergent_branches,
        counters.bytes_loaded,
        counters.bytes_stored,
        counters.transactions,
    )
    if not has_demand:
        return counts, None
    from_host = [x for x, y in zip(arrays, operands, strict=True) if _is_copied(x, y)]
    # Caches serve repeated accesses: of an operand, no byte comes from memory twice.
    accessed = 32 * counters.transactions - counters.bytes_stored
    loads = min(_loaded_sectors(arrays), max(accessed, 0))
    return counts, Demand(
        bytes_loaded=loads,
        bytes_stored=sum(x.nbytes for x in results),
        bytes_to_device=sum(x.nbytes for x in from_host),
        bytes_to_host=sum(x.nbytes for x in results) if from_host else 0,
        instructions=counters.instructions_by_class,
        blocks=launch.blocks,
        block_threads=resources[0],
        n_registers=resources[1],
        resident_blocks=resources[2],
        thread_bytes=counters.bytes_loaded / max(launch.blocks * resources[0], 1),
    )


def _is_copied(array: Any, operand: Any) -> bool:
    return isinstance(array, cuda.DeviceArray) and not isinstance(operand, cuda.DeviceArray)


def _loaded_sectors(arrays: tuple[Any, ...]) -> int:
    """Return the bytes of the 32-byte sectors that hold the elements of device arrays."""
    total = 0
    for array in arrays:
        if not isinstance(array, cuda.DeviceArray) or array.size == 0:
            continue
        steps = [(n, abs(s)) for n, s in zip(array.shape, array.strides, strict=True) if s]
        distinct = math.prod(n for n, _ in steps)
        step = min((s for n, s in steps if n > 1), default=array.itemsize)
        total += distinct * max(array.itemsize, min(step, 32))
    return total


class _View:
    """Device memory viewed as an array."""

    def __init__(self, memory: cuda.DeviceArray, interface: dict[str, Any]) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = interface


def _span(operand: Any) -> int:
    """Return the number of bytes from an operand's first byte to its last."""
    if not isinstance(operand, cuda.DeviceArray):
        return np.asarray(operand).nbytes
    steps = zip(operand.shape, operand.strides, strict=True)
    return operand.itemsize + sum(abs(stride) * max(n - 1, 0) for n, stride in steps)


def _same_layout(operand: Any) -> Any:
    """Copy a device array to the current device, with the same strides and alignment."""
    if not isinstance(operand, cuda.DeviceArray):
        return operand
    interface = dict(operand.__cuda_array_interface__)
    steps = zip(operand.shape, operand.strides, strict=True)
    before = sum(-stride * max(n - 1, 0) for n, stride in steps if stride < 0)
    memory = cuda.zeros(_span(operand) + _ALIGNMENT, np.uint8)
    address = memory.__cuda_array_interface__["data"][0] + before
    address += (interface["data"][0] - address) % _ALIGNMENT
    interface |= {"data": (address, False), "stream": None}
    view = cuda.as_device_array(_View(memory, interface))
    view.copy_to_device(operand.copy_to_host())
    return view


def _timed(call: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def _results(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _on_device(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the operands of a call for a device; scalars stay on the host."""
    arrays: list[npt.NDArray[Any] | Any] = [
        x if isinstance(x, cuda.DeviceArray) else np.asarray(x) for x in operands
    ]
    are_scalars = not any(x.ndim for x in arrays)
    return tuple(
        cuda.to_device(array) if array.ndim or are_scalars else operand
        for array, operand in zip(arrays, operands, strict=True)
    )
