"""`inspect(f)`: the source, assembly, PTX and resources behind a ufunc of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.types import signature_text
from numpy_plugin._inspection.explain import Explanation, explain
from numpy_plugin._inspection.resources import KernelResources

__all__ = ["Explanation", "Inspection", "inspect"]


class Inspection:
    """Source, code and resources of a ufunc of this package. Made by `inspect`."""

    @without_own_frames
    def __init__(self, ufunc: np.ufunc) -> None:
        """Keep the ufunc; raise a TypeError if it is not one of this package's."""
        _core.check_ufunc(ufunc)
        self._ufunc = ufunc

    def __repr__(self) -> str:
        """Return the ufunc's name, its kind of kernel and its compiled signatures."""
        kernel = "a C++ body" if self.python is None else f"'{self.python.__qualname__}'"
        layout = f", layout {self._ufunc.signature!r}" if self._ufunc.signature else ""
        signatures = ", ".join(self.signatures) or "none yet"
        name = self._ufunc.__name__
        return f"<Inspection of ufunc '{name}' from {kernel}{layout}, signatures: {signatures}>"

    @property
    @without_own_frames
    def signatures(self) -> list[str]:
        """The compiled type signatures, such as `"float32(float32, float32)"`."""
        return _core.signatures(self._ufunc)

    @property
    def python(self) -> Callable[..., Any] | None:
        """The Python function the ufunc was made from; None for a C++ body."""
        return self._ufunc.__dict__.get("__wrapped__")

    @without_own_frames
    def source(self, target: str = "cpu", signature: object = None) -> str:
        """Return the emitted C++.

        Args:
            target: "cpu" or "cuda".
            signature: one of `signatures`, in any spelling; None for all of them in one source.

        Raises:
            ValueError: unknown target, or no kernel for the signature.
        """
        return _core.source(self._ufunc, target, _text(signature))

    @without_own_frames
    def assembly(self, signature: object = None) -> str:
        """Return the host compiler's assembly of `source("cpu", signature)`."""
        return _core.assembly(self._ufunc, _text(signature))

    @without_own_frames
    def ptx(self, signature: object = None, arch: str = "sm_90", form: str = "") -> str:
        """Return NVRTC's PTX for an architecture; neither a GPU nor a driver is needed.

        Args:
            signature: one of `signatures`, in any spelling; None for all of them in one source.
            arch: the architecture to compile for.
            form: the launch form. For an elementwise kernel: "contiguous", "rows", "short_rows",
                "transposed" or "strided", with "wide" for 64-bit indices, "masked" for calls with
                `where=`, and "1D", "4D" (the default), "8D" or "64D" for the largest number of
                dimensions. For a generalized kernel: "generalized", one thread per item, "split",
                "staged" or "tiled". Empty for the default.

        Raises:
            CompilerError: NVRTC is missing, rejected the source, or doesn't support the
                architecture.
            ValueError: no kernel for the signature, or no such form.
        """
        return _core.ptx(self._ufunc, _text(signature), arch, form)

    @without_own_frames
    def cubin(self, signature: object = None, arch: str = "sm_90", form: str = "") -> bytes:
        """Return NVRTC's machine code as the bytes of an ELF file; arguments as for `ptx`."""
        return _core.cubin(self._ufunc, _text(signature), arch, form)

    @without_own_frames
    def sass(self, signature: object = None, arch: str = "sm_90", form: str = "") -> str:
        """Return the machine instructions, disassembled by `nvdisasm`; arguments as for `ptx`.

        Raises:
            RuntimeError: there is no `nvdisasm`.
        """
        from numpy_plugin._inspection.disassembly import (
            disassemble,  # imported here: it starts processes
        )

        cubin = self.cubin(signature, arch, form)
        rows = self.resources(signature, arch, form)
        return "".join(disassemble(cubin, row.name) for row in rows)

    @without_own_frames
    def resources(
        self, signature: object = None, arch: str = "sm_90", form: str = ""
    ) -> list[KernelResources]:
        """Return each device kernel's resources, in the order of the signatures; see `ptx`."""
        rows = [
            KernelResources(*row)
            for row in _core.resources(self._ufunc, _text(signature), arch, form)
        ]
        # NVRTC reorders kernels; their names end with the signature's number.
        return sorted(rows, key=lambda row: (int(row.name.rpartition("_")[2]), row.name))

    @without_own_frames
    def explain(
        self,
        *operands: Any,
        arch: str | None = None,
        gpu: str | None = None,
        **keywords: Any,
    ) -> Explanation:
        """Return where a call runs and why, what it transfers and how long it takes there.

        The call is made twice where it runs, and once on a simulated device, which shows how a
        device launches it and counts what it executes.

        Args:
            operands: the inputs: host arrays, scalars, device arrays of any library.
            arch: the architecture to count for; None for the GPU's, or "sm_90".
            gpu: the GPU to predict the call for, such as "H100 SXM"; None for no prediction. The
                prediction is a lower bound from counted bytes and PTX instructions by the roofline
                model, and no measurement.
            keywords: call keywords such as `axis` and `dtype`.

        Raises:
            TypeError: no kernel of the ufunc takes these operands, or `out` or `where` was given.
            ValueError: the operands' shapes do not match, `gpu` is unknown, or `arch` is not its.
        """
        for name in ("out", "where", "stream"):
            if name in keywords:
                raise TypeError(f"explain makes the call several times and takes no {name}=")
        return explain(self._ufunc, operands, keywords, arch, gpu)


@without_own_frames
def inspect(ufunc: np.ufunc) -> Inspection:
    """Inspect a ufunc made by `vectorize` or `guvectorize`.

    Raises:
        TypeError: the object is not one of this package's ufuncs.
    """
    return Inspection(ufunc)


def _text(signature: object) -> str | None:
    return None if signature is None else signature_text(signature)
