"""The kinds of floating-point errors that calls report, with kernels of each compiler."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

COMPILERS = ["g++", "clang++"]


def raised(f: Callable[..., object], *operands: object) -> set[str]:
    """Return the kinds that a call reports."""
    seen: set[str] = set()
    with np.errstate(all="call", call=lambda kind, flag: seen.add(kind)):
        f(*operands)
    return seen


@contextmanager
def collected_kinds() -> Iterator[set[str]]:
    """Collect what is reported meanwhile, but for underflow: vector functions approximate it."""
    kinds: set[str] = set()
    with np.errstate(all="call", call=lambda kind, flag: kinds.add(kind), under="ignore"):
        yield kinds


def compile_with(monkeypatch: pytest.MonkeyPatch, compiler: str) -> None:
    """Have the test's kernels compiled with a compiler; leave the test out where it is missing."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} in this machine")
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", compiler)
