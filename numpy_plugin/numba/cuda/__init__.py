"""Numba's names for device kernels, device arrays and streams.

`from numba import cuda` becomes `from numpy_plugin.numba import cuda`. The names are those of
`numpy_plugin.cuda`, whose documentation applies; this module adds what is spelled differently.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from numpy_plugin._cuda import thread_functions
from numpy_plugin._cuda.thread_functions import *  # noqa: F403
from numpy_plugin._errors.exceptions import CudaError as CudaSupportError
from numpy_plugin._frontend.external import declare_device
from numpy_plugin.cuda import (
    cg,
    const,
    device_array_like,
    event,
    event_elapsed_time,
    external_stream,
    is_available,
    local,
    shared,
    simulator,
    stream,
    synchronize,
)
from numpy_plugin.numba.cuda import atomic
from numpy_plugin.numba.cuda.absent import missing_name
from numpy_plugin.numba.cuda.devices import (
    close,
    cuda_error,
    current_context,
    detect,
    get_current_device,
    gpus,
    list_devices,
    require_context,
    select_device,
)
from numpy_plugin.numba.cuda.jit import jit
from numpy_plugin.numba.cuda.memory import (
    In,
    InOut,
    Out,
    as_cuda_array,
    defer_cleanup,
    device_array,
    from_cuda_array_interface,
    is_cuda_array,
    is_float16_supported,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
    to_device,
)
from numpy_plugin.numba.cuda.reduce import Reduce
from numpy_plugin.numba.cuda.streams import (
    default_stream,
    legacy_default_stream,
    per_thread_default_stream,
)
from numpy_plugin.numba.cuda.vectors import VECTOR_NAMES, vector_type

if TYPE_CHECKING:
    from numpy_plugin.numba.cuda import fp16, libdevice, random

__all__ = [
    "CudaSupportError",
    "In",
    "InOut",
    "Out",
    "Reduce",
    "as_cuda_array",
    "atomic",
    "cg",
    "close",
    "const",
    "cuda_error",
    "current_context",
    "declare_device",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "external_stream",
    "fp16",
    "from_cuda_array_interface",
    "get_current_device",
    "gpus",
    "is_available",
    "is_cuda_array",
    "is_float16_supported",
    "is_supported_version",
    "jit",
    "legacy_default_stream",
    "libdevice",
    "list_devices",
    "local",
    "mapped_array",
    "mapped_array_like",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "random",
    "reduce",
    "require_context",
    "select_device",
    "shared",
    "simulator",
    "stream",
    "synchronize",
    "to_device",
]
__all__ += thread_functions.__all__

reduce = Reduce

# Modules that are imported on first use.
_MODULES = ("fp16", "libdevice", "random")


def is_supported_version() -> bool:
    """Return True: a driver that is too old is no device."""
    return True


def __getattr__(name: str) -> Any:
    """Return a module or a vector type on first use.

    Raises:
        AttributeError: there is no such name; the message says what to write instead.
    """
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in VECTOR_NAMES:
        return globals().setdefault(name, vector_type(name))
    raise missing_name(name, __all__)


def __dir__() -> list[str]:
    """Return the public names, among them those that are made on first use."""
    special = [name for name in globals() if name.startswith("__")]
    return [*__all__, *VECTOR_NAMES, *special]
