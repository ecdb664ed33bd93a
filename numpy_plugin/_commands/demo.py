"""`python -m numpy_plugin demo`: one declaration, run on the CPU, compiled for GPUs, run on one.

The density of the normal distribution is declared once, for float32 and float64, checked against
SciPy, and timed against SciPy, the NumPy expression and, if it is installed, Numba.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numpy_plugin import _core, cuda, inspect, vectorize
from numpy_plugin._commands import info, report
from numpy_plugin._commands.timing import median_times

__all__ = ["ARCHITECTURES", "gaussian_pdf", "run"]

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
SQRT_2PI = np.float32(math.sqrt(2 * math.pi))

# Largest relative error from SciPy's float64. SQRT_2PI is a float32 in both kernels; it happens to
# be within 2e-10 of the real number, which limits the accuracy of float64.
TOLERANCES = {"float32": 1e-6, "float64": 1e-9}

Array = np.ndarray[Any, np.dtype[Any]]


@vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"])
def gaussian_pdf(x: float, mean: float, sigma: float) -> Any:
    """Density at x of the normal distribution with this mean and standard deviation."""
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * SQRT_2PI)


def numpy_expression(x: Array, mean: Any, sigma: Any) -> Array:
    """The same density in NumPy, with one pass over memory per operation."""
    return np.asarray(np.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * SQRT_2PI))


@dataclass
class Demo:
    """The operands of a run, and the checks that have failed so far."""

    operands: dict[str, tuple[Any, Any, Any]]
    tolerance_scale: float
    rounds: int
    failures: list[str] = field(default_factory=list)

    def check(self, what: str, name: str, result: Array) -> None:
        """Compare a result with SciPy's, print the outcome, and record a failure."""
        from scipy.stats import norm

        x, mean, sigma = self.operands[name]
        expected = norm.pdf(x.astype(np.float64), loc=mean, scale=sigma)
        error = float(np.max(np.abs(result / expected - 1.0)))
        tolerance = TOLERANCES[name] * self.tolerance_scale
        is_right = error <= tolerance and result.dtype == np.dtype(name)
        outcome = "ok" if is_right else "FAILED"
        report.line(
            f"{what}, {name}: relative error {error:.1e} compared with scipy.stats.norm.pdf, "
            f"at most {tolerance:.0e} allowed: {outcome}"
        )
        if not is_right:
            self.failures.append(f"{what}, {name}")


def make_operands(n: int) -> dict[str, tuple[Any, Any, Any]]:
    """Return x, mean and sigma for each dtype."""
    points = np.random.default_rng(1).uniform(-3.0, 3.0, size=n)
    return {
        name: (points.astype(name), np.dtype(name).type(0.0), np.dtype(name).type(1.0))
        for name in TOLERANCES
    }


def run(n: int = 1_000_000, *, rounds: int = 7, tolerance_scale: float = 1.0) -> int:
    """Run the demonstration; 1 when a check fails, else 0.

    Args:
        n: the number of values of each dtype.
        rounds: the number of timed runs of each implementation.
        tolerance_scale: factor on the tolerances of all checks.
    """
    if info.version_of("scipy") is None:
        report.line("the demonstration compares with SciPy: pip install 'numpy_plugin[demo]'")
        return 1
    demo = Demo(make_operands(n), tolerance_scale, rounds)
    report.line(f"gaussian_pdf, a {type(gaussian_pdf).__name__} with loops {gaussian_pdf.types}")
    for name, operands in demo.operands.items():
        demo.check(f"CPU, {n:,} values", name, gaussian_pdf(*operands))
    times = compare_times(demo)
    resources = compile_for_devices()
    run_on_device(demo)
    report.line()
    show_times(n, times)
    if resources:
        report.line()
        report.table(
            "compiled by NVRTC, without a GPU",
            ["architecture", "float32 registers", "spills", "float64 registers", "spills"],
            resources,
        )
    report.line()
    report.line(
        "every check passed" if not demo.failures else f"failed: {'; '.join(demo.failures)}"
    )
    return 1 if demo.failures else 0


def contestants(operands: tuple[Any, Any, Any]) -> dict[str, Callable[[], object]]:
    """Return the implementations of the density by name, Numba's only if it is installed."""
    from scipy.stats import norm

    x, mean, sigma = operands
    ways: dict[str, Callable[[], object]] = {
        "numpy_plugin": lambda: gaussian_pdf(x, mean, sigma),
        "SciPy": lambda: norm.pdf(x, loc=mean, scale=sigma),
        "NumPy expression": lambda: numpy_expression(x, mean, sigma),
    }
    numba_pdf = make_numba_pdf()
    if numba_pdf is not None:
        ways["Numba @vectorize"] = lambda: numba_pdf(x, mean, sigma)
    return ways


def make_numba_pdf() -> Callable[..., object] | None:
    """Return the same function compiled by Numba; None if it is not installed."""
    try:
        numba = importlib.import_module("numba")
    except ImportError:
        return None
    function: Callable[..., object] = numba.vectorize(inspect(gaussian_pdf).signatures)(
        inspect(gaussian_pdf).python
    )
    return function


def compare_times(demo: Demo) -> dict[str, dict[str, float]]:
    """Return the median seconds of each implementation, for each dtype."""
    ways = {name: contestants(operands) for name, operands in demo.operands.items()}
    total = demo.rounds * sum(map(len, ways.values()))
    with report.progress("timing", total) as advance:
        return {name: median_times(ways[name], demo.rounds, advance) for name in ways}


def show_times(n: int, times: dict[str, dict[str, float]]) -> None:
    """Print the times, also as multiples of this package's."""
    rows = []
    for way in times["float64"]:
        row = [way]
        for name in ("float32", "float64"):
            seconds = times[name][way]
            row += [f"{seconds * 1e3:.2f}", f"{seconds / times[name]['numpy_plugin']:.1f}"]
        rows.append(row)
    report.table(
        f"{n:,} values, median times on the CPU",
        ["", "float32 ms", "times ours", "float64 ms", "times ours"],
        rows,
    )


def compile_for_devices() -> list[list[str]]:
    """Compile for each architecture; return rows of registers and spills, none without NVRTC."""
    nvrtc = info.nvrtc()
    if "error" in nvrtc:
        report.line(f"not compiled for GPUs: {nvrtc['error']}")
        return []
    inspection = inspect(gaussian_pdf)
    rows = []
    signatures = inspection.signatures
    with report.progress("compiling for GPUs", len(ARCHITECTURES) * len(signatures)) as advance:
        for arch in ARCHITECTURES:
            if arch not in nvrtc["architectures"]:
                rows.append([arch, *["unknown to this NVRTC", ""] * len(signatures)])
                continue
            row = [arch]
            for signature in signatures:
                row += _resource_cells(inspection.resources(signature, arch=arch))
                advance()
            rows.append(row)
    report.line(f"compiled by NVRTC {nvrtc['version']} for {', '.join(ARCHITECTURES)}")
    return rows


def _resource_cells(kernels: list[Any]) -> list[str]:
    """Return the largest registers and spilled bytes of a signature's kernels."""
    registers = max(kernel.n_registers for kernel in kernels)
    spilled = max(kernel.spill_store_bytes + kernel.spill_load_bytes for kernel in kernels)
    return [str(registers), f"{spilled} B"]


def run_on_device(demo: Demo) -> None:
    """Run the same kernels on the GPU and check them, or print why there is none."""
    device = _core.find_current_device()
    if device is None:
        report.line(f"not run on a GPU: {_core.why_no_device()}")
        return
    for name, operands in demo.operands.items():
        result = gaussian_pdf(*(cuda.to_device(operand) for operand in operands))
        demo.check(f"GPU ({device.name})", name, result.copy_to_host())
