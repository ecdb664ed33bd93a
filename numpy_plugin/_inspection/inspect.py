"""`inspect(f)`: the source, assembly, PTX and resources behind a ufunc of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.toolkit import find_nvrtc
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.types import signature_text
from numpy_plugin._inspection.explain import Explanation, explain
from numpy_plugin._inspection.resources import KernelResources

__all__ = ["Explanation", "Inspection", "inspect"]


class Inspection:
    """Source, code and resources of a ufunc of this package. Made by `inspect`."""

    @without_own_frames
    def __init__(self, ufunc: np.ufunc) -> None:
        """Check that the ufunc is one of this package's; TypeError when it is not."""
        _core.check_ufunc(ufunc)
        self._ufunc = ufunc

    def __repr__(self) -> str:
        """Name the ufunc, what it was made from and the types there is compiled code for."""
        kernel = "a C++ body" if self.python is None else f"'{self.python.__qualname__}'"
        layout = f", layout {self._ufunc.signature!r}" if self._ufunc.signature else ""
        signatures = ", ".join(self.signatures) or "none yet"
        name = self._ufunc.__name__
        return f"<Inspection of ufunc '{name}' from {kernel}{layout}, signatures: {signatures}>"

    @property
    @without_own_frames
    def signatures(self) -> list[str]:
        """The type signatures there is compiled code for, as `"float32(float32, float32)"`."""
        return _core.signatures(self._ufunc)

    @property
    def python(self) -> Callable[..., Any] | None:
        """The Python function the ufunc was made from; None for a C++ body."""
        return self._ufunc.__dict__.get("__wrapped__")

    @without_own_frames
    def source(self, target: str = "cpu", signature: object = None) -> str:
        """Return the C++ text that is compiled.

        Args:
            target: "cpu" or "cuda".
            signature: one of `signatures`, in any spelling; None for all of them in one text.

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
        """Return NVRTC's PTX for an architecture; no GPU and no driver is needed.

        Args:
            signature: one of `signatures`, in any spelling; None for all of them in one text.
            arch: the architecture to compile for.
            form: of an elementwise kernel, for operands that are as these words say: "contiguous",
                "rows" or "strided", with "wide" for indices of 64 bits, and "masked strided" for
                calls with `where=`. Of a generalized kernel: "generalized", one thread an item,
                "split" or "staged". Empty for the usual one.

        Raises:
            CompilerError: NVRTC is not there, doesn't know the architecture, or refused the source.
            ValueError: no kernel for the signature, or no such form.
        """
        find_nvrtc()
        return _core.ptx(self._ufunc, _text(signature), arch, form)

    @without_own_frames
    def cubin(self, signature: object = None, arch: str = "sm_90", form: str = "") -> bytes:
        """Return the machine code NVRTC makes, as an ELF file's bytes; arguments as for `ptx`."""
        find_nvrtc()
        return _core.cubin(self._ufunc, _text(signature), arch, form)

    @without_own_frames
    def sass(self, signature: object = None, arch: str = "sm_90", form: str = "") -> str:
        """Return the machine instructions, by `nvdisasm`; arguments as for `ptx`.

        Raises:
            RuntimeError: there is no `nvdisasm`.
        """
        from numpy_plugin._inspection.disassembly import (
            disassemble,  # only here: it starts processes
        )

        cubin = self.cubin(signature, arch, form)
        rows = self.resources(signature, arch, form)
        return "".join(disassemble(cubin, row.name) for row in rows)

    @without_own_frames
    def resources(
        self, signature: object = None, arch: str = "sm_90", form: str = ""
    ) -> list[KernelResources]:
        """Return what each device kernel needs, in the order of the signatures; see `ptx`."""
        find_nvrtc()
        rows = [
            KernelResources(*row)
            for row in _core.resources(self._ufunc, _text(signature), arch, form)
        ]
        # NVRTC has an order of its own; the names end with the signature's number.
        return sorted(rows, key=lambda row: (int(row.name.rpartition("_")[2]), row.name))

    @without_own_frames
    def explain(self, *operands: Any, arch: str = "sm_90", **keywords: Any) -> Explanation:
        """Return where a call runs and why, what it moves and how long it takes there.

        The call is made twice where it runs, and once on a simulated device, which says how a
        device launches it and counts what that executes.

        Args:
            operands: the inputs: host arrays, scalars, device arrays, also another library's.
            arch: the architecture to count for.
            keywords: of the call, such as `axis` and `dtype`.

        Raises:
            TypeError: no kernel of the ufunc takes these operands, or `out` or `where` was given.
            ValueError: the operands' shapes do not fit together.
        """
        for name in ("out", "where", "stream"):
            if name in keywords:
                raise TypeError(f"explain makes the call several times and takes no {name}=")
        find_nvrtc()
        return explain(self._ufunc, operands, keywords, arch)


@without_own_frames
def inspect(ufunc: np.ufunc) -> Inspection:
    """Look inside a ufunc made by `vectorize` or `guvectorize`.

    Raises:
        TypeError: the object is not one of this package's ufuncs.
    """
    return Inspection(ufunc)


def _text(signature: object) -> str | None:
    return None if signature is None else signature_text(signature)
