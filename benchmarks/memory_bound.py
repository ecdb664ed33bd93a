"""`make bench`: kernels that are limited by memory, beside NumPy, Numba and a triad written in C.

The triad in C is tuned by hand: vectors of the native width, stores past the cache, no calls.
"""

from __future__ import annotations

import ctypes
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from results import Page, measured
from variants import library

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands.bench import Measurement

__all__ = ["KERNELS", "PAGE", "SIZES", "contestants", "measure", "tuned_triad"]

SIZES = (2_000_000, 20_000_000)
ROUNDS = 9

Array = npt.NDArray[np.float64]


def _triad(x: Array, y: Array) -> Array:
    return x + 3.0 * y


def _axpby(x: Array, y: Array) -> Array:
    return 3.0 * x + 0.5 * y


def _norm(x: Array, y: Array) -> Array:
    return np.sqrt(x * x + y * y)


def _softsign(x: Array) -> Array:
    return x / (1.0 + np.abs(x))


class Kernel(NamedTuple):
    """A function of numbers, which NumPy applies to arrays."""

    function: Callable[..., Any]
    n_operands: int

    @property
    def signature(self) -> str:
        """Of its float64 loop."""
        return f"float64({', '.join(['float64'] * self.n_operands)})"


KERNELS = {
    "triad": Kernel(_triad, 2),
    "axpby": Kernel(_axpby, 2),
    "norm": Kernel(_norm, 2),
    "softsign": Kernel(_softsign, 1),
}

TUNED_TRIAD = """
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <stdint.h>
void triad(const double* x, const double* y, double* out, long n) {
  long i = 0;
  for (; i < n && (uintptr_t)(out + i) % 64 != 0; ++i) out[i] = x[i] + 3.0 * y[i];
#if defined(__AVX512F__)
  const __m512d three = _mm512_set1_pd(3.0);
  for (; i + 8 <= n; i += 8)
    _mm512_stream_pd(out + i, _mm512_add_pd(_mm512_loadu_pd(x + i),
                                            _mm512_mul_pd(three, _mm512_loadu_pd(y + i))));
  _mm_sfence();
#elif defined(__AVX__)
  const __m256d three = _mm256_set1_pd(3.0);
  for (; i + 4 <= n; i += 4)
    _mm256_stream_pd(out + i, _mm256_add_pd(_mm256_loadu_pd(x + i),
                                            _mm256_mul_pd(three, _mm256_loadu_pd(y + i))));
  _mm_sfence();
#endif
  for (; i < n; ++i) out[i] = x[i] + 3.0 * y[i];
}
"""


def tuned_triad() -> Callable[[Array, Array, Array], None]:
    """Compile the triad with the host's compiler."""
    with tempfile.TemporaryDirectory() as directory:
        source, library = Path(directory, "triad.c"), Path(directory, "triad.so")
        source.write_text(TUNED_TRIAD)
        command = [*shlex.split(_core.host_compiler()["command"]), "-x", "c", "-O3"]
        command += ["-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run([*command, str(source), "-o", str(library)], check=True, timeout=60)
        function = ctypes.CDLL(str(library)).triad
    function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]

    def call(x: Array, y: Array, out: Array) -> None:
        function(x.ctypes.data, y.ctypes.data, out.ctypes.data, x.size)

    return call


def contestants(name: str, n: int) -> dict[str, Callable[[], Any]]:
    """Return calls on `n` numbers by name; those with `out=` write to the same array."""
    kernel = KERNELS[name]
    operands = np.random.default_rng(0).normal(size=(kernel.n_operands, n))
    out = np.empty(n)
    ours = npp.vectorize([kernel.signature], target="cpu")(kernel.function)
    found: dict[str, Callable[[], Any]] = {
        "numpy_plugin, out=": lambda: ours(*operands, out=out),
        "numpy_plugin": lambda: ours(*operands),
        "NumPy": lambda: kernel.function(*operands),
    }
    numba = library("numba")
    if numba is not None:
        theirs = numba.vectorize([kernel.signature])(kernel.function)
        found["Numba, out="] = lambda: theirs(*operands, out=out)
    if name == "triad":
        tuned, (x, y) = tuned_triad(), operands
        found["C, out="] = lambda: tuned(x, y, out)
    return found


def measure(sizes: tuple[int, ...] = SIZES) -> list[Measurement]:
    """Return the rate of memory of each kernel, and how much faster it is than the others."""
    rows = []
    for name, kernel in KERNELS.items():
        for n in sizes:
            times = median_times(contestants(name, n), ROUNDS)
            rows += _rows(f"{name} float64, {n:.0e} values", times, (kernel.n_operands + 1) * 8 * n)
    return rows


def _rows(what: str, times: dict[str, float], n_bytes: int) -> list[Measurement]:
    """Return the rows of one size; the bytes are those of operands and result."""
    rows = []
    for form in ("numpy_plugin, out=", "numpy_plugin"):
        ours = times[form]
        label = f"{what}{form.removeprefix('numpy_plugin')}"
        rows.append(Measurement(label, n_bytes / ours * 1e-9, "GB/s"))
        rows += [
            Measurement(f"{label}, faster than {other}", seconds / ours, "times", target, False)
            for other, seconds in times.items()
            if not other.startswith("numpy_plugin")
            for target in [0.95 if other.startswith("C") else 1.0]
        ]
    return rows


PAGE = Page("memory_bound", "Memory-bound kernels", measured(measure))
