"""`offload`: allow calls with host arrays to run on a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numpy_plugin import _core

__all__ = ["offload"]


@contextmanager
def offload() -> Iterator[None]:
    """Let ufuncs with `target="auto"` offload host arrays to this thread's device.

    Inside `with npp.offload():` a call with 65,536 or more elements runs on the device if a model
    predicts that it completes sooner there, including copies. Results of mathematical functions are
    within the device's error bounds and can differ from the CPU's bits, and floating-point errors
    are not reported. A device that fails is not used again: one warning says why, and NumPy makes
    the call. Like `np.errstate`, it applies to this thread and this task.

    `NUMPY_PLUGIN_AUTO=device` in the environment does the same for the whole process.
    """
    token = _core.enter_offload()
    try:
        yield
    finally:
        _core.leave_offload(token)
