"""Compiles emitted-form C++ and calls its loops as NumPy does, on arrays laid out in any way."""

import ctypes
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
INVALID, DIVIDE, OVERFLOW, UNDERFLOW = 1, 4, 8, 16

COMMON_FLAGS = ["-std=c++20", "-O3", "-fPIC", "-shared", f"-I{ROOT}/templates"]
KERNEL_FLAGS = [
    "-march=native",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Werror",
    f"-DNPP_GLIBC_MINOR={platform.libc_ver()[1].partition('.')[2] or 0}",
    "-nostdlib",
]
# clang computes both sides of a branch before it inlines: the untaken side would raise flags.
NO_SPECULATION = ["speculate-one-expensive-inst=false", "phi-node-folding-threshold=0"]
NO_SPECULATION += ["two-entry-phi-node-folding-threshold=0"]
CLANG_FLAGS = ["-fveclib=libmvec", *(x for o in NO_SPECULATION for x in ("-mllvm", f"-{o}"))]
LIBRARIES = ["-lmvec", "-lm", "-lgcc", "-lc"]

# Parts of a test that ctypes can't do: reading flags before Python changes them, and a reference
# implementation of calls, one element at a time.
HARNESS = """
#include "numpy_plugin/run/cpu/floating_point_flags.hpp"
using Loop = void (*)(char**, const long*, const long*, void*);
namespace npl = numpy_plugin::run;
extern "C" unsigned run(Loop loop, char** operands, const long* dimensions, const long* steps,
                        unsigned flags_before) {
  const unsigned saved = npl::read_flags();
  npl::write_flags(flags_before);
  loop(operands, dimensions, steps, nullptr);
  const unsigned flags = npl::read_flags();
  npl::write_flags(saved);
  return flags & npl::kWatchedFlags;
}
extern "C" void run_one_by_one(Loop loop, char** operands, const long* dimensions,
                               const long* steps, int n_operands) {
  const long one = 1;
  for (long i = 0; i < dimensions[0]; ++i) {
    loop(operands, &one, steps, nullptr);
    for (int k = 0; k < n_operands; ++k) operands[k] += steps[k];
  }
}
"""
DRIVER = """
#include "numpy_plugin/run/cpu/elementwise_driver.hpp"
extern "C" const void* driver() { return &numpy_plugin::run::elementwise_driver(); }
"""
# For generalized loops that raise nothing and need no memory.
NO_DRIVER = 'extern "C" const void* driver() { return nullptr; }\n'


def driver_sources() -> list[Path]:
    """The sources of the library's own part of elementwise loops."""
    names = ("cpu/elementwise_driver", "cpu/chunk_buffers", "cpu/operand_memory")
    names += ("cpu/scratch_memory", "cpu/streamed_results", "cpu/reduce/extremum")
    names += ("cpu/reduce/pairwise_sum", "reports/kernel_reports")
    loops = [ROOT / "src/numpy_plugin/run" / f"{name}.cpp" for name in names]
    return [*loops, ROOT / "src/numpy_plugin/system/interruption.cpp"]


def compile_driver(directory: Path) -> ctypes.CDLL:
    """The library's own part of elementwise loops, and the harness: one source compiles faster."""
    included = "".join(f'#include "{path}"\n' for path in driver_sources())
    return compile_harness(directory, included + DRIVER)


def compile_harness(directory: Path, driver: str = NO_DRIVER) -> ctypes.CDLL:
    """The harness behind a source that has its driver."""
    source, output = directory / "harness.cpp", directory / "driver.so"
    source.write_text(driver + HARNESS)
    command = [COMPILERS[0], *COMMON_FLAGS, f"-I{ROOT / 'src'}", str(source), "-o", str(output)]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(output))
    library.driver.restype = ctypes.c_void_p
    return library


def compile_kernels(directory: Path, compiler: str, source: str) -> Path:
    """A shared object of emitted source."""
    path = directory / f"kernels_{compiler.strip('+')}_{abs(hash(source))}.cpp"
    path.write_text(source)
    output = path.with_suffix(".so")
    flags = [*COMMON_FLAGS, *KERNEL_FLAGS, *(CLANG_FLAGS if compiler == "clang++" else [])]
    command = [compiler, *flags, str(path), "-o", str(output), *LIBRARIES]
    subprocess.run(command, check=True)
    return output


@dataclass
class Loop:
    """One loop of a compiled library."""

    function: ctypes._CFuncPtr
    driver: ctypes.CDLL

    def _arguments(self, operands, n, steps, sizes):
        addresses = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in operands]
        return (
            (ctypes.c_void_p * len(operands))(*addresses),
            (ctypes.c_long * (1 + len(sizes)))(n, *sizes),
            (ctypes.c_long * len(steps))(*steps),
        )

    def run(self, operands, n=None, steps=None, *, sizes=(), flags_before=0) -> int:
        """Calls the loop; the operands' flags and steps are NumPy's. Returns the flags after."""
        n = len(operands[-1]) if n is None else n
        steps = [x.strides[0] for x in operands] if steps is None else steps
        arguments = self._arguments(operands, n, steps, sizes)
        return self.driver.run(self.function, *arguments, flags_before)

    def run_one_by_one(self, operands, n, steps) -> None:
        """What a call means: n calls of one element each, in order."""
        arguments = self._arguments(operands, n, steps, ())
        self.driver.run_one_by_one(self.function, *arguments, len(operands))


class Kernels:
    """The loops of one compiled library, by index."""

    def __init__(self, path: Path, driver: ctypes.CDLL):
        self._library = ctypes.CDLL(str(path))
        self._driver = driver
        try:
            slot = ctypes.c_void_p.in_dll(self._library, "npp_driver")
        except ValueError:
            return  # generalized loops need no driver
        slot.value = driver.driver()

    def loop(self, index: int) -> Loop:
        """The loop npp_loop_<index>."""
        return Loop(getattr(self._library, f"npp_loop_{index}"), self._driver)
