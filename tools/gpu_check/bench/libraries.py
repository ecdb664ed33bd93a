"""This package, CuPy and torch by the names that they share: an operation is written once."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import cuda

__all__ = ["Cupy", "Library", "Ours", "Torch", "libraries"]


class Library:
    """This package, or a peer.

    `xp` is the module of its functions, which take NumPy's names of arguments.
    """

    name: str
    xp: Any

    def dtype(self, name: str) -> Any:
        """Return its dtype of a name."""
        return name

    def ones(self, shape: Any, dtype: str) -> Any:
        """Return an array of ones."""
        return self.xp.ones(shape, dtype=self.dtype(dtype))

    def array(self, host: npt.NDArray[Any]) -> Any:
        """Return a copy of a host array on the device."""
        return self.xp.asarray(host)

    def copy(self, to: Any, values: Any) -> Callable[[], object]:
        """Return a copy within the device, as a call."""
        raise NotImplementedError

    def wait(self) -> None:
        """Wait for all work on the device."""
        raise NotImplementedError

    def trim(self) -> None:
        """Give memory that is kept unused back to the device."""
        raise NotImplementedError


class Ours(Library):
    """Device arrays of this package."""

    name = "ours"
    xp = np

    def ones(self, shape: Any, dtype: str) -> Any:
        """Return an array of ones."""
        return cuda.ones(shape, dtype)

    def array(self, host: npt.NDArray[Any]) -> Any:
        """Return a copy of a host array on the device."""
        return cuda.to_device(host)

    def copy(self, to: Any, values: Any) -> Callable[[], object]:
        """Return a copy within the device, as a call."""
        return lambda: to.copy_to_device(values)

    def wait(self) -> None:
        """Wait for all work on the device."""
        cuda.synchronize()

    def trim(self) -> None:
        """Give memory that is kept unused back to the device."""
        cuda.trim()


class Cupy(Library):
    """CuPy's arrays."""

    name = "cupy"

    def __init__(self, module: Any) -> None:
        """Take the module."""
        self.xp = module

    def copy(self, to: Any, values: Any) -> Callable[[], object]:
        """Return a copy within the device, as a call."""
        return lambda: self.xp.copyto(to, values)

    def wait(self) -> None:
        """Wait for all work on the device."""
        self.xp.cuda.Device().synchronize()

    def trim(self) -> None:
        """Give memory that is kept unused back to the device."""
        self.xp.get_default_memory_pool().free_all_blocks()


class Torch(Library):
    """Tensors of torch on the GPU."""

    name = "torch"

    def __init__(self, module: Any) -> None:
        """Take the module."""
        if not module.cuda.is_available():
            raise RuntimeError("torch has no GPU")
        self.xp = module

    def dtype(self, name: str) -> Any:
        """Return its dtype of a name."""
        return getattr(self.xp, name)

    def ones(self, shape: Any, dtype: str) -> Any:
        """Return a tensor of ones."""
        return self.xp.ones(shape, dtype=self.dtype(dtype), device="cuda")

    def array(self, host: npt.NDArray[Any]) -> Any:
        """Return a copy of a host array on the device."""
        return self.xp.as_tensor(host, device="cuda")

    def copy(self, to: Any, values: Any) -> Callable[[], object]:
        """Return a copy within the device, as a call."""
        return lambda: to.copy_(values)

    def wait(self) -> None:
        """Wait for all work on the device."""
        self.xp.cuda.synchronize()

    def trim(self) -> None:
        """Give memory that is kept unused back to the device."""
        self.xp.cuda.empty_cache()


def libraries() -> tuple[list[Library], dict[str, str]]:
    """Return this package and the peers that work here, and why others do not."""
    found: list[Library] = [Ours()]
    missing = {}
    for kind in (Cupy, Torch):
        try:
            peer = kind(importlib.import_module(kind.name))
            peer.ones(8, "float32")
        except Exception as error:  # of a library that finds no GPU
            missing[kind.name] = f"{type(error).__name__}: {error}"
        else:
            found.append(peer)
    return found, missing
