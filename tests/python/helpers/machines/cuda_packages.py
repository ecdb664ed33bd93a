"""CUDA's libraries in the packages of this environment."""

import sysconfig
from pathlib import Path

import pytest

PACKAGES = Path(sysconfig.get_paths()["purelib"]) / "nvidia"


def installed_library(name: str, major: int = 13) -> str:
    """Return a library's path; the test is left out where it is not installed."""
    found = next(PACKAGES.glob(f"*/lib/lib{name}.so.{major}"), None)
    if found is None:
        pytest.skip(f"{name} {major} is not installed")
    return str(found)
