"""Directories of Python packages and the simulator's library, registered with the C++ core."""

from __future__ import annotations

import os
import sys

from numpy_plugin import _core

__all__ = ["SIMULATOR_PATH", "find_libraries"]

SIMULATOR_PATH = os.path.join(
    os.path.dirname(os.path.dirname(__file__)), "libnumpy_plugin_simulator.so"
)


def find_libraries() -> None:
    """Tell the core where packages are installed: ziglang, NVRTC and nvJitLink come from pip.

    This also works in an embedded interpreter, which has no executable to run.
    """
    _core.set_package_directories(
        [os.fsencode(entry) for entry in sys.path if isinstance(entry, str)]
    )
    _core.set_simulator_path(SIMULATOR_PATH)
