"""Checks when the package is imported: a supported NumPy, and the extension for this Python.

Imported before everything else, so that a failure names what was found and what to do.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__: list[str] = []

_NUMPY = (2, 2)
_DIRECTORY = Path(__file__).resolve().parent
_EXTENSION = "_core"


def _check_numpy() -> None:
    expected = "numpy_plugin requires NumPy " + ".".join(map(str, _NUMPY)) + " or newer"
    try:
        import numpy
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ImportError(f"{expected}, and found none; pip install numpy") from error
    found = re.match(r"(\d+)\.(\d+)", numpy.__version__)
    if found is not None and (int(found[1]), int(found[2])) < _NUMPY:
        raise ImportError(
            f"{expected}, and found NumPy {numpy.__version__} in "
            f"{Path(numpy.__file__ or '').parent}; pip install --upgrade numpy"
        )


def _check_extension() -> None:
    try:
        from numpy_plugin import _core  # noqa: F401
    except ImportError as error:
        raise ImportError(_why_not(error)) from error


def _why_not(error: ImportError) -> str:
    """Return why the extension can't be imported, and what to do."""
    import sysconfig

    own = f"{_EXTENSION}{sysconfig.get_config_var('EXT_SUFFIX')}"
    if (_DIRECTORY / own).exists():
        return _why_not_loaded(own, str(error))
    if (_DIRECTORY.parent / "CMakeLists.txt").exists():
        return (
            f"{_DIRECTORY} is numpy_plugin's source, which has not been built for this Python: "
            f"{own} is missing; run make, or, to import an installed numpy_plugin, start python "
            "with -P or in another directory"
        )
    found = sorted(path.name for path in _DIRECTORY.glob(f"{_EXTENSION}.*.so"))
    return (
        f"numpy_plugin in {_DIRECTORY} was not built for this Python "
        f"{sys.version_info.major}.{sys.version_info.minor}: expected {own}, and found "
        f"{', '.join(found) or 'no extension'}; pip install --force-reinstall numpy_plugin with "
        f"this Python, {sys.executable}"
    )


def _why_not_loaded(name: str, problem: str) -> str:
    """Return why an extension for this Python can't be loaded, and what to do."""
    import platform

    if re.search(r"version `\S+' not found", problem) is None:
        return f"numpy_plugin's extension {name} can't be loaded: {problem}"
    return (
        f"numpy_plugin's extension {name} was built for a newer system than this one, which has "
        f"{' '.join(platform.libc_ver())}: {problem}; pip install --force-reinstall "
        "--no-cache-dir numpy_plugin chooses a wheel for this system, or builds one"
    )


_check_numpy()
_check_extension()
