"""Directories of Python packages, registered with the C++ core."""

from __future__ import annotations

import os
import sys

from numpy_plugin import _core

__all__ = ["find_packages"]


def find_packages() -> None:
    """Tell the core where packages are installed: ziglang, NVRTC and nvJitLink come from pip.

    This also works in an embedded interpreter, which has no executable to run.
    """
    _core.set_package_directories(
        [os.fsencode(entry) for entry in sys.path if isinstance(entry, str)]
    )
