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
    "SignatureError",
    "SimulatorError",
]


class Diagnostic(NamedTuple):
    """One thing that is wrong in a kernel, in a C++ body or in a declaration.

    Attributes:
        file: the file as the interpreter names it; of C++ text what it is, "<body of 'f'>".
        line: counted from 1; 0 where no line is to blame.
        column: counted from 1, in characters; 0 where no line is to blame.
        message: what is wrong, in one sentence.
        hint: what to write instead; empty where there is nothing sure to say.
    """

    file: str
    line: int
    column: int
    message: str
    hint: str


class _ShownError(Exception):
    """An error with places in it: in colour where it is about to be printed."""

    def __str__(self) -> str:
        """Return the text."""
        from numpy_plugin._errors.colour import (
            as_shown,  # only here: most programs have no such error
        )

        return as_shown(super().__str__())


class _DiagnosedError(_ShownError):
    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        """Keep the rendered text and the diagnostics it was made from."""
        super().__init__(message)
        self.diagnostics: list[Diagnostic] = diagnostics if diagnostics is not None else []


class SignatureError(_DiagnosedError, ValueError):
    """A type signature, layout or operand list can't be read; the text underlines the place.

    Attributes:
        diagnostics: one `Diagnostic`, whose line is 0 where the text was made elsewhere than in the
            call; empty where no text is to blame.
    """


class KernelError(_DiagnosedError, TypeError):
    """A Python kernel that can't be compiled; the text shows every place that is wrong.

    Attributes:
        diagnostics: one `Diagnostic` a mistake, in the order of the source.
    """


class CompilerError(_DiagnosedError, RuntimeError):
    """A compiler refused the source, could not be run, or could not be found.

    Attributes:
        diagnostics: one `Diagnostic` a mistake in a C++ body, preamble or source, in its order, at
            most 20 of a compiler; empty where no line of the user's is to blame.
        log: all that the compiler said; empty where none was run.
    """

    log: str = ""


class CudaError(RuntimeError):
    """A call of the CUDA driver failed, or there is no driver or device to call.

    Attributes:
        code: the driver's number of the error; 0 where no call was made.
        name: the driver's name of it, as "CUDA_ERROR_LAUNCH_FAILED"; empty where no call was made.
    """

    code: int = 0
    name: str = ""


class DeviceMemoryError(MemoryError):
    """The device's memory is too small for what was asked.

    Attributes:
        code: the driver's number of the error.
        name: the driver's name of it.
    """

    code: int = 0
    name: str = ""


class SimulatorError(RuntimeError):
    """The simulated device found a mistake in a kernel.

    Attributes:
        code: the number that a real driver has for such an error.
        name: the name that it has, as "CUDA_ERROR_ILLEGAL_ADDRESS".
    """

    code: int = 0
    name: str = ""


class KernelWarning(UserWarning):
    """A kernel does what its text says, but perhaps not what was meant."""


for _class in (
    Diagnostic,
    SignatureError,
    KernelError,
    CompilerError,
    CudaError,
    DeviceMemoryError,
    SimulatorError,
    KernelWarning,
):
    _class.__module__ = "numpy_plugin"


@without_own_frames
def issue_warning(text: str, file: str, line: int) -> None:
    """Warn at a kernel's own file and line, once for each place under Python's default filters."""
    registry = _registries.setdefault(file, {})
    warnings.warn_explicit(text, KernelWarning, file, line, _module_of(file), registry)


def _module_of(file: str) -> str:
    """Return the name by which filters know the module of a file."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__dict__", {}).get("__file__") == file:
            return name
    return file.removesuffix(".py") or "<unknown>"


_registries: dict[str, dict[str | tuple[str, type[Warning], int], int]] = {}
