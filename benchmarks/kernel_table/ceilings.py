"""Ceilings of this machine: bytes and operations a second, measured by C++ loops.

The roofline model: Williams, Waterman and Patterson, "Roofline: an insightful visual performance
model for multicore architectures", Communications of the ACM 52 (2009).
"""

from __future__ import annotations

import ctypes
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from numpy_plugin._benchmark.timing import seconds_of
from numpy_plugin._commands import info

__all__ = ["Ceilings", "ceilings", "vector_bytes"]

N_VALUES = 20_000_000
N_STEPS = 20_000_000
ROUNDS = 7

# The sums are independent and in registers; multiplications and additions are not contracted, as
# in kernels.
_SOURCE = """
extern "C" void triad(double* __restrict out, const double* __restrict x,
                      const double* __restrict y, long n) {
  for (long i = 0; i < n; ++i) out[i] = x[i] + 3.0 * y[i];
}
typedef double Vector __attribute__((vector_size(%(bytes)d)));
extern "C" double arithmetic(long n_steps, double factor) {
  Vector sums[12] = {};
  for (long step = 0; step < n_steps; ++step)
    for (int i = 0; i < 12; ++i) sums[i] = sums[i] * factor + factor;
  double total = 0;
  for (int i = 0; i < 12; ++i) total += sums[i][0];
  return total;
}
"""
_OPERATIONS = 2 * 12


class Ceilings(NamedTuple):
    """Rates of one core: `bytes` read and written, and float64 `operations`, a second."""

    bytes: float
    operations: float


def ceilings() -> Ceilings:
    """Measure both ceilings.

    Raises:
        RuntimeError: there is no host compiler.
    """
    compiler = info.host_compiler()
    if "error" in compiler:
        raise RuntimeError(compiler["error"])
    n_bytes = vector_bytes()
    with tempfile.TemporaryDirectory() as directory:
        source, library = Path(directory, "ceilings.cpp"), Path(directory, "ceilings.so")
        source.write_text(_SOURCE % {"bytes": n_bytes}, encoding="utf-8")
        command = [*shlex.split(compiler["command"]), "-O3", "-march=native", "-ffp-contract=off"]
        subprocess.run(
            [*command, "-funroll-loops", "-fPIC", "-shared", str(source), "-o", str(library)],
            check=True,
        )
        loops = ctypes.CDLL(str(library))
        return Ceilings(_bytes_rate(loops), _operations_rate(loops, n_bytes // 8))


def vector_bytes() -> int:
    """Return the size of this processor's widest vectors."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    return 64 if "avx512f" in flags else 32 if "avx2" in flags else 16


def _bytes_rate(loops: ctypes.CDLL) -> float:
    out, x, y = (np.ones(N_VALUES) for _ in range(3))
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (out, x, y)]
    seconds = _least_seconds(lambda: loops.triad(*pointers, ctypes.c_long(N_VALUES)))
    return 3 * 8 * N_VALUES / seconds


def _operations_rate(loops: ctypes.CDLL, n_lanes: int) -> float:
    arguments = ctypes.c_long(N_STEPS), ctypes.c_double(0.5)
    seconds = _least_seconds(lambda: loops.arithmetic(*arguments))
    return _OPERATIONS * n_lanes * N_STEPS / seconds


def _least_seconds(call: Callable[[], object]) -> float:
    return min(seconds_of(call) for _ in range(ROUNDS))
