"""The exceptions and the warning of this package."""

import sys
import warnings
from typing import NamedTuple

from numpy_plugin._errors.traceback import without_own_frames

__all__ = [
    "CompilerError",
    "CudaError",
    "DeviceMemoryError",
    "Diagnostic",
    "KernelError",
    "KernelWarning",
    "PerformanceWarning",
    "SignatureError",
    "SimulatorError",
]


class Diagnostic(NamedTuple):
    """One error in a kernel, a C++ body or a declaration.

    Attributes:
        file: the file as the interpreter names it, or for C++ source a label such as
            "<body of 'f'>".
        line: counted from 1; 0 if the error has no line.
        column: counted from 1, in characters; 0 if the error has no line.
        message: what is wrong, in one sentence.
        hint: a suggested correction; empty if none is certain.
    """

    file: str
    line: int
    column: int
    message: str
    hint: str


class _ShownError(Exception):
    """An error with places, coloured when it is about to be printed."""

    def __str__(self) -> str:
        """Return the text."""
        from numpy_plugin._errors.colour import (
            as_shown,  # imported here: most programs have no such error
        )

        return as_shown(super().__str__())


class _DiagnosedError(_ShownError):
    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        """Keep the rendered text and its diagnostics."""
        super().__init__(message)
        self.diagnostics: list[Diagnostic] = diagnostics if diagnostics is not None else []


class SignatureError(_DiagnosedError, ValueError):
    """A type signature, layout or operand list is malformed; the message underlines the place.

    Attributes:
        diagnostics: one `Diagnostic`, whose line is 0 if the string is not a literal in the call;
            empty if no string is wrong.
    """


class KernelError(_DiagnosedError, TypeError):
    """A Python kernel can't be compiled; the message shows every error.

    Attributes:
        diagnostics: one `Diagnostic` per error, in source order.
    """


class CompilerError(_DiagnosedError, RuntimeError):
    """A compiler rejected the source, could not be run, or could not be found.

    Attributes:
        diagnostics: one `Diagnostic` per error in a C++ body, preamble or source, in source order,
            at most 20 from a compiler; empty if no user code is wrong.
        log: the compiler's full output; empty if none was run.
    """

    log: str = ""


class CudaError(RuntimeError):
    """A CUDA driver call failed, or there is no driver or device.

    Attributes:
        code: the driver's error code; 0 if no call was made.
        name: the driver's error name, such as "CUDA_ERROR_LAUNCH_FAILED"; empty if no call was
            made.
    """

    code: int = 0
    name: str = ""


class DeviceMemoryError(MemoryError):
    """The device is out of memory.

    Attributes:
        code: the driver's error code.
        name: the driver's error name.
    """

    code: int = 0
    name: str = ""


class SimulatorError(RuntimeError):
    """The simulated device found a fault in a kernel.

    Attributes:
        code: the error code that a real driver would return.
        name: its name, such as "CUDA_ERROR_ILLEGAL_ADDRESS".
    """

    code: int = 0
    name: str = ""


class KernelWarning(UserWarning):
    """A kernel does what its code says, but maybe not what was meant."""


class PerformanceWarning(KernelWarning):
    """A launch that another form would make faster."""


for _name in __all__:
    globals()[_name].__module__ = "numpy_plugin"


@without_own_frames
def issue_warning(text: str, file: str, line: int, category: type[Warning] = KernelWarning) -> None:
    """Warn at a kernel's own file and line, once for each place under Python's default filters."""
    registry = _registries.setdefault(file, {})
    warnings.warn_explicit(text, category, file, line, _module_of(file), registry)


def _module_of(file: str) -> str:
    """Return the module name of a file for warning filters."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__dict__", {}).get("__file__") == file:
            return name
    return file.removesuffix(".py") or "<unknown>"


_registries: dict[str, dict[str | tuple[str, type[Warning], int], int]] = {}
