"""Where compilers may be that Python's packages bring, handed to the C++ core once."""

from __future__ import annotations

import functools
import os
import sys

from numpy_plugin import _core

__all__ = ["find_nvjitlink", "find_nvrtc", "find_packages", "package_candidates"]


def find_packages() -> None:
    """Tell the core where packages are: without another C++ compiler it looks for ziglang there.

    An interpreter that is embedded has packages too, and no program to ask for them.
    """
    _core.set_package_directories(
        [os.fsencode(entry) for entry in sys.path if isinstance(entry, str)]
    )


@functools.cache
def find_nvrtc() -> None:
    """Tell the core where to look for NVRTC, best first; it opens the library when first used."""
    _core.set_nvrtc_candidates(package_candidates("nvrtc"))


@functools.cache
def find_nvjitlink() -> None:
    """Tell the core where to look for nvJitLink, which links LTO-IR and all else."""
    _core.set_nvjitlink_candidates(package_candidates("nvJitLink"))


def package_candidates(library: str) -> list[str]:
    """Return the paths that cuda-pathfinder, or the layout of the pip packages, leads to."""
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib
    except ImportError:
        pass
    else:
        try:
            found = load_nvidia_dynamic_lib(library).abs_path
        except RuntimeError:  # its way of saying that there is none
            found = None
        if found is not None:
            return [found]
    import sysconfig  # only here: these two take longer to import than this whole package
    from pathlib import Path

    site_packages = Path(sysconfig.get_paths()["purelib"])
    return sorted(map(str, site_packages.glob(f"nvidia/*/lib/lib{library}.so.*")), reverse=True)
