"""Kernels that `cuda.jit` makes: they warn where Numba's do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.function_kernel import FunctionKernel
from numpy_plugin._cuda.raw_kernel import Launch
from numpy_plugin._errors.exceptions import PerformanceWarning, issue_warning
from numpy_plugin._errors.traceback import calling_frame, without_own_frames
from numpy_plugin.numba import config
from numpy_plugin.numba.cuda.absent import missing_kernel_attribute

__all__ = ["JitKernel", "JitLaunch"]


class JitLaunch(Launch):
    """A kernel with its grid and block: call it with the arguments."""

    __module__ = "numpy_plugin.numba.cuda"

    @without_own_frames
    def __call__(self, /, *arguments: object, **named: object) -> None:
        """Launch the kernel as `numpy_plugin.cuda.Launch` does, and warn of what makes it slow."""
        arguments = self._kernel._in_order(arguments, named)
        if config.CUDA_LOW_OCCUPANCY_WARNINGS:
            _warn_of_few_blocks(self._kernel.name, math.prod(self._grid))
        if config.CUDA_WARN_ON_IMPLICIT_COPY:
            _warn_of_copies(self._kernel.name, arguments)
        super().__call__(*arguments)


class JitKernel(FunctionKernel):
    """A kernel in Python, launched as `k[blocks, threads](*arguments)`. Made by `cuda.jit`."""

    __module__ = "numpy_plugin.numba.cuda"

    _launch_class = JitLaunch

    @property
    def py_func(self) -> Callable[..., Any]:
        """The Python function."""
        function: Callable[..., Any] = self.__wrapped__
        return function

    def __getattr__(self, name: str) -> NoReturn:
        """Raise an AttributeError, which says what to write instead of Numba's attributes."""
        raise missing_kernel_attribute(name)


def _warn_of_few_blocks(kernel: str, n_blocks: int) -> None:
    device = _core.find_current_device()
    if device is None or n_blocks >= device.multiprocessors:
        return
    n_all = device.multiprocessors
    _warn(
        f"Grid size {n_blocks} of {kernel!r}: low occupancy, {n_all - n_blocks} of {n_all} "
        "multiprocessors get no block\n  hint: more blocks of fewer threads, or "
        "numpy_plugin.numba.config.CUDA_LOW_OCCUPANCY_WARNINGS = False"
    )


def _warn_of_copies(kernel: str, arguments: tuple[object, ...]) -> None:
    for number, argument in enumerate(arguments, 1):
        if not isinstance(argument, np.ndarray):
            continue
        _warn(
            f"Host array used in CUDA kernel will incur copy overhead: parameter {number} of "
            f"{kernel!r}\n  hint: cuda.to_device(array) before the launch, or "
            "numpy_plugin.numba.config.CUDA_WARN_ON_IMPLICIT_COPY = False"
        )


def _warn(text: str) -> None:
    frame = calling_frame()
    issue_warning(text, frame.f_code.co_filename, frame.f_lineno, PerformanceWarning)
