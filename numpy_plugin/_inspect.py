"""`inspect(f)`: the source, assembly, PTX and resources behind a ufunc of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core, cuda
from numpy_plugin._resources import KernelResources
from numpy_plugin._toolkit import find_nvrtc
from numpy_plugin._types import signature_text

__all__ = ["Explanation", "Inspection", "inspect"]


class Explanation(NamedTuple):
    """What one call does on a device, as the simulator counts it. Its text is a table.

    Attributes:
        device: the simulated device that ran the call.
        elements: of the result.
        instructions: of all threads, each counted where it was active.
        instructions_by_class: likewise, "global load" and so on.
        divergent_branches: branches that the threads of a warp took both ways.
        bytes_loaded: bytes of global memory that threads asked for.
        bytes_stored: likewise, written.
        transactions: 32-byte sectors of global memory that the accesses of warps touched.
    """

    device: str
    elements: int
    instructions: int
    instructions_by_class: dict[str, int]
    divergent_branches: int
    bytes_loaded: int
    bytes_stored: int
    transactions: int

    def __str__(self) -> str:
        """Return a line for each count, with its share of an element."""
        counts = {"instructions": self.instructions}
        counts |= {f"  {name}": count for name, count in self.instructions_by_class.items()}
        counts |= {
            "divergent branches": self.divergent_branches,
            "bytes loaded": self.bytes_loaded,
            "bytes stored": self.bytes_stored,
            "32-byte transactions": self.transactions,
        }
        rows = [
            f"{name:<24}{count:>14,}{count / max(self.elements, 1):>12.2f} an element"
            for name, count in counts.items()
        ]
        return "\n".join([f"{self.elements:,} elements on {self.device}", *rows])


class Inspection:
    """What a ufunc of this package is made of. Made by `inspect`."""

    def __init__(self, ufunc: np.ufunc) -> None:
        """Check that the ufunc is one of ours; TypeError when it is not."""
        _core.check_ufunc(ufunc)
        self._ufunc = ufunc

    @property
    def signatures(self) -> list[str]:
        """The type signatures there is compiled code for, as `"float32(float32, float32)"`."""
        return _core.signatures(self._ufunc)

    @property
    def python(self) -> Callable[..., Any] | None:
        """The Python function the ufunc was made from; None for a C++ body."""
        return self._ufunc.__dict__.get("__wrapped__")

    def source(self, target: str = "cpu", signature: object = None) -> str:
        """Return the C++ text that is compiled.

        Args:
            target: "cpu" or "cuda".
            signature: one of `signatures`, in any spelling; None for all of them in one text.

        Raises:
            ValueError: unknown target, or no kernel for the signature.
        """
        return _core.source(self._ufunc, target, _text(signature))

    def assembly(self, signature: object = None) -> str:
        """Return the host compiler's assembly of `source("cpu", signature)`."""
        return _core.assembly(self._ufunc, _text(signature))

    def ptx(self, signature: object = None, arch: str = "sm_90") -> str:
        """Return NVRTC's PTX for an architecture; no GPU and no driver is needed.

        Raises:
            CompilerError: NVRTC is not there, doesn't know the architecture, or refused the source.
        """
        find_nvrtc()
        return _core.ptx(self._ufunc, _text(signature), arch)

    def cubin(self, signature: object = None, arch: str = "sm_90") -> bytes:
        """Return the machine code NVRTC makes for an architecture, as an ELF file's bytes."""
        find_nvrtc()
        return _core.cubin(self._ufunc, _text(signature), arch)

    def resources(self, signature: object = None, arch: str = "sm_90") -> list[KernelResources]:
        """Return what each device kernel needs, in the order of the signatures."""
        find_nvrtc()
        rows = [
            KernelResources(*row) for row in _core.resources(self._ufunc, _text(signature), arch)
        ]
        # NVRTC has an order of its own; the names end with the signature's number.
        return sorted(rows, key=lambda row: (int(row.name.rpartition("_")[2]), row.name))

    def explain(self, *operands: npt.ArrayLike, arch: str = "sm_90") -> Explanation:
        """Return what an elementwise call does on a GPU, by running it on the simulator.

        Args:
            operands: the inputs, as host arrays and scalars.
            arch: the architecture to compile for.

        Raises:
            TypeError: no kernel of the ufunc takes these operands.
            ValueError: the operands' shapes do not fit together.
        """
        find_nvrtc()
        arrays = [np.asarray(operand) for operand in operands]
        n_bytes = 4 * sum(array.nbytes for array in arrays) + (64 << 20)
        with cuda.simulator(arch, memory=n_bytes) as device:
            results = self._ufunc(*_on_device(arrays))
            first = results[0] if isinstance(results, tuple) else results
            counters = device.counters
        return Explanation(
            device.name,
            first.size,
            counters.instructions,
            counters.instructions_by_class,
            counters.divergent_branches,
            counters.bytes_loaded,
            counters.bytes_stored,
            counters.transactions,
        )


def inspect(ufunc: np.ufunc) -> Inspection:
    """Look inside a ufunc made by `vectorize` or `guvectorize`.

    Raises:
        TypeError: the object is not one of this package's ufuncs.
    """
    return Inspection(ufunc)


def _on_device(arrays: list[npt.NDArray[Any]]) -> list[Any]:
    """Return the operands of a call that runs on the device; scalars need not be there."""
    are_scalars = not any(array.ndim for array in arrays)
    return [cuda.to_device(array) if array.ndim or are_scalars else array for array in arrays]


def _text(signature: object) -> str | None:
    return None if signature is None else signature_text(signature)
