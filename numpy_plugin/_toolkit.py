"""Where NVRTC and nvJitLink may be: the pip packages' folders, handed to the C++ core once."""

from __future__ import annotations

import functools

from numpy_plugin import _core

__all__ = ["find_nvjitlink", "find_nvrtc", "package_candidates"]


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
