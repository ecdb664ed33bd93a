"""Other versions of what a benchmark measures: by other libraries and other compilers."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["SCALAR_FORM", "library", "variables"]

#: The compiler of loops that have no lanes.
SCALAR_FORM = "g++ -DNPP_SCALAR_LOOPS"


def library(name: str) -> Any:
    """Return a module of another library; None if it cannot be imported."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@contextmanager
def variables(**values: str) -> Iterator[None]:
    """Set environment variables in a block."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
