"""Explanation of a call: where it runs and why, what it transfers and executes, and its times."""

from __future__ import annotations

import html
import math
from typing import Any, NamedTuple

from numpy_plugin import cuda
from numpy_plugin._html import html_table
from numpy_plugin._inspection.explained_calls import ExplainedCall, Launch
from numpy_plugin._inspection.gpus import find_gpu
from numpy_plugin._inspection.launch_form import LaunchForm, ReductionPlan
from numpy_plugin._inspection.operands import (
    own_array,
    results_of,
    same_layout,
    span,
    timed,
)
from numpy_plugin._inspection.prediction import Demand, Prediction, predict

__all__ = ["Explanation", "Seconds", "explain"]


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
        launch: how the device launches it, or the simulated one.
        reduction: what the launch of a reduction does; None for other calls.
        device: the simulated device that counted the values below.
        launches: the number of launches.
        elements: the number of elements of the first result; for methods, of the array; for an
            `npp.reduction`, of the broadcast operands.
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
    reduction: ReductionPlan | None
    device: str
    launches: int
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
        rows = [
            f"{name:<24}{count:>14,}{count / max(self.elements, 1):>12.2f} per element"
            for name, count in self._counts().items()
        ]
        predicted = [] if self.prediction is None else [str(self.prediction)]
        return "\n".join([*self._words(), *rows, *predicted])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the table in IPython."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        """Return the table for notebooks, below the words."""
        n = max(self.elements, 1)
        rows = [[name, f"{count:,}", f"{count / n:.2f}"] for name, count in self._counts().items()]
        words = html.escape("\n".join(self._words()))
        table = html_table(f"counted on {self.device}", ["", "count", "per element"], rows)
        predicted = "" if self.prediction is None else html.escape(str(self.prediction))
        return f"<pre>{words}</pre>{table}" + (predicted and f"<pre>{predicted}</pre>")

    def _counts(self) -> dict[str, int]:
        counts = {"instructions": self.instructions}
        counts |= {f"  {name}": count for name, count in self.instructions_by_class.items()}
        counts |= {
            "divergent branches": self.divergent_branches,
            "bytes loaded": self.bytes_loaded,
            "bytes stored": self.bytes_stored,
            "32-byte transactions": self.transactions,
        }
        return counts

    def _words(self) -> list[str]:
        parts = [f"{name} {1e3 * value:.3g} ms" for name, value in self.seconds._asdict().items()]
        words = [f"runs on {self.place}: {self.why}", "took " + ", ".join(parts)]
        if self.pieces:
            words.append(
                f"transfers {self.bytes_to_device:,} bytes to the device and "
                f"{self.bytes_to_host:,} back, "
                f"in {self.pieces} piece{'s' if self.pieces > 1 else ''}"
            )
        number = "one launch" if self.launches == 1 else f"{self.launches} launches"
        words.append(f"on a device {number}: {self.launch.reason}")
        words += [f"  cast of {cast}" for cast in self.launch.casts]
        if self.reduction is not None:
            words.append(f"  {self.launch.blocks:,} blocks; {self.reduction}")
        return [*words, f"{self.elements:,} elements on {self.device}"]


def explain(
    call: ExplainedCall,
    operands: tuple[Any, ...],
    keywords: dict[str, Any],
    arch: str | None,
    gpu: str | None,
) -> Explanation:
    """Run a call where it normally runs, then on a simulated device, and explain it."""
    predicted = None if gpu is None else find_gpu(gpu)
    if predicted is not None and arch not in (None, predicted.arch):
        raise ValueError(f"gpu={gpu!r} is of {predicted.arch}, not of arch={arch!r}; omit arch=")
    if predicted is not None and not call.has_resources:
        raise ValueError("gpu= predicts calls of ufuncs, not of their methods; omit gpu=")
    arch = arch or (predicted.arch if predicted else "sm_90")
    operands = tuple(map(own_array, operands))
    device, why, there, back, pieces = call.place(operands, keywords)
    launched = None
    if device is None:
        seconds = _seconds_on_cpu(call, operands, keywords)
    else:
        with device:
            there_seconds, arrays = timed(lambda: _finished(call.on_device(operands)))
            launched = call.launch(arrays, keywords, device)
            seconds = _seconds_on_device(call, operands, arrays, keywords, there_seconds)
    place = "the CPU" if device is None else device.name
    counted, counts, demand = _counts(call, operands, keywords, arch, predicted is not None)
    launch, reduction = launched or counted
    prediction = None
    if predicted is not None and demand is not None:
        prediction = predict(demand, predicted, seconds.compute if device is None else None)
    return Explanation(
        place, why, there, back, pieces, seconds, launch, reduction, *counts, prediction=prediction
    )


def _seconds_on_cpu(
    call: ExplainedCall, operands: tuple[Any, ...], keywords: dict[str, Any]
) -> Seconds:
    first, _ = timed(lambda: call(*operands, **keywords))
    second, _ = timed(lambda: call(*operands, **keywords))
    return Seconds(0.0, max(first - second, 0.0), 0.0, second)


def _finished(result: Any) -> Any:
    cuda.synchronize()
    return result


def _seconds_on_device(
    call: ExplainedCall,
    operands: tuple[Any, ...],
    arrays: tuple[Any, ...],
    keywords: dict[str, Any],
    there: float,
) -> Seconds:
    first, _ = timed(lambda: _finished(call(*arrays, **keywords)))
    begin, end = cuda.event(), cuda.event()
    begin.record()
    launch, result = timed(lambda: call(*arrays, **keywords))
    end.record()
    second = launch + timed(cuda.synchronize)[0]
    has_moved = any(x is not y for x, y in zip(arrays, operands, strict=True))
    back = timed(lambda: [x.copy_to_host() for x in results_of(result)])[0] if has_moved else 0.0
    compute = begin.elapsed_time(end) / 1e3
    return Seconds(there + back if has_moved else 0.0, max(first - second, 0.0), launch, compute)


#: The device's name, launches, elements, instructions in all and by class, divergent branches,
#: bytes loaded and stored, transactions.
Counts = tuple[str, int, int, int, dict[str, int], int, int, int, int]


def _counts(
    call: ExplainedCall,
    operands: tuple[Any, ...],
    keywords: dict[str, Any],
    arch: str,
    has_demand: bool,
) -> tuple[Launch, Counts, Demand | None]:
    """Return the launch and counts of a call on a simulated device, and its demand on a GPU."""
    n_bytes = 8 * sum(span(x) for x in (*operands, *keywords.values())) + (64 << 20)
    with cuda.simulator(arch, memory=n_bytes) as device:
        arrays = call.on_device(tuple(map(same_layout, operands)))
        keywords = call.keywords_on_device(keywords)
        plan = call.launch(arrays, keywords, device)
        launch = plan[0]
        device.synchronize()
        before = device.counters.launches
        results = results_of(call.count(*arrays, **keywords))
        device.synchronize()
        counters = device.counters
        resources = (0, 0, 0)
        if has_demand:
            resources = call.resources(arrays, keywords, device)
    counts = (
        device.name,
        counters.launches - before,
        call.n_elements(arrays, results, keywords),
        counters.instructions,
        counters.instructions_by_class,
        counters.divergent_branches,
        counters.bytes_loaded,
        counters.bytes_stored,
        counters.transactions,
    )
    if not has_demand:
        return plan, counts, None
    from_host = [x for x, y in zip(arrays, operands, strict=True) if _is_copied(x, y)]
    # Caches serve repeated accesses: of an operand, no byte comes from memory twice.
    accessed = 32 * counters.transactions - counters.bytes_stored
    loads = min(_loaded_sectors(arrays), max(accessed, 0))
    return (
        plan,
        counts,
        Demand(
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
        ),
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
