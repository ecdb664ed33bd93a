"""Kernels and comparisons that probes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from gpu_check.settings import IS_SMALL
from numpy_plugin import cuda

__all__ = ["N_RUNS", "Host", "kernel", "on_host", "on_simulator", "same_bits", "some"]

Host = npt.NDArray[Any]
#: Of what may depend on the order in which blocks happen to run.
N_RUNS = 2 if IS_SMALL else 20


def kernel(dtype: str, n: int, body: str, **options: Any) -> Any:
    """Return a ufunc of n operands x, y, z of one dtype."""
    types = f"{dtype}({', '.join([dtype] * n)})"
    return npp.vectorize([types], args=", ".join("xyz"[:n]), body=body, **options)


def some(shape: int | Sequence[int], dtype: str, seed: int = 1) -> Host:
    """Return whole numbers and others, of both signs."""
    values = np.random.default_rng(seed).standard_normal(shape) * 50
    return values.astype(dtype)


def on_host(values: Any) -> Host:
    """Return an array's values."""
    return values.copy_to_host() if hasattr(values, "copy_to_host") else np.asarray(values)


def same_bits(found: Any, expected: Any) -> None:
    """Fail unless both have the same bits; any NaN is like another."""
    a, b = on_host(found), on_host(expected)
    assert (a.shape, a.dtype) == (b.shape, b.dtype), (a.shape, a.dtype, b.shape, b.dtype)
    raw = f"V{a.dtype.itemsize}"
    a_bits, b_bits = (
        np.ascontiguousarray(v).view(raw) for v in (np.atleast_1d(a), np.atleast_1d(b))
    )
    wrong = (a_bits != b_bits) & np.atleast_1d(~((a != a) & (b != b)))
    assert not wrong.any(), f"{int(wrong.sum())} of {a.size} differ, first at {first(wrong)}"


def first(wrong: Host) -> list[int]:
    """Return the flat indices of the first few."""
    return [int(i) for i in np.flatnonzero(wrong.ravel())[:3]]


def on_simulator(call: Callable[[], Any]) -> Any:
    """Return the host values of what a call returns on the simulator: an array or a tuple."""
    with cuda.simulator(memory="2 GiB"):
        made = call()
        return tuple(map(on_host, made)) if isinstance(made, tuple) else on_host(made)
