"""Launches of explained calls, as the code that makes them plans them."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LaunchForm", "ReductionPlan"]


class LaunchForm(NamedTuple):
    """How a device launches a call.

    Attributes:
        form: "contiguous", "rows", "short_rows", "transposed" or "strided"; for a generalized
            ufunc "split", "staged", "tiled" or "generalized", or "cublas" for its product of
            matrices; for a reduction "rows", "vector_rows", "columns", "team_columns", "segments",
            "column_segments", "team_column_segments", "scan" or "scan_columns", or NumPy's order:
            "in_order", "segments_in_order" or "scan_in_order"; for `at` "view", "atomic", "places"
            or "sorted".
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


class ReductionPlan(NamedTuple):
    """Work of a reduction's launch, known before it is made.

    Attributes:
        chunks: parts of each result's elements that are reduced separately; tiles of `accumulate`.
        block_threads: threads of a block.
        bytes_read: bytes of the elements and of the mask, each once.
        scratch_bytes: memory for the values of chunks.
        driver_calls: calls of the CUDA driver with a loaded kernel and a new array for each result.
        is_loaded: whether the device has loaded the kernel.
        is_cached: whether it is loaded, or in the disk cache; if not, NVRTC compiles it first.
    """

    chunks: int
    block_threads: int
    bytes_read: int
    scratch_bytes: int
    driver_calls: int
    is_loaded: bool
    is_cached: bool

    def __str__(self) -> str:
        """Return the counts and the state of the kernel in words."""
        states = ("is compiled first", "is in the disk cache", "is loaded")
        state = states[self.is_cached + self.is_loaded]
        return (
            f"{self.chunks:,} chunk{'s' if self.chunks > 1 else ''} per result, "
            f"{self.block_threads} threads per block, {self.bytes_read:,} bytes to read, "
            f"{self.scratch_bytes:,} bytes of scratch memory, {self.driver_calls} driver calls; "
            f"the kernel {state}"
        )
