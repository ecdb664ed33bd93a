"""Ufuncs of modules that `numpy_plugin.build` made, called on device arrays.

A module carries its declarations, and device code, as data in `__numpy_plugin__`, for which it has
no use itself. They are read when a ufunc is first called on a device array.
"""

from __future__ import annotations

import pickle
import sys
import zlib
from typing import Any

import numpy as np

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.declare import DeclarationData, make_device_ufunc

__all__ = ["BuiltData", "device_ufunc", "pack", "version"]

_ATTRIBUTE = "__numpy_plugin__"
_MADE = "_device_ufunc"

#: For each ufunc its declaration, its identity, and its device code: digest, architecture, oldest
#: driver, bytes.
BuiltData = dict[str, tuple[DeclarationData, Any, list[tuple[str, str, int, bytes]]]]


def version() -> str:
    """Return the version of this package, on which the data depends."""
    import numpy_plugin

    return numpy_plugin.__version__


def pack(ufuncs: BuiltData) -> bytes:
    """Return the data of a module."""
    return zlib.compress(pickle.dumps({"version": version(), "ufuncs": ufuncs}, protocol=5))


@without_own_frames
def device_ufunc(ufunc: np.ufunc) -> np.ufunc | None:
    """Return the ufunc of this package for one of a built module; None for other ufuncs.

    Raises:
        RuntimeError: another version of this package built the module.
    """
    if _MADE not in ufunc.__dict__:
        ufunc.__dict__[_MADE] = _make_device_ufunc(ufunc)
    found: np.ufunc | None = ufunc.__dict__[_MADE]
    return found


def _make_device_ufunc(ufunc: np.ufunc) -> np.ufunc | None:
    name, module_name = ufunc.__name__, ufunc.__dict__.get("__module__")
    module = sys.modules.get(str(module_name))
    if getattr(module, name, None) is not ufunc or not hasattr(module, _ATTRIBUTE):
        return None
    data: dict[str, Any] = pickle.loads(zlib.decompress(getattr(module, _ATTRIBUTE)))
    if data["version"] != version():
        raise RuntimeError(
            f"the module '{module_name}' was built by numpy_plugin {data['version']}, this is "
            f"{version()}: its ufuncs take host arrays only\n"
            "  hint: build it again with this version"
        )
    declaration, identity, images = data["ufuncs"][name]
    return make_device_ufunc(declaration, identity, images)
