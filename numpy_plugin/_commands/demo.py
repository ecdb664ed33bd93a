"""`python -m numpy_plugin demo`: one declaration, run on the CPU and on a simulated GPU.

The density of the normal distribution is declared once, for float32 and float64, checked, and timed
beside SciPy, the NumPy expression and Numba. What is not installed is named and left out.
"""

from __future__ import annotations

import importlib
import inspect as python_inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from numpy_plugin import _core, cuda, inspect, vectorize
from numpy_plugin._benchmark.timing import median_times
from numpy_plugin._commands import demo_plot, info, report

__all__ = ["ARCHITECTURES", "gaussian_pdf", "run"]

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
SQRT_2PI = np.float32(math.sqrt(2 * math.pi))

# Values that the simulated GPU computes: it takes a microsecond for each.
MOST_SIMULATED = 50_000

# Largest relative error from float64 values. SQRT_2PI is a float32 in both kernels; it happens to
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
        """Compare a result with reference values, print the outcome, and record a failure."""
        x, mean, sigma = self.operands[name]
        reference, expected = reference_values(x[: result.size].astype(np.float64), mean, sigma)
        error = float(np.max(np.abs(result / expected - 1.0)))
        tolerance = TOLERANCES[name] * self.tolerance_scale
        is_right = error <= tolerance and result.dtype == np.dtype(name)
        outcome = "ok" if is_right else "FAILED"
        report.line(
            f"{what}, {name}: relative error {error:.1e} compared with {reference}, "
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


def run(
    n: int = 1_000_000,
    *,
    plot: Path | None = None,
    rounds: int = 7,
    tolerance_scale: float = 1.0,
) -> int:
    """Run the demonstration; 1 when a check fails, else 0.

    Args:
        n: the number of values of each dtype.
        plot: the PNG to write; None for one in a new temporary directory.
        rounds: the number of timed runs of each implementation.
        tolerance_scale: factor on the tolerances of all checks.
    """
    demo = Demo(make_operands(n), tolerance_scale, rounds)
    show_declaration()
    for name, operands in demo.operands.items():
        demo.check(f"CPU, {n:,} values", name, gaussian_pdf(*operands))
    counts = run_on_simulator(demo)
    run_on_device(demo)
    times = compare_times(demo)
    resources = compile_for_devices()
    if counts:
        report.line()
        report.table("counted on the simulated GPU", ["", "float32", "float64"], counts)
    report.line()
    show_times(n, times)
    report.line()
    for line in demo_plot.bars(times):
        report.line(line)
    draw(demo, times, plot)
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


def show_declaration() -> None:
    """Print the declaration, and what NumPy says of its result."""
    function = inspect(gaussian_pdf).python
    assert function is not None
    report.python(python_inspect.getsource(function))  # with its decorator
    report.line()
    grid = gaussian_pdf(np.linspace(-1.0, 1.0, 4)[:, None], [0.0, 1.0, 2.0], 1.0)
    facts = {
        "type": f"{type(gaussian_pdf).__module__}.{type(gaussian_pdf).__qualname__}",
        "isinstance(f, np.ufunc)": str(isinstance(gaussian_pdf, np.ufunc)),
        "f.types": str(gaussian_pdf.types),
        "f.nin, f.nout": f"{gaussian_pdf.nin}, {gaussian_pdf.nout}",
        "f.__doc__": (gaussian_pdf.__doc__ or "").splitlines()[-1],
        "broadcasts": f"(4, 1), (3,), () -> {grid.shape}",
        "on this CPU": inspect(gaussian_pdf).host_form("float64(float64, float64, float64)"),
    }
    report.table("gaussian_pdf", ["what", "value"], [[*fact] for fact in facts.items()], words=True)
    report.line()


def reference_values(x: Array, mean: Any, sigma: Any) -> tuple[str, Array]:
    """Return SciPy's values, or without SciPy NumPy's, and their name."""
    norm = find_norm()
    if norm is not None:
        return "scipy.stats.norm.pdf", norm.pdf(x, loc=mean, scale=sigma)
    scale = float(sigma) * math.sqrt(2 * math.pi)
    return "NumPy's float64", np.exp(-0.5 * ((x - mean) / sigma) ** 2) / scale


def find_norm() -> Any:
    """Return `scipy.stats.norm`; None if SciPy is not installed."""
    try:
        return importlib.import_module("scipy.stats").norm
    except ImportError:
        return None


def draw(demo: Demo, times: dict[str, dict[str, float]], path: Path | None) -> None:
    """Draw the PNG and print its path, or why there is none."""
    points = np.sort(demo.operands["float64"][0][:2000])
    try:
        report.line(f"plot: {demo_plot.save(times, points, gaussian_pdf, path)}")
    except ImportError:
        report.line("no PNG, because matplotlib is not installed: pip install matplotlib")
    except OSError as error:
        report.line(f"no PNG: {error.filename}: {error.strerror}")
        demo.failures.append("the plot")


def contestants(operands: tuple[Any, Any, Any]) -> dict[str, Callable[[], object]]:
    """Return the implementations of the density that are installed, by name."""
    x, mean, sigma = operands
    ways: dict[str, Callable[[], object]] = {"numpy_plugin": lambda: gaussian_pdf(x, mean, sigma)}
    norm = find_norm()
    if norm is not None:
        ways["SciPy"] = lambda: norm.pdf(x, loc=mean, scale=sigma)
    ways["NumPy expression"] = lambda: numpy_expression(x, mean, sigma)
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
    for package in ("scipy", "numba"):
        if info.version_of(package) is None:
            report.line(
                f"not compared with {package}, which is not installed: pip install {package}"
            )
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


def run_on_simulator(demo: Demo) -> list[list[str]]:
    """Run the same kernels on a simulated GPU and check them; return rows of its counters."""
    reason = info.nvrtc().get("error") or _core.why_no_simulator()
    if reason:
        report.line(f"not run on the simulated GPU: {reason}")
        return []
    counted: dict[str, list[str]] = {}
    with report.progress("running on the simulated GPU", len(demo.operands)) as advance:
        for name, (x, mean, sigma) in demo.operands.items():
            some = x[:MOST_SIMULATED]
            with cuda.simulator() as device:
                result = gaussian_pdf(cuda.to_device(some), mean, sigma).copy_to_host()
                for what, count in _counts(device.counters, some.size).items():
                    counted.setdefault(what, []).append(count)
            advance()
            demo.check(f"simulated GPU, {some.size:,} values", name, result)
    return [[what, *counts] for what, counts in counted.items()]


def _counts(counters: Any, n: int) -> dict[str, str]:
    return {
        "launches": str(counters.launches),
        "instructions per value": f"{counters.instructions / n:.1f}",
        "bytes loaded per value": f"{counters.bytes_loaded / n:.2f}",
        "bytes stored per value": f"{counters.bytes_stored / n:.2f}",
        "32-byte transactions": f"{counters.transactions:,}",
        "divergent branches": f"{counters.divergent_branches:,}",
    }


def run_on_device(demo: Demo) -> None:
    """Run the same kernels on the GPU and check them, or print why there is none."""
    device = _core.find_current_device()
    if device is None:
        report.line(f"not run on a GPU: {_core.why_no_device()}")
        return
    for name, operands in demo.operands.items():
        result = gaussian_pdf(*(cuda.to_device(operand) for operand in operands))
        demo.check(f"GPU ({device.name})", name, result.copy_to_host())
