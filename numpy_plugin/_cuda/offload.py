"""`offload`: calls with host arrays may go to a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from numpy_plugin import _core

__all__ = ["offload"]


@contextmanager
def offload() -> Iterator[None]:
    """Let calls of ufuncs with `target="auto"` send host arrays to this thread's device.

    Inside of `with npp.offload():` a call with 65,536 elements or more is made on the device where
    a model has it done earlier there, copies included. Results of mathematical functions are
    within their bounds on that device, not the CPU's bits, and floating-point errors are not
    reported. A device that fails gets no other call: it is warned of once, and NumPy makes the
    call. As `np.errstate`, it holds for this thread and this task.

    `NUMPY_PLUGIN_AUTO=device` in the environment does the same for the whole process.
    """
    token = _core.enter_offload()
    try:
        yield
    finally:
        _core.leave_offload(token)
