"""Kernels compiled for aarch64 have the bits of this processor's. Needs a compiler and qemu."""

import shutil
import subprocess

import loop_driver
import numpy as np
import pytest
from machines import cpu_levels

import numpy_plugin as npp

COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
SYSROOT = "/usr/aarch64-linux-gnu"
N = 203

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which(COMPILER) and shutil.which(EMULATOR)),
        reason=f"needs {COMPILER} and {EMULATOR}: apt install g++-aarch64-linux-gnu qemu-user",
    ),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program that runs a loop, for aarch64."""
    directory = tmp_path_factory.mktemp("aarch64")
    sources = [
        loop_driver.ROOT / "tests/python/helpers/machines/loop_program.cpp",
        *loop_driver.driver_sources(),
    ]
    output = directory / "loop_program"
    flags = [
        "-std=c++20",
        "-O1",
        *(f"-I{loop_driver.ROOT / name}" for name in ("src", "templates")),
    ]
    subprocess.run([COMPILER, *flags, *map(str, sources), "-ldl", "-o", str(output)], check=True)
    return output


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Compile a ufunc's loops for aarch64; return the shared object's path."""
    directory = tmp_path_factory.mktemp("libraries")

    def compile_once(ufunc):
        output = directory / f"{ufunc.__name__}.so"
        if not output.exists():
            source = output.with_suffix(".cpp")
            source.write_text(npp.inspect(ufunc).source("cpu"))
            kernel_flags = [
                flag
                for flag in loop_driver.KERNEL_FLAGS
                if flag != "-march=native" and not flag.startswith("-W")
            ]
            flags = [*loop_driver.COMMON_FLAGS, *kernel_flags, str(source), "-o", str(output)]
            subprocess.run([COMPILER, *flags, "-lm", "-lgcc", "-lc"], check=True)
        return output

    return compile_once


def run(program, library, loop, spacing, inputs, out_dtypes):
    sizes = [str(dtype.itemsize) for dtype in (*(x.dtype for x in inputs), *out_dtypes)]
    words = [str(library), str(loop), str(N), str(spacing), str(len(inputs)), *sizes]
    result = subprocess.run(
        [EMULATOR, "-L", SYSROOT, str(program), *words],
        input=b"".join(x.tobytes() for x in inputs),
        capture_output=True,
        check=True,
    )
    (dtype,) = out_dtypes
    return np.frombuffer(result.stdout, dtype)


def operands(dtype):
    random = np.random.default_rng(5)
    if dtype.kind == "i":
        return random.integers(1, 1000, (2, N)).astype(dtype)
    x, y = random.uniform(-2, 2, (2, N)).astype(dtype)
    x[::50], y[::70], x[7], y[11] = np.nan, np.inf, 0.0, -0.0
    return x, y


EXACT = [
    (ufunc, loop)
    for ufunc in (cpu_levels.arithmetic, cpu_levels.integers, cpu_levels.escape)
    for loop in range(2)
]


@pytest.mark.parametrize("spacing", [1, 3])
@pytest.mark.parametrize(("ufunc", "loop"), EXACT)
def test_exact_operations(ufunc, loop, spacing, program, library):
    letters = ufunc.types[loop]
    inputs = operands(np.dtype(letters[0]))
    with np.errstate(all="ignore"):
        expected = ufunc(*inputs)
    found = run(program, library(ufunc), loop, spacing, inputs, [expected.dtype])
    np.testing.assert_array_equal(found, expected)
    are_numbers = ~np.isnan(expected)
    assert found[are_numbers].tobytes() == expected[are_numbers].tobytes()


@pytest.mark.parametrize(("loop", "bound"), [(0, 2e-5), (1, 1e-13)])
def test_functions(loop, bound, program, library):
    inputs = operands(np.dtype("fd"[loop]))
    with np.errstate(all="ignore"):
        expected = cpu_levels.functions(*inputs)
    path = library(cpu_levels.functions)
    whole = run(program, path, loop, 1, inputs, [expected.dtype])
    np.testing.assert_allclose(whole, expected, rtol=bound)
    apart = run(program, path, loop, 3, inputs, [expected.dtype])
    np.testing.assert_array_equal(whole, apart)
