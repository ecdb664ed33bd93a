"""Prediction of a call's time on a GPU: the roofline model, with launch, latency and transfers.

Roofline: S. Williams, A. Waterman, D. Patterson, Communications of the ACM 52 (2009). Little's law:
bytes in flight = latency * throughput. Times are lower bounds: a real call takes longer.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy_plugin._inspection.gpus import Gpu

__all__ = ["Bounds", "Demand", "Prediction", "predict"]

# Seconds: of a load from memory that is busy, and of the shortest launch.
_LATENCY = 1e-6
_LAUNCH = 2e-6
# Instructions that the schedulers of a multiprocessor issue, times the threads of a warp.
_ISSUED = 128


class Demand(NamedTuple):
    """Work and resources of a call on a GPU.

    Attributes:
        bytes_loaded: bytes of operands read from memory, each once.
        bytes_stored: bytes of results.
        bytes_to_device: bytes of host operands.
        bytes_to_host: bytes of results copied back.
        instructions: of all threads, by class.
        blocks: of the launch; 0: nothing is launched.
        block_threads: threads of a block.
        n_registers: per thread.
        resident_blocks: that a multiprocessor holds at a time.
        thread_bytes: bytes that a thread loads.
    """

    bytes_loaded: int
    bytes_stored: int
    bytes_to_device: int
    bytes_to_host: int
    instructions: dict[str, int]
    blocks: int
    block_threads: int
    n_registers: int
    resident_blocks: int
    thread_bytes: float


class Bounds(NamedTuple):
    """Lower bounds of a call's time, in seconds.

    Attributes:
        memory: of loads and stores, by bandwidth and latency.
        instructions: of the busiest kind of arithmetic unit, or of the schedulers.
        launch: of one launch.
        transfer: of copies between host and device, both directions at once.
    """

    memory: float
    instructions: float
    launch: float
    transfer: float


class Prediction(NamedTuple):
    """Prediction of a call on a GPU. Its str is in words.

    Attributes:
        gpu: the GPU.
        demand: the call's work and resources.
        bounds: lower bounds of its parts, in seconds.
        bound: the largest: "memory", "instructions", "launch" or "transfer"; "nothing" where
            nothing is launched.
        seconds: the call's time, the largest bound.
        device_seconds: likewise if all arrays are on the device already.
        intensity: instructions per byte of memory.
        bytes_in_flight: bytes of loads under way on a multiprocessor, at most.
        bytes_to_cover: bytes that have to be under way to use the bandwidth.
        speedup: measured time on the CPU over `seconds`; None where the call runs on no CPU.
        device_speedup: likewise over `device_seconds`.
    """

    gpu: Gpu
    demand: Demand
    bounds: Bounds
    bound: str
    seconds: float
    device_seconds: float
    intensity: float
    bytes_in_flight: float
    bytes_to_cover: float
    speedup: float | None
    device_speedup: float | None

    def __str__(self) -> str:
        """Return the bound, the parts and the bytes in flight in words."""
        if self.bound == "nothing":
            return f"on {self.gpu.name}: nothing is launched"
        return "\n".join(
            [
                f"on {self.gpu.name}: bound by {self.bound}, at least {_us(self.seconds)}",
                *self._parts(),
                *self._speedups(),
            ]
        )

    def _parts(self) -> list[str]:
        gpu, demand, bounds = self.gpu, self.demand, self.bounds
        n_bytes = demand.bytes_loaded + demand.bytes_stored
        covers = "cover" if self.bytes_in_flight >= self.bytes_to_cover else "do not cover"
        parts = [
            f"  memory: {_mb(n_bytes)} at {gpu.bandwidth / 1e12:.3g} TB/s "
            f"take {_us(bounds.memory)}",
            f"  instructions: {sum(demand.instructions.values()):,} take "
            f"{_us(bounds.instructions)}, {self.intensity:.3g} per byte",
            f"  launch: {_us(bounds.launch)}",
            f"  in flight: {self.bytes_in_flight / 1024:.1f} KiB per multiprocessor {covers} the "
            f"latency, which takes {self.bytes_to_cover / 1024:.1f} KiB "
            f"({demand.n_registers} registers, {demand.resident_blocks} blocks of "
            f"{demand.block_threads} threads fit)",
        ]
        if bounds.transfer:
            parts.append(
                f"  transfer: {_mb(demand.bytes_to_device)} to the device and "
                f"{_mb(demand.bytes_to_host)} back at {gpu.link / 1e9:.0f} GB/s take "
                f"{_us(bounds.transfer)}"
            )
        return parts

    def _speedups(self) -> list[str]:
        if self.speedup is None:
            return []
        return [
            f"  at most {self.speedup:.3g} times as fast as this machine's CPU; "
            f"{self.device_speedup:.3g} times if the arrays are on the device"
        ]


def predict(demand: Demand, gpu: Gpu, cpu_seconds: float | None = None) -> Prediction:
    """Predict a call on a GPU, and compare with its time on the CPU."""
    n_bytes = demand.bytes_loaded + demand.bytes_stored
    in_flight = _bytes_in_flight(demand, gpu)
    share = demand.bytes_loaded / n_bytes if n_bytes else 0.0
    bounds = Bounds(
        memory=_memory_seconds(demand, gpu, in_flight),
        instructions=_instruction_seconds(demand.instructions, gpu),
        launch=_LAUNCH if demand.blocks else 0.0,
        transfer=max(demand.bytes_to_device, demand.bytes_to_host) / gpu.link,
    )
    seconds, bound = max(zip(bounds, bounds._fields, strict=True))
    on_device = max(bounds[:3])
    is_compared = cpu_seconds is not None and demand.blocks > 0
    return Prediction(
        gpu=gpu,
        demand=demand,
        bounds=bounds,
        bound=bound if demand.blocks else "nothing",
        seconds=seconds,
        device_seconds=on_device,
        intensity=sum(demand.instructions.values()) / n_bytes if n_bytes else 0.0,
        bytes_in_flight=in_flight,
        bytes_to_cover=gpu.bandwidth * _LATENCY * share / gpu.n_multiprocessors,
        speedup=cpu_seconds / seconds if is_compared and cpu_seconds else None,
        device_speedup=cpu_seconds / on_device if is_compared and cpu_seconds else None,
    )


def _bytes_in_flight(demand: Demand, gpu: Gpu) -> float:
    """Return the bytes of loads that a multiprocessor has under way: the blocks may not fill it."""
    blocks = min(demand.resident_blocks, demand.blocks / gpu.n_multiprocessors)
    # A load under way occupies its registers of 4 bytes.
    return blocks * demand.block_threads * min(demand.thread_bytes, 4 * demand.n_registers)


def _memory_seconds(demand: Demand, gpu: Gpu, in_flight: float) -> float:
    by_bandwidth = (demand.bytes_loaded + demand.bytes_stored) / gpu.bandwidth
    if not in_flight:
        return by_bandwidth
    waits = demand.bytes_loaded * _LATENCY / (in_flight * gpu.n_multiprocessors)
    return max(by_bandwidth, waits)


def _instruction_seconds(instructions: dict[str, int], gpu: Gpu) -> float:
    clocks = [sum(instructions.values()) / _ISSUED]
    clocks += [count / gpu.rates.get(name, _ISSUED) for name, count in instructions.items()]
    return max(clocks) / (gpu.n_multiprocessors * gpu.clock)


def _us(seconds: float) -> str:
    return f"{1e6 * seconds:.3g} us"


def _mb(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.3g} MB"
