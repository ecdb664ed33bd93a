"""Kernels launched with a grid and a block, and custom kernels in CUDA C++."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, SupportsIndex

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._inspection.resources import KernelResources

if TYPE_CHECKING:
    from numpy_plugin._inspection.profile import Profile

__all__ = ["Kernel", "Launch", "source_kernel"]

Size = SupportsIndex | Sequence[SupportsIndex]

# The architecture for inspection without a device.
_DEFAULT_ARCH = "sm_90"


class Kernel:
    """A kernel in CUDA C++. Made by `kernel`.

    `k[grid, block](*arguments)` launches it on the device of its arrays, else on this thread's
    device.
    """

    __module__ = "numpy_plugin.cuda"

    # The class of its launches.
    _launch_class: type[Launch]

    def __init__(self, name: str, native: _core.RawKernel | None) -> None:
        """Keep the kernel; it is compiled on first use on a device."""
        self._name = name
        self._first_native = native

    @property
    def _native(self) -> _core.RawKernel:
        if self._first_native is None:
            raise TypeError(
                f"{self._name!r} has no types yet: declare a signature, launch it, or call "
                "specialize with its arguments"
            )
        return self._first_native

    def _in_order(
        self, arguments: tuple[object, ...], named: dict[str, object]
    ) -> tuple[object, ...]:
        """Return a launch's arguments in the order of the parameters."""
        if named:
            raise TypeError(f"{self._name}() takes no keyword arguments")
        return arguments

    def _completed(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        """Return a launch's arguments as the next two functions take them."""
        return arguments

    def _native_for(self, arguments: tuple[object, ...]) -> _core.RawKernel:
        """Return the kernel for a launch with these arguments."""
        return self._native

    def _launch_arguments(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        """Return an argument for each parameter."""
        return arguments

    @property
    def name(self) -> str:
        """The kernel's name in the source."""
        return self._name

    @property
    @without_own_frames
    def source(self) -> str:
        """The CUDA C++ text."""
        return self._native.source

    @property
    @without_own_frames
    def ptx(self) -> str:
        """NVRTC's PTX for this thread's device; for sm_90 if there is none."""
        return self._native.ptx(_arch())

    @property
    @without_own_frames
    def sass(self) -> str:
        """The machine instructions for this thread's device, disassembled by `nvdisasm`.

        Raises:
            RuntimeError: there is no `nvdisasm`; the message says how to get it.
        """
        from numpy_plugin._inspection.disassembly import (
            disassemble,  # imported here: it starts processes
        )

        arch = _arch()
        return disassemble(self._native.cubin(arch), self._native.lowered_name(arch))

    @property
    @without_own_frames
    def resources(self) -> KernelResources:
        """Resources that the kernel uses on this thread's device: registers, spills, memory."""
        return KernelResources(*self._native.resources(_arch()))

    @property
    @without_own_frames
    def max_threads(self) -> int:
        """The maximum number of threads per block on this thread's device."""
        return self._native.max_threads()

    @without_own_frames
    def __getitem__(self, configuration: tuple[Any, ...]) -> Launch:
        """Return the launch for `[grid, block, stream=0, shared_bytes=0]`; call it with arguments.

        Args:
            configuration: blocks in the grid and threads in a block, each an integer or a tuple of
                up to three; a `Stream`, or 0 or None for this thread's stream; bytes of dynamic
                shared memory.
        """
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise TypeError(
                f"{self._name!r} is launched as kernel[grid, block, stream, shared_bytes], "
                f"where the last two are optional; found [{configuration!r}]"
            )
        grid, block, stream, shared_bytes = (*configuration, 0, 0)[:4]
        return self._launch_class(
            self,
            _sizes(grid, "grid", self._name),
            _sizes(block, "block", self._name),
            stream,
            _whole(shared_bytes, "shared_bytes", self._name),
        )

    @without_own_frames
    def __call__(self, /, *arguments: object, **named: object) -> None:
        """Raise a TypeError: a kernel needs a grid and a block."""
        raise TypeError(
            f"{self._name!r} is launched with a grid and a block: kernel[grid, block](...)"
        )

    @without_own_frames
    def forall(self, n: int, tpb: int = 0, stream: Any = None, sharedmem: int = 0) -> Launch:
        """Return a launch of at least `n` threads along x; call it with arguments.

        Args:
            n: the number of threads needed; the kernel must ignore the threads beyond.
            tpb: threads per block; 0: at most 256.
            stream: as for `kernel[grid, block, stream]`.
            sharedmem: bytes of dynamic shared memory.
        """
        n = _whole(n, "n", self._name)
        if n < 0:
            raise ValueError(f"launch of {self._name!r}: n must be at least 0, found {n}")
        if not tpb and self._first_native is None:
            return ElementLaunch(self, n, stream, sharedmem)
        threads = tpb or min(256, self.max_threads)
        return self[max(1, -(-n // threads)), threads, stream, sharedmem]

    def __repr__(self) -> str:
        """Return the kernel's name."""
        return f"<CUDA kernel {self._name!r}>"


class Launch:
    """A kernel with its grid and block: call it with the arguments."""

    __module__ = "numpy_plugin.cuda"

    def __init__(
        self,
        kernel: Kernel,
        grid: tuple[int, int, int],
        block: tuple[int, int, int],
        stream: object,
        shared_bytes: int,
    ) -> None:
        """Keep the launch configuration."""
        self._kernel = kernel
        self._grid = grid
        self._block = block
        self._stream = stream
        self._shared_bytes = shared_bytes

    @without_own_frames
    def __call__(self, /, *arguments: object, **named: object) -> None:
        """Launch the kernel; one written in Python takes its arguments by keyword, too.

        Device arrays are passed by address; NumPy arrays are copied to the device, and back when
        the kernel is done. Python numbers take the parameter's type, NumPy scalars must have it.
        `ctypes` structures and `numpy.void` fill a struct.

        Raises:
            TypeError: an argument does not match its parameter.
            OverflowError: a number is too large for its parameter.
            ValueError: the device can't launch this grid or block.
            SimulatorError: the simulated device found a fault in the kernel.
            CudaError: the launch failed.
        """
        arguments = self._kernel._completed(self._kernel._in_order(arguments, named))
        native = self._kernel._native_for(arguments)
        values = self._kernel._launch_arguments(arguments)
        native.launch(self._grid, self._block, self._stream, self._shared_bytes, values)

    @without_own_frames
    def profile(self, /, *arguments: object, arch: str = _DEFAULT_ARCH, **named: object) -> Profile:
        """Return what each line of the kernel does in a launch: instructions, branches, memory.

        The launch is made on a simulated device that is created for it and with copies of the
        arrays on it, wherever they are and whatever the current device is. Nothing is written to
        them.

        Args:
            arguments: as for the launch.
            arch: the architecture to compile for.
            named: arguments by keyword.

        Raises:
            TypeError, OverflowError, ValueError, SimulatorError: as the launch.
            CudaError: the simulator can't be loaded.
        """
        from numpy_plugin._inspection.profile import profile_launch  # rarely needed

        launch = copy(self)
        launch._stream = 0  # that of the new device
        return profile_launch(launch, self._kernel._in_order(arguments, named), arch)


class ElementLaunch(Launch):
    """A launch by `forall` of a kernel without types: its block depends on the arguments' types."""

    def __init__(self, kernel: Kernel, n: int, stream: Any, shared_bytes: int) -> None:
        """Keep the number of threads."""
        super().__init__(kernel, (n, 1, 1), (1, 1, 1), stream, shared_bytes)

    @without_own_frames
    def __call__(self, /, *arguments: object, **named: object) -> None:
        """Launch the kernel as `Launch` does."""
        arguments = self._kernel._in_order(arguments, named)
        native = self._kernel._native_for(self._kernel._completed(arguments))
        threads = min(256, native.max_threads())
        launch = self._kernel.forall(self._grid[0], threads, self._stream, self._shared_bytes)
        launch(*arguments)


Kernel._launch_class = Launch


def source_kernel(
    source: str, name: str, options: Sequence[str], *, syncs_grid: bool = False
) -> Kernel:
    """Return a kernel made from CUDA C++ source."""
    for what, argument, value in (("source", "source", source), ("name", "kernel name", name)):
        if not isinstance(value, str):
            raise mistaken(TypeError, wrong_class(what, "a str", value), argument=argument)
        if not value.strip():
            raise mistaken(TypeError, f"{what} is empty", 'cuda.kernel(source, "name")', argument)
    native = _core.RawKernel(source, name.strip(), list(options), syncs_grid)
    return Kernel(name.strip(), native)


def _arch() -> str:
    device = _core.find_current_device()
    return device.arch if device is not None else _DEFAULT_ARCH


def _whole(value: object, what: str, name: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"launch of {name!r}: {what} must be an int, found {value!r}") from None


def _sizes(value: Size, what: str, name: str) -> tuple[int, int, int]:
    given: list[object] = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(given) <= 3:
        raise TypeError(f"launch of {name!r}: {what} has 1 to 3 sizes, found {value!r}")
    x, y, z = (_whole(size, what, name) for size in [*given, 1, 1][:3])
    return (x, y, z)
