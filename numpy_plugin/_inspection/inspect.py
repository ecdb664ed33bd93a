"""`inspect(f)`: the source, assembly, PTX and resources behind a ufunc of this package."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.numpy_ufuncs import device_kernel
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.types import signature_text
from numpy_plugin._html import html_table
from numpy_plugin._inspection.explain import Explanation, explain
from numpy_plugin._inspection.explained_calls import ExplainedCall, explained_call
from numpy_plugin._inspection.resources import KernelResources
from numpy_plugin._reduction.reduction import Reduction

if TYPE_CHECKING:
    from numpy_plugin._inspection.profile import Profile

__all__ = ["Explanation", "Inspection", "ReductionInspection", "inspect"]

# The architecture of simulated devices, if none is chosen.
_DEFAULT_ARCH = "sm_90"


class Inspection:
    """Source, code and resources of a ufunc. Made by `inspect`."""

    @without_own_frames
    def __init__(self, ufunc: np.ufunc) -> None:
        """Keep the ufunc; raise a TypeError if it is neither this package's nor NumPy's."""
        kernel = device_kernel(ufunc) if isinstance(ufunc, np.ufunc) else None
        self._ufunc = ufunc if kernel is None else kernel
        self._called = ufunc
        _core.check_ufunc(self._ufunc)

    def __repr__(self) -> str:
        """Return the ufunc's name, its kind of kernel and its compiled signatures."""
        layout = f", layout {self._ufunc.signature!r}" if self._ufunc.signature else ""
        signatures = ", ".join(self.signatures) or "none yet"
        name = self._ufunc.__name__
        made = f"ufunc '{name}' from {self._origin()}{layout}"
        return f"<Inspection of {made}, signatures: {signatures}>"

    def _repr_html_(self) -> str:
        """Return a table for notebooks: what the ufunc is, and how the CPU computes each loop."""
        rows = [["kernel", self._origin().strip("'")]]
        if self._ufunc.signature:
            rows.append(["layout", self._ufunc.signature])
        rows += [[line.partition(": ")[0], line.partition(": ")[2]] for line in self._forms()]
        return html_table(f"ufunc {self._ufunc.__name__}", (), rows)

    def _origin(self) -> str:
        if self.python is not None:
            return f"'{self.python.__qualname__}'"
        data, *_ = self._ufunc.__dict__.get("_made_from", ({},))
        return "a C++ body" if "body" in data else "generated syntax"

    def _forms(self) -> list[str]:
        return self.host_form().splitlines() if self.signatures else []

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
    def host_form(self, signature: object = None) -> str:
        """Return how the CPU computes the elements: in lane blocks, or why not, for each kernel."""
        return _core.host_form(self._ufunc, _text(signature))

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
                "staged" or "tiled". For the reduction of one axis: "reduce rows", "reduce
                vector_rows", "reduce columns", "reduce team_columns" or "reduce in_order", with
                "masked" and "wide" likewise. Empty for the default.

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
        method: str | None = None,
        arch: str | None = None,
        gpu: str | None = None,
        **keywords: Any,
    ) -> Explanation:
        """Return where a call runs and why, what it transfers and how long it takes there.

        The call is made twice where it runs, and once on a simulated device, which shows how a
        device launches it and counts what it executes.

        Args:
            operands: the inputs: host arrays, scalars, device arrays of any library.
            method: "reduce", "accumulate", "reduceat" or "at", which is called on a copy of the
                array; None for a call of the ufunc itself.
            arch: the architecture to count for; None for the GPU's, or "sm_90".
            gpu: the GPU to predict the call for, such as "H100 SXM"; None for no prediction. The
                prediction is a lower bound from counted bytes and PTX instructions by the roofline
                model, and no measurement.
            keywords: call keywords such as `axis` and `dtype`; for methods also `where`.

        Raises:
            TypeError: no kernel of the ufunc takes these operands, or `out`, or `where` of a call,
                was given.
            ValueError: the operands' shapes do not match, `gpu` is unknown or given for a method,
                or `arch` is not its.
        """
        _check_keywords(
            keywords, ("out", "stream") if method else ("out", "where", "stream"), "explain"
        )
        call = explained_call(self._called, self._ufunc, method)
        return explain(call, operands, keywords, arch, gpu)

    @without_own_frames
    def profile(
        self,
        *operands: Any,
        method: str | None = None,
        arch: str = _DEFAULT_ARCH,
        **keywords: Any,
    ) -> Profile:
        """Return what each line of the kernel does in a call: instructions, branches, memory.

        The call is made once, on a simulated device that is created for it and with copies of the
        operands on it, wherever the operands are and whatever the current device is. Nothing is
        written to them.

        Args:
            operands: the inputs: host arrays, scalars, device arrays of any library.
            method: "reduce", "accumulate", "reduceat" or "at"; None for a call of the ufunc itself.
            arch: the architecture to compile for.
            keywords: call keywords such as `axis`, `dtype` and `where`.

        Raises:
            TypeError, ValueError: as the call, or `out` or `stream` was given.
            SimulatorError: the simulated device found a fault in the kernel.
            CudaError: the simulator can't be loaded.
        """
        _check_keywords(keywords, ("out", "stream"), "profile makes the call with copies")
        call = explained_call(self._called, self._ufunc, method)
        return _profile_call(call, operands, keywords, arch)


class ReductionInspection:
    """How an `npp.reduction` is computed. Made by `inspect`."""

    def __init__(self, reduction: Reduction) -> None:
        """Keep the reduction."""
        self._reduction = reduction

    def __repr__(self) -> str:
        """Return the reduction's name."""
        return f"<Inspection of {self._reduction!r}>"

    @without_own_frames
    def explain(self, *operands: Any, arch: str | None = None, **keywords: Any) -> Explanation:
        """Return where a call runs and why, how it is launched, and how long it takes.

        Args:
            operands: as in the call itself.
            arch: the architecture to count for; None for "sm_90".
            keywords: call keywords except `out`.

        Raises:
            TypeError: as the call, or `out` was given.
            ValueError: as the call.
        """
        _check_keywords(keywords, ("out",), "explain makes the call several times")
        call = explained_call(self._reduction, None, None)
        return explain(call, operands, keywords, arch, None)

    @without_own_frames
    def profile(self, *operands: Any, arch: str = _DEFAULT_ARCH, **keywords: Any) -> Profile:
        """Return what each line of the kernels does in a call, as `Inspection.profile` does.

        Args:
            operands: as in the call itself.
            arch: the architecture to compile for.
            keywords: call keywords except `out`.

        Raises:
            TypeError: as the call, or `out` was given.
            ValueError: as the call.
        """
        _check_keywords(keywords, ("out",), "profile makes the call with copies")
        call = explained_call(self._reduction, None, None)
        return _profile_call(call, operands, keywords, arch)


def _profile_call(
    call: ExplainedCall, operands: tuple[Any, ...], keywords: dict[str, Any], arch: str
) -> Profile:
    from numpy_plugin._inspection.profiled_calls import profile_call  # rarely needed

    return profile_call(call, operands, keywords, arch)


@overload
def inspect(function: np.ufunc) -> Inspection: ...
@overload
def inspect(function: Reduction) -> ReductionInspection: ...


@without_own_frames
def inspect(function: np.ufunc | Reduction) -> Inspection | ReductionInspection:
    """Inspect a ufunc made by `vectorize` or `guvectorize`, or a reduction made by `reduction`.

    Of a NumPy ufunc, the kernel that computes it on devices is inspected.

    Raises:
        TypeError: the object is neither, and no NumPy ufunc with a kernel.
    """
    if isinstance(function, Reduction):
        return ReductionInspection(function)
    return Inspection(function)


def _check_keywords(keywords: dict[str, Any], refused: tuple[str, ...], reason: str) -> None:
    for name in refused:
        if name in keywords:
            raise TypeError(f"{reason} and takes no {name}=")


def _text(signature: object) -> str | None:
    return None if signature is None else signature_text(signature)
