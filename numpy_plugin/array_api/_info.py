"""Answers of the namespace about itself: capabilities, devices and dtypes."""

from __future__ import annotations

from typing import Any

import numpy

from numpy_plugin import cuda
from numpy_plugin._core import Device
from numpy_plugin._cuda.arrays.untyped import np

__all__ = ["Info", "check_version"]

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_GROUPS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}


def check_version(api_version: str | None) -> None:
    """Raise a ValueError for a version of the standard that the namespace does not have."""
    if api_version not in (None, *VERSIONS):
        raise ValueError(
            f"unknown version {api_version!r} of the array API standard; expected None or one of "
            f"{', '.join(VERSIONS)}"
        )


def _names_of(kind: str | tuple[str, ...] | None) -> list[str]:
    if kind is None:
        return [name for names in _KINDS.values() for name in names]
    if isinstance(kind, tuple):
        return [name for each in kind for name in _names_of(each)]
    if kind not in _KINDS and kind not in _GROUPS:
        raise ValueError(f"unknown kind {kind!r}; expected one of {', '.join([*_KINDS, *_GROUPS])}")
    return [name for each in _GROUPS.get(kind, (kind,)) for name in _KINDS[each]]


class Info:
    """The answer of `__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """Return what the standard leaves to the library."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return the current device, where new arrays are created."""
        return cuda.current_device()

    def devices(self) -> list[Device]:
        """Return the devices of this process."""
        return list(cuda.gpus)

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, numpy.dtype[Any]]:
        """Return the dtypes of new arrays."""
        names = {"real floating": "float64", "complex floating": "complex128"}
        names |= {"integral": "int64", "indexing": "int64"}
        return {kind: np.dtype(name) for kind, name in names.items()}

    def dtypes(
        self, *, device: Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, numpy.dtype[Any]]:
        """Return the dtypes of some kinds, by name; of all by default."""
        return {name: np.dtype(name) for name in _names_of(kind)}


def namespace_info() -> Info:
    """Return what the namespace says of itself."""
    return Info()
