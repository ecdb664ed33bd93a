"""Interoperability with other libraries: conversion of results, and the streams of their work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from numpy_plugin._core import DeviceArray

Converter = Callable[[DeviceArray], Any]

#: Functions that convert a device array to a library's array, by the type of the latter.
_CONVERTERS: WeakKeyDictionary[type, Converter] = WeakKeyDictionary()


def _stream_of_torch(tensor: Any) -> int:
    stream: int = sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream
    return stream or 1  # the legacy default stream


#: Libraries whose arrays do not expose the stream of their work.
_STREAMS: dict[str, Callable[[Any], int]] = {"torch": _stream_of_torch}


def to_library(result: DeviceArray, operand: object) -> Any:
    """Return the result as an array of the operand's library, over the same memory."""
    converter = _CONVERTERS.get(type(operand))
    if converter is None:
        converter = _CONVERTERS[type(operand)] = _find_converter(operand)
    return converter(result)


def stream_of(operand: object) -> int | None:
    """Return the handle of the stream that an array's library works on; None if unknown."""
    find = _STREAMS.get(_library_name(operand))
    return None if find is None else find(operand)


def stream_object(handle: int) -> object | None:
    """Return CuPy's current stream if it has the handle: CuPy destroys streams without owners."""
    cupy = sys.modules.get("cupy")
    stream = None if cupy is None else cupy.cuda.get_current_stream()
    return stream if getattr(stream, "ptr", None) == handle else None


def _find_converter(operand: Any) -> Converter:
    namespaces = [sys.modules.get(_library_name(operand))]
    if hasattr(type(operand), "__array_namespace__"):
        namespaces.insert(0, operand.__array_namespace__())
    for namespace in namespaces:
        converter = getattr(namespace, "from_dlpack", None)
        if converter is None:
            converter = getattr(getattr(namespace, "cuda", None), "as_cuda_array", None)
        if converter is not None:
            found: Converter = converter
            return found
    return _unchanged


def _library_name(operand: object) -> str:
    return type(operand).__module__.partition(".")[0]


def _unchanged(result: DeviceArray) -> DeviceArray:
    return result
