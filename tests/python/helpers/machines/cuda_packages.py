"""CUDA's libraries in the packages of this environment."""

import importlib.util
import sysconfig
from pathlib import Path

import numpy as np
import pytest

PACKAGES = Path(sysconfig.get_paths()["purelib"]) / "nvidia"


def installed_library(name: str, major: int = 13) -> str:
    """Return a library's path; the test is left out where it is not installed."""
    found = next(PACKAGES.glob(f"*/lib/lib{name}.so.{major}"), None)
    if found is None:
        pytest.skip(f"{name} {major} is not installed")
    return str(found)


def skip_without_numba_cuda() -> None:
    """Leave the test out where Numba-CUDA is not installed, or fails to compile with this NumPy."""
    spec = importlib.util.find_spec("numba_cuda")
    if spec is None or spec.origin is None:
        pytest.skip("numba-cuda is not installed")
    arrays = Path(spec.origin).parent / "numba" / "cuda" / "np" / "arrayobj.py"
    if "np.row_stack" in arrays.read_text() and not hasattr(np, "row_stack"):
        pytest.skip("this numba-cuda needs numpy.row_stack, which NumPy 2.5 has removed")
