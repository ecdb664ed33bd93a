"""Kernels of C++ compiled for the CPU and for a GPU, without being run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, _core, inspect
from numpy_plugin._errors.exceptions import CompilerError
from numpy_plugin._kernels.indexed import Operation, compile_operation

__all__ = ["compile_everywhere"]

# The architecture of the trial; one that all versions of NVRTC know.
_ARCH = "sm_90"
_KERNEL = re.compile(
    r"""(>\s*)?(?:extern\s*"C"\s*)?__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+(\w+)"""
)


def compile_everywhere(made: object) -> str:
    """Compile what a program declares, as far as this machine has compilers.

    Returns:
        A note: the types that were assumed, or what replaces the declaration.

    Raises:
        CompilerError: the text is wrong.
    """
    if isinstance(made, np.ufunc):
        if made.types:
            _compile_ufunc(made, made.types[0])
            return ""
        _core.resolve_dtypes(made, (np.dtype(np.float64),) * made.nin + (None,) * made.nout)
        _compile_ufunc(made, "d" * made.nin + "->" + "d" * made.nout)
        return "as float64"
    if isinstance(made, ReductionKernel):
        for each in made.parts_of_float64():
            _compile_part(each)
    elif isinstance(made, ElementwiseKernel):
        _compile_part(made.operation)
    elif isinstance(made, (RawKernel, RawModule)) and _has(_core.nvrtc_info):
        for kernel in [made] if isinstance(made, RawKernel) else _kernels_of(made):
            kernel.kernel._native.compile(_ARCH)
    return ""


def _kernels_of(module: RawModule) -> list[RawKernel]:
    """Return the kernels of a source that are no templates, and the instances of those."""
    names = [name for template, name in _KERNEL.findall(module.code) if not template]
    return [module.get_function(name) for name in [*names, *(module.name_expressions or ())]]


def _compile_part(part: np.ufunc | Operation) -> None:
    if isinstance(part, np.ufunc):
        _compile_ufunc(part, part.types[0])
        return
    if _has(_core.host_compiler):
        compile_operation(part, "")
    if _has(_core.nvrtc_info):
        compile_operation(part, _ARCH)


def _compile_ufunc(made: np.ufunc, types: str) -> None:
    dtypes = [np.dtype(letter) for letter in types.replace("->", "")]
    if _has(_core.host_compiler):
        _core.compiled_loop(made, list(dtypes))
    if _has(_core.nvrtc_info):
        operands, results = dtypes[: made.nin], dtypes[made.nin :]
        names = [", ".join(map(str, each)) for each in (results, operands)]
        inspect(made).ptx(f"{names[0]}({names[1]})", _ARCH)


def _has(find: Callable[[], Any]) -> bool:
    """Whether this machine has a compiler."""
    try:
        find()
    except CompilerError:
        return False
    return True
