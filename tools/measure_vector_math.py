"""Error and time of templates/npp/vector_math beside libmvec, libm and NumPy.

    python tools/measure_vector_math.py

Writes docs/benchmarks/vector_math.md. Run with the test requirements installed, on x86-64 with g++.
"""

from __future__ import annotations

import ctypes
import datetime
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from mpmath import mp

Vector = npt.NDArray[Any]
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python" / "helpers"))

from references.vector_math_program import (  # noqa: E402
    CPP_NAMES,
    DTYPES,
    FUNCTIONS,
    Function,
    program,
)
from templates_program import build  # noqa: E402

NATIVE_BYTES = 64 if "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8") else 32
N_TIMED, N_MEASURED, N_ROUNDS = 100_000, 512, 40
NOT_IN_LIBMVEC = ("tgamma", "lgamma")
NUMPY_NAMES = {"pow": "power", **dict.fromkeys(("erf", "erfc", "tgamma", "lgamma"))} | {
    f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")
}
# Where times are taken, unless it is from -4 to 4.
RANGES = {
    **dict.fromkeys(("log", "log2", "log10"), (0.01, 50)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.99, 0.99)),
    **dict.fromkeys(("sin", "cos", "tan"), (-20, 20)),
    "pow": (0.1, 3),
    "log1p": (-0.9, 50),
    "acosh": (1, 50),
}
HEAD = """# Vector functions

The functions of `templates/npp/vector_math`, which `math="reproducible"` computes, and some of them
`math="vector"`, beside the C library's vector functions (libmvec), its scalar ones (libm), and
NumPy. First the largest error found, in ulp, then ns an element of 100,000 on one thread.

| function | dtype | this package | libmvec | libm | NumPy |
|---|---|---|---|---|---|
"""


def peers(name: str, function: Function, dtype: str) -> str:
    """Loops over the C library's functions of vectors and of numbers."""
    cpp, letter = CPP_NAMES[dtype], "f" if dtype == "float32" else ""
    operands = [f"x{i}" for i in range(function.n_arguments)]
    types = ", ".join([cpp] * len(operands))
    vectors = ", ".join([f"Native<{cpp}>"] * len(operands))
    pointers = ", ".join(f"const {cpp}* {x}" for x in operands)
    count = {"float32": 16, "float64": 8}[dtype] // (64 // NATIVE_BYTES)
    symbol = f"_ZGV{'e' if NATIVE_BYTES == 64 else 'd'}N{count}{'v' * len(operands)}_{name}{letter}"
    given, autos = ", ".join(operands), ", ".join(f"auto y{x}" for x in operands)
    values = given.replace("x", "yx")
    text = f'extern "C" {cpp} {name}{letter}({types}) noexcept;\n'
    loops = [("libm", cpp, f"::{name}{letter}")]
    if name not in NOT_IN_LIBMVEC:
        text += f'extern "C" Native<{cpp}> {symbol}({vectors});\n'
        loops.append(("libmvec", f"Native<{cpp}>", symbol))
    for peer, vector, called in loops:
        text += f"""
extern "C" void {peer}_{name}_{dtype}({pointers}, {cpp}* out, long n) {{
  compute<{vector}>([]({autos}) {{ return {called}({values}); }}, n, out, {given});
}}
"""
    return text


def compiled_loop(library: ctypes.CDLL, name: str) -> Callable[[list[Vector], Vector], None]:
    """A loop of the program, over operands into a result."""
    loop = getattr(library, name)

    def call(operands: list[Vector], out: Vector) -> None:
        loop(*(ctypes.c_void_p(x.ctypes.data) for x in (*operands, out)), ctypes.c_long(len(out)))

    return call


def contestants(library: ctypes.CDLL, name: str, dtype: str) -> dict[str, Any]:
    """Each package's loop."""
    found: dict[str, Any] = {
        "this package": compiled_loop(library, f"vectors_{name}_{dtype}"),
        "libm": compiled_loop(library, f"libm_{name}_{dtype}"),
    }
    if name not in NOT_IN_LIBMVEC:
        found["libmvec"] = compiled_loop(library, f"libmvec_{name}_{dtype}")
    numpy_name = NUMPY_NAMES.get(name, name)
    if numpy_name is not None:
        ufunc = getattr(np, numpy_name)
        found["NumPy"] = lambda operands, out: ufunc(*operands, out=out)
    return found


def times(loops: dict[str, Any], name: str, dtype: str) -> dict[str, float]:
    """The shortest times in ns an element, of interleaved rounds."""
    generator = np.random.default_rng(5)
    low, high = RANGES.get(name, (-4, 4))
    count = N_TIMED // 16 * 16
    operands = [
        generator.uniform(low, high, count).astype(dtype)
        for _ in range(FUNCTIONS[name].n_arguments)
    ]
    out = np.empty_like(operands[0])
    best = dict.fromkeys(loops, float("inf"))
    for _ in range(N_ROUNDS):
        for peer, loop in loops.items():
            start = time.perf_counter()
            loop(operands, out)
            best[peer] = min(best[peer], (time.perf_counter() - start) / count * 1e9)
    return best


def exact_values(name: str, operands: list[Vector]) -> list[Any]:
    """The true values."""
    rows = zip(*(x.tolist() for x in operands), strict=True)
    return [FUNCTIONS[name].exact(*map(mp.mpf, row)) for row in rows]


def largest_error(found: Vector, exact: list[Any]) -> float:
    """In units in the last place."""
    info, worst = np.finfo(found.dtype), 0.0
    for value, true in zip(found.tolist(), exact, strict=True):
        if true == 0 or abs(true) > mp.mpf(float(info.max)):
            continue
        exponent = max(int(mp.frexp(true)[1]) - 1, int(info.minexp))
        worst = max(worst, float(abs(mp.mpf(value) - true) / mp.ldexp(1, exponent - info.nmant)))
    return worst


def row(library: ctypes.CDLL, name: str, dtype: str) -> str:
    """A line of the table."""
    loops = contestants(library, name, dtype)
    operands = FUNCTIONS[name].random(np.random.default_rng(11), dtype, N_MEASURED)
    operands = [x[: len(x) // 16 * 16] for x in operands]
    with mp.workprec(200), np.errstate(all="ignore"):
        exact = exact_values(name, operands)
        took = times(loops, name, dtype)
        cells = []
        for peer in ("this package", "libmvec", "libm", "NumPy"):
            if peer not in loops:
                cells.append("none")
                continue
            out = np.empty_like(operands[0])
            loops[peer](operands, out)
            cells.append(f"{largest_error(out, exact):.2f}; {took[peer]:.2f} ns")
    return f"| `{name}` | {dtype} | {' | '.join(cells)} |\n"


def main() -> None:
    """Measure and write."""
    text = program() + "".join(
        peers(name, function, dtype) for name, function in FUNCTIONS.items() for dtype in DTYPES
    )
    with tempfile.TemporaryDirectory() as directory:
        library = build(directory, text, "-O3", "-march=native", "-Wno-psabi")
        rows = [row(library, name, dtype) for name in FUNCTIONS for dtype in DTYPES]
    today = datetime.datetime.now(tz=datetime.UTC).date()
    footer = (
        f"\nC library {platform.libc_ver()[1]}, NumPy {np.__version__}, vectors of {NATIVE_BYTES}"
        f" bytes, {today}. Errors are of {N_MEASURED} random operands in the ranges of\n"
        "`tests/python/helpers/references/vector_math_program.py`.\n"
    )
    path = ROOT / "docs" / "benchmarks" / "vector_math.md"
    path.write_text(HEAD + "".join(rows) + footer, encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
