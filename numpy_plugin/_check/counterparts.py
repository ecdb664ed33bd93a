"""Names that take the place of other packages' names: one table."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy_plugin

__all__ = [
    "JITS",
    "KERNEL_MAKERS",
    "MOVED",
    "SOURCE_MODULE",
    "all_names",
    "counterpart",
    "is_known",
    "is_moved",
    "value_of",
]

# Name in another package: name here. A module stands for its members.
MOVED = {
    "numba": "numpy_plugin.numba",
    "numba.cuda": "numpy_plugin.numba.cuda",
    "cupy.ElementwiseKernel": "numpy_plugin.ElementwiseKernel",
    "cupy.ReductionKernel": "numpy_plugin.ReductionKernel",
    "cupy.RawKernel": "numpy_plugin.RawKernel",
    "cupy.RawModule": "numpy_plugin.RawModule",
    "pycuda.elementwise.ElementwiseKernel": "numpy_plugin.ElementwiseKernel",
    "pycuda.reduction.ReductionKernel": "numpy_plugin.ReductionKernel",
}

# Its kernels are launched in a way of their own: a program that has one changes by hand.
SOURCE_MODULE = "pycuda.compiler.SourceModule"

# Those that make kernels, with the arguments that a decorator of them may have.
KERNEL_MAKERS = {
    SOURCE_MODULE,
    "numba.vectorize",
    "numba.guvectorize",
    "numba.cuda.jit",
    "numba.cuda.reduce",
    "numba.cuda.Reduce",
    *(name for name in MOVED if name.endswith("Kernel") or name.endswith("Module")),
}

# Numba's compilers of functions, which stay Numba's: kernels take what they make as functions.
JITS = {"numba.jit", "numba.njit", "numba.generated_jit"}
# Modules that are imported, because that runs nothing of the program.
_READ_MODULES = (
    "cmath", "collections", "enum", "math", "numpy", "numpy_plugin", "operator", "scipy", "types",
    "typing",
)  # fmt: skip


def is_known(origin: str) -> bool:
    """Whether a name is one of a package that this table is about, or that is imported."""
    package = origin.partition(".")[0]
    return package in _READ_MODULES or any(package == name.partition(".")[0] for name in MOVED)


def is_moved(origin: str) -> bool:
    """Whether a name comes from here after the change, if there is such a name here."""
    home = origin.rpartition(".")[0]
    is_member = home in MOVED or any(home.startswith(f"{each}.") for each in ("numba.cuda",))
    return (origin in MOVED or is_member or origin == "numba.types") and origin not in JITS


def counterpart(origin: str) -> str:
    """Return the name here for a moved name."""
    if origin in MOVED:
        return MOVED[origin]
    home, _, name = origin.rpartition(".")
    return f"{counterpart(home)}.{name}"


def all_names(module: str) -> list[str]:
    """Return the names that `from module import *` binds, as far as they matter here."""
    if module in MOVED:
        stay = {each.rpartition(".")[2] for each in JITS if module == "numba"}
        return sorted(stay | {*_public_names(MOVED[module])})
    return _public_names(module) if module.partition(".")[0] in _READ_MODULES else []


def _public_names(module: str) -> list[str]:
    names: list[str] = getattr(_member(module), "__all__", None) or dir(_member(module))
    return [name for name in names if not name.startswith("_")]


def value_of(origin: str) -> Any:
    """Return what an imported name is, after the change.

    Raises:
        AttributeError: there is no counterpart; the message says so.
        ImportError: the module would run code of others, or is not installed.
    """
    if origin in JITS:
        return _as_function
    if origin == SOURCE_MODULE:
        return _source_module
    if is_moved(origin):
        origin = counterpart(origin)
    elif any(name.startswith(f"{origin}.") for name in MOVED):
        return _StandIn(origin)
    elif origin.startswith("cupy."):
        origin = f"numpy.{origin.removeprefix('cupy.')}"  # its types are NumPy's
    package = origin.partition(".")[0]
    if package not in _READ_MODULES:
        raise ImportError(f"{package} is not read")
    return _member(origin)


class _StandIn:
    """A module of another package, of which only moved names are of interest."""

    def __init__(self, origin: str) -> None:
        self._origin = origin

    def __getattr__(self, name: str) -> Any:
        return value_of(f"{self._origin}.{name}")


def _member(dotted: str) -> Any:
    """Return a module, or a member of one."""
    try:
        return importlib.import_module(dotted)
    except ModuleNotFoundError as error:
        home, _, name = dotted.rpartition(".")
        if not home or error.name not in (dotted, home):
            raise
        owner = _member(home)
        if isinstance(owner, (ModuleType, type)):
            return getattr(owner, name)
        return inspect.getattr_static(owner, name)  # a property may need a device


def _source_module(source: str, *_arguments: object, **_options: object) -> Any:
    """Take the place of PyCUDA's."""
    return numpy_plugin.RawModule(code=source)


def _as_function(*arguments: Any, **options: object) -> Any:
    """Take the place of `numba.njit`: a bare decorator, or one with a signature and options."""
    if arguments and callable(arguments[0]) and hasattr(arguments[0], "__code__"):
        return numpy_plugin.device(arguments[0])
    decorator: Callable[..., Any] = numpy_plugin.device
    return decorator
