"""Locations of compilers in Python packages, registered with the C++ core."""

from __future__ import annotations

import functools
import os
import sys

from numpy_plugin import _core

__all__ = ["find_nvjitlink", "find_nvrtc", "find_packages", "package_candidates"]


def find_packages() -> None:
    """Tell the core where packages are installed, so it finds ziglang if there is no C++ compiler.

    This also works in an embedded interpreter, which has no executable to run.
    """
    _core.set_package_directories(
        [os.fsencode(entry) for entry in sys.path if isinstance(entry, str)]
    )


@functools.cache
def find_nvrtc() -> None:
    """Tell the core where to look for NVRTC, best first; it opens the library on first use."""
    _core.set_nvrtc_candidates(package_candidates("nvrtc"))


@functools.cache
def find_nvjitlink() -> None:
    """Tell the core where to look for nvJitLink, which links LTO-IR and everything else."""
    _core.set_nvjitlink_candidates(package_candidates("nvJitLink"))


def package_candidates(library: str) -> list[str]:
    """Return the paths found by cuda-pathfinder or in the layout of the pip packages."""
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ImportError:
        pass
    else:
        try:
            found = load_nvidia_dynamic_lib(library).abs_path
        except RuntimeError:  # raised if there is none
            found = None
        if found is not None:
            return [found]
    import sysconfig  # imported here: these two take longer to import than this whole package
    from pathlib import Path

    site_packages = Path(sysconfig.get_paths()["purelib"])
    return sorted(map(str, site_packages.glob(f"nvidia/*/lib/lib{library}.so.*")), reverse=True)
