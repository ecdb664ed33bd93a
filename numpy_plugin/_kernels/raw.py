"""`RawKernel` and `RawModule`: CUDA C++ source, launched as in CuPy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import _core
from numpy_plugin._cuda.kernel import option_list
from numpy_plugin._cuda.raw_kernel import Kernel, source_kernel
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import check_encodable, mistaken
from numpy_plugin._kernels.options import check_text, without_standard

__all__ = ["RawKernel", "RawModule"]

Size = int | Sequence[int]

# CUfunction_attribute's values, in their order.
_ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)


def _attribute(number: int, doc: str) -> property:
    """Return a property of a kernel on this thread's device."""

    @without_own_frames
    def read(self: RawKernel) -> int:
        return self.kernel._native.attribute(number)

    read.__doc__ = doc
    return property(read)


class RawKernel:
    """A kernel in CUDA C++, launched as `kernel(grid, block, arguments)`.

    Attributes:
        code: the source.
        name: the kernel's name in it.
        options: NVRTC's options.
        backend: always "nvrtc".
        kernel: the same kernel, launched as `kernel[grid, block](*arguments)`.
    """

    __module__ = "numpy_plugin"
    backend = "nvrtc"

    @without_own_frames
    def __init__(
        self,
        code: str,
        name: str,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        *,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
    ) -> None:
        """Keep the source, which is compiled for a device at the first launch there.

        Args:
            code: CUDA C++.
            name: the kernel's name, `"scale"` or `"scale<float>"`.
            options: NVRTC's options.
            backend: "nvrtc".
            translate_cucomplex: CuPy's, without effect: `<cuComplex.h>` is there.
            enable_cooperative_groups: whether the grid synchronizes: all blocks run at once.
            jitify: CuPy's, without effect: `<cstdint>`, `<type_traits>` and the like are there.

        Raises:
            TypeError: an argument has the wrong class.
            ValueError: the backend or an option is not supported.
        """
        _check_backend(backend)
        words = option_list(options)
        if isinstance(code, str):
            check_encodable("code", code)
        kernel = source_kernel(
            code, name, without_standard(words), syncs_grid=bool(enable_cooperative_groups)
        )
        self._set(kernel, code, tuple(words))

    def _set(self, kernel: Kernel, code: str, options: tuple[str, ...]) -> None:
        self.kernel = kernel
        self.code = code
        self.name = kernel.name
        self.options = options

    def __reduce__(self) -> tuple[object, ...]:
        """Return the declaration; a pickled kernel is compiled again, or found in the cache."""
        return RawKernel, (self.code, self.name, self.options)

    def __repr__(self) -> str:
        """Return the kernel's name."""
        return f"<raw kernel '{self.name}'>"

    @without_own_frames
    def __call__(
        self,
        grid: Size,
        block: Size,
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: Any = None,
    ) -> None:
        """Launch the kernel on the device of its arrays, else on this thread's device.

        Args:
            grid: the number of blocks, an int or up to three.
            block: the number of threads in a block, likewise.
            args: the arguments: arrays, passed by address, numbers, and structures.
            shared_mem: bytes of dynamic shared memory in a block.
            stream: of the launch; None: this thread's.

        Raises:
            TypeError: an argument does not fit its parameter.
            ValueError: the device can't launch this grid or block.
            CompilerError: NVRTC rejected the source.
        """
        if not isinstance(args, (tuple, list)):
            message = wrong_class("args", "a tuple", args)
            raise mistaken(TypeError, message, "kernel(grid, block, (x, y))", "args")
        self.kernel[grid, block, stream or 0, shared_mem](*args)

    @without_own_frames
    def compile(self) -> None:
        """Compile and load the kernel for this thread's device."""
        self.kernel._native.attribute(0)

    @property
    @without_own_frames
    def attributes(self) -> dict[str, int]:
        """All attributes on this thread's device, by CUDA's names."""
        native = self.kernel._native
        return {name: native.attribute(number) for number, name in enumerate(_ATTRIBUTES)}

    max_threads_per_block = _attribute(0, "The maximum number of threads in a block.")
    shared_size_bytes = _attribute(1, "Bytes of static shared memory in a block.")
    const_size_bytes = _attribute(2, "Bytes of the user's constant memory.")
    local_size_bytes = _attribute(3, "Bytes of local memory in a thread.")
    num_regs = _attribute(4, "Registers of a thread.")
    ptx_version = _attribute(5, "The architecture of the PTX: 90 for compute_90.")
    binary_version = _attribute(6, "The architecture of the machine code: 90 for sm_90.")

    @property
    @without_own_frames
    def max_dynamic_shared_size_bytes(self) -> int:
        """The largest dynamic shared memory of a launch; larger launches raise it themselves."""
        return self.kernel._native.attribute(8)

    @max_dynamic_shared_size_bytes.setter
    @without_own_frames
    def max_dynamic_shared_size_bytes(self, n_bytes: int) -> None:
        self.kernel._native.set_attribute(8, n_bytes)

    @property
    @without_own_frames
    def preferred_shared_memory_carveout(self) -> int:
        """The preferred part of shared memory in percent; -1: the driver decides."""
        return self.kernel._native.attribute(9)

    @preferred_shared_memory_carveout.setter
    @without_own_frames
    def preferred_shared_memory_carveout(self, percent: int) -> None:
        self.kernel._native.set_attribute(9, percent)


class RawModule:
    """Kernels of one CUDA C++ source; `get_function` returns them.

    Attributes:
        code: the source.
        file_path: the file that it was read from, or None.
        options: NVRTC's options.
        name_expressions: the instances of templates, or None.
        backend: always "nvrtc".
    """

    __module__ = "numpy_plugin"
    backend = "nvrtc"

    @without_own_frames
    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | os.PathLike[str] | None = None,
        options: Iterable[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Iterable[str] | None = None,
        jitify: bool = False,
    ) -> None:
        """Keep the source; its kernels are compiled at their first launch.

        Args:
            code: CUDA C++.
            path: a file of CUDA C++ instead.
            options: as for `RawKernel`.
            backend: as for `RawKernel`.
            translate_cucomplex: as for `RawKernel`.
            enable_cooperative_groups: as for `RawKernel`.
            name_expressions: the instances of templates that `get_function` may return.
            jitify: as for `RawKernel`.

        Raises:
            TypeError: neither a source nor a file is given, or both, or one of the wrong class.
            ValueError: the file is no source, or an option is not supported.
        """
        _check_backend(backend)
        if (code is None) == (path is None):
            message = "RawModule takes either code= or path="
            raise mistaken(TypeError, message, "RawModule(code=source)")
        self.file_path = None if path is None else os.fspath(path)
        self.code = _read_source(self.file_path) if code is None else code
        self.options = tuple(option_list(options))
        self.name_expressions = None if name_expressions is None else list(name_expressions)
        check_text("code", self.code)
        self._native = _core.RawModule(
            self.code,
            self.file_path or "module",
            without_standard(list(self.options)),
            self.name_expressions or [],
            bool(enable_cooperative_groups),
        )
        self._kernels: dict[str, RawKernel] = {}

    def __repr__(self) -> str:
        """Return where the source is from."""
        return f"<raw module of {self.file_path or 'a source'}>"

    @without_own_frames
    def get_function(self, name: str) -> RawKernel:
        """Return a kernel by its name, or by one of the name expressions.

        Raises:
            ValueError: there are name expressions, and this is none of them.
        """
        known = self.name_expressions
        if known is not None and "<" in name and name not in known:
            message = f"'{name}' is not in name_expressions: it has {', '.join(known)}"
            raise mistaken(ValueError, message, "add it", "name")
        if name not in self._kernels:
            made = object.__new__(RawKernel)
            made._set(Kernel(name, self._native.kernel(name)), self.code, self.options)
            self._kernels[name] = made
        return self._kernels[name]

    @without_own_frames
    def get_global(self, name: str, dtype: npt.DTypeLike = np.uint8) -> _core.DeviceArray:
        """Return the memory of a `__device__` or `__constant__` variable on this thread's device.

        The kernels of `get_function` share it.

        Args:
            name: the variable's name.
            dtype: of the array's elements.

        Returns:
            An array of one dimension over the variable.

        Raises:
            ValueError: there is no such variable, or its size is no multiple of the dtype's.
        """
        address, n_bytes = self._native.variable(check_text("name", name))
        item = np.dtype(dtype)
        if n_bytes % item.itemsize:
            message = f"variable '{name}' has {n_bytes} bytes, {item} has {item.itemsize}"
            raise mistaken(ValueError, message, "", "dtype")
        return _core.borrow_array(_Variable(self, address, (n_bytes // item.itemsize,), item))

    @without_own_frames
    def compile(self) -> None:
        """Compile and load the name expressions for this thread's device."""
        for name in self.name_expressions or ():
            self.get_function(name).compile()


class _Variable:
    """A variable's memory for `borrow_array`, which keeps its module."""

    def __init__(
        self, module: RawModule, address: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.module = module
        self.place = (address, shape, dtype.str)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The interface's dictionary."""
        address, shape, text = self.place
        return {"shape": shape, "typestr": text, "data": (address, False), "version": 3}


def _check_backend(backend: object) -> None:
    if backend != "nvrtc":
        message = f"backend must be 'nvrtc', found {backend!r}"
        raise mistaken(ValueError, message, "NVRTC compiles the same source", "backend")


def _read_source(path: str | None) -> str:
    """Return the text of a file of CUDA C++."""
    data = Path(path or "").read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        message = f"'{path}' is no CUDA C++ source"
        hint = "npp.declare_device(link=[...]) links compiled device code"
        raise mistaken(ValueError, message, hint, "path") from None
