"""Pickling of ufuncs: `pickle`, `copy`, `multiprocessing`, `cloudpickle`.

A ufunc is pickled by value, as its declaration: strings, numbers and the syntax tree of its kernel,
but no Python code. The receiver treats it as if it were declared there, and compiles it or finds it
in its cache. NumPy pickles ufuncs by name; all other ufuncs still are.

A module-level device function is pickled by name, any other by value, as its syntax tree; after
unpickling only kernels can call the latter.
"""

from __future__ import annotations

import pickle
import sys
from collections import OrderedDict
from typing import Any, NoReturn

import numpy as np

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.declare import make_ufunc
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.options import fast_math_names
from numpy_plugin._frontend.syntax import function_syntax

__all__ = ["rebuild_device_function", "rebuild_ufunc", "reduce_device_function", "reduce_ufunc"]

_MAX_RECENT = 64

# Names of functions and preambles in pickles of earlier builds of this version.
_RENAMED = {
    '#include "numpy_plugin/random.hpp"': '#include "npp/math/random.hpp"',
    "numpy_plugin._const.array_like": "cuda.const.array_like",
    "numpy_plugin._local.array": "cuda.local.array",
}
# Likewise the options of declarations.
_RENAMED_OPTIONS: dict[str, str] = {"fast_math": "fastmath", "use_cache": "cache"}

# Recently pickled or unpickled ufuncs, by their data: a copy is the ufunc itself, and a worker that
# receives one with every task loads it once.
_recent: OrderedDict[bytes, np.ufunc] = OrderedDict()


def _version() -> str:
    """Return the version of this package, on which the data format depends."""
    import numpy_plugin

    return numpy_plugin.__version__


def _key(made_from: tuple[Any, ...]) -> bytes | None:
    """Return a declaration's lookup key; None if only other picklers support one of its classes."""
    import hashlib  # imported here: it loads OpenSSL, which takes long

    try:
        return hashlib.sha256(pickle.dumps(made_from, protocol=5)).digest()
    except (AttributeError, pickle.PicklingError):
        return None


def _remember(key: bytes | None, ufunc: np.ufunc) -> None:
    if key is None:
        return
    _recent[key] = ufunc
    _recent.move_to_end(key)
    while len(_recent) > _MAX_RECENT:
        _recent.popitem(last=False)


def _with_new_names(data: Any) -> Any:
    """Return a kernel's syntax or preamble with the current names."""
    if isinstance(data, tuple):
        return tuple(map(_with_new_names, data))
    return _RENAMED.get(data, data) if isinstance(data, str) else data


@without_own_frames
def rebuild_ufunc(version: str, made_from: tuple[Any, ...]) -> np.ufunc:
    """Make the ufunc from a declaration's plain data; called by pickles.

    Raises:
        pickle.UnpicklingError: another version of this package wrote it.
        CompilerError: there is no compiler, or it rejected the kernel.
    """
    if version != _version():
        raise pickle.UnpicklingError(
            f"the ufunc was pickled by numpy_plugin {version}, this is {_version()}\n"
            "  hint: pickle it again with this version"
        )
    key = _key(made_from)
    ufunc = _recent.get(key) if key is not None else None
    if ufunc is None:
        given, *others = made_from
        data: dict[str, Any] = dict(given)
        for name in data.keys() & _RENAMED_OPTIONS.keys():
            data[_RENAMED_OPTIONS[name]] = data.pop(name)
        if isinstance(data.get("fastmath"), bool):  # of earlier builds
            data["fastmath"] = fast_math_names(data["fastmath"])
        for name in data.keys() & {"preamble", "syntax"}:
            data[name] = _with_new_names(data[name])
        ufunc = make_ufunc(data, *others)
    _remember(key, ufunc)
    return ufunc


def _imported(function: DeviceFunction[..., Any]) -> object:
    """Return the object under a function's name in its module."""
    found: object = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found


def rebuild_device_function(
    syntax: tuple[tuple[object, ...], ...], name: str, qualname: str, module: str, doc: str | None
) -> DeviceFunction[..., Any]:
    """Make a device function from its syntax; called by pickles. Python cannot call it."""

    def sent(*args: object, **kwargs: object) -> NoReturn:
        raise TypeError(
            f"device function '{name}' was unpickled: only kernels can call it\n"
            "  hint: define it in a module, which pickle then imports"
        )

    function: DeviceFunction[..., Any] = DeviceFunction.__new__(DeviceFunction)
    function.source = None
    function.syntax = _with_new_names(syntax)
    function.__wrapped__ = sent
    function.__name__ = name
    function.__qualname__ = qualname
    function.__module__ = module
    function.__doc__ = doc
    return function


def reduce_device_function(function: DeviceFunction[..., Any]) -> Any:
    """Return the name to import, or the data to make an equal function."""
    if function.__module__ != "__main__" and _imported(function) is function:
        return function.__qualname__
    attributes = (function.__name__, function.__qualname__, function.__module__, function.__doc__)
    return rebuild_device_function, (function_syntax(function), *attributes)


def reduce_ufunc(made_from: tuple[Any, ...], ufunc: np.ufunc) -> Any:
    """Return the data to make an equal ufunc."""
    _remember(_key(made_from), ufunc)
    return rebuild_ufunc, (_version(), made_from)
