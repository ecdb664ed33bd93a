"""The data of a built module with which this package calls its ufuncs on device arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from numpy_plugin import _core
from numpy_plugin._build.declarations import Declarations
from numpy_plugin._frontend.built_module import BuiltData, pack

__all__ = ["device_data"]


def device_data(declarations: Declarations, arch: Sequence[str]) -> bytes:
    """Return the data of a module with device code for these architectures.

    Raises:
        CompilerError: NVRTC is missing, or doesn't support an architecture.
        ValueError: an architecture's name is malformed.
    """
    ufuncs: BuiltData = {}
    for declared in declarations.ufuncs:
        images = [row for each in arch for row in _core.built_images(declared.ufunc, each)]
        declaration, identity, _ = declared.made_from
        ufuncs[declared.name] = (_without_directories(declaration), identity, images)
    return pack(ufuncs)


def _without_directories(data: Any) -> Any:
    """Return a declaration with names of Python files alone, as on any machine that builds it."""
    if isinstance(data, dict):
        return {name: _without_directories(value) for name, value in data.items()}
    if isinstance(data, tuple):
        return tuple(map(_without_directories, data))
    is_file = isinstance(data, str) and os.path.isabs(data) and data.endswith(".py")
    return os.path.basename(data) if is_file else data
