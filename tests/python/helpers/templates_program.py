"""The program of the templates' tests: a loop for each operation and dtype, for every compiler."""

import ctypes
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "templates"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ARITHMETIC = ["-ffp-contract=off", "-fwrapv", "-fno-math-errno", "-fno-trapping-math"]
SHARED = ["-fPIC", "-shared", "-nostdlib", "-DNPP_GLIBC_MINOR=36"]
FLAGS = ["-std=c++20", "-march=native", *ARITHMETIC, *SHARED, *WARNINGS]
LIBRARIES = ["-lmvec", "-lm", "-lgcc", "-lc"]

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
NUMBERS = INTEGERS + FLOATS + COMPLEX
REAL = ["bool", *INTEGERS, *FLOATS]
ALL = ["bool", *NUMBERS]

CPP_NAMES = {"bool": "bool", "float32": "float", "float64": "double"}

# Operations of the table that are not mathematical functions, and their dtypes.
OPERATIONS = {
    "add multiply": ALL,
    "subtract square reciprocal negative sign power": NUMBERS,
    "true_divide": FLOATS + COMPLEX,
    "floor_divide remainder fmod": INTEGERS + FLOATS,
    "shift_left shift_right": INTEGERS,
    "bitwise_and bitwise_or bitwise_xor invert": ["bool", *INTEGERS],
    "positive absolute truth logical_not equal not_equal isnan isinf isfinite": ALL,
    "minimum maximum fmin fmax python_min python_max": REAL,
    "less less_equal greater greater_equal": REAL,
    "real imag conjugate": COMPLEX,
    "signbit copysign nextafter degrees radians": FLOATS,
    "floor ceil trunc": INTEGERS + FLOATS,
    "rint": FLOATS,
    "sqrt": FLOATS + COMPLEX,
}


def table():
    """The rows of the table of operations: name -> (number of arguments, result, evaluation)."""
    text = (ROOT / "src/numpy_plugin/kernel/operations.def").read_text()
    rows = re.findall(r'^NPP_OPERATION\(\w+, "(\w+)", (\d), (\w+), (\w+)\)', text, re.M)
    return {name: (int(count), result, evaluation) for name, count, result, evaluation in rows}


def cpp_name(dtype):
    return CPP_NAMES.get(dtype, f"npp::{dtype}")


def result_dtype(result, dtype):
    if result == "kBool":
        return "bool"
    if result == "kReal":
        return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    return dtype


def loop(name, arguments, result, expression):
    """One loop that both a host compiler and NVRTC take."""
    parameters = [f"const {cpp_name(dtype)}* in{i}" for i, dtype in enumerate(arguments)]
    values = [f"in{i}[i]" for i in range(len(arguments))]
    return (
        f"NPP_LOOP({name}, NPP_LIST({', '.join([*parameters, f'{cpp_name(result)}* out'])}), "
        f"out[i] = {expression.format(*values)})\n"
    )


HEAD = """
#include "npp/math/cmath.hpp"
#define NPP_LIST(...) __VA_ARGS__
#if NPP_DEVICE
#define NPP_LOOP(name, parameters, ...)                                    \\
  extern "C" __global__ void name(parameters, npp::int64 n) {              \\
    const npp::int64 i = npp::int64(blockIdx.x) * blockDim.x + threadIdx.x; \\
    if (i < n) __VA_ARGS__;                                                \\
  }
#else
#define NPP_LOOP(name, parameters, ...)             \\
  extern "C" void name(parameters, npp::int64 n) {  \\
    for (npp::int64 i = 0; i < n; ++i) __VA_ARGS__; \\
  }
#endif
"""


def operations(dtypes=ALL):
    """(operation, dtype, number of arguments, dtype of the result) of every tested loop."""
    rows = table()
    for names, accepted in OPERATIONS.items():
        for name in names.split():
            for dtype in accepted:
                if dtype in dtypes:
                    count, result, _ = rows[name]
                    yield name, dtype, count, result_dtype(result, dtype)


def operation_loops(dtypes=ALL):
    text = ""
    for name, dtype, count, result in operations(dtypes):
        arguments = ", ".join(f"{{{i}}}" for i in range(count))
        text += loop(f"{name}_{dtype}", [dtype] * count, result, f"npp::{name}({arguments})")
    return text


def cast_loops(dtypes=ALL):
    return "".join(
        loop(f"cast_{source}_{target}", [source], target, f"npp::cast<{cpp_name(target)}>({{}})")
        for source in dtypes
        for target in dtypes
    )


def build(directory, text, *options, compiler="g++", head="", libraries=()):
    """The loaded library of a program."""
    source = Path(directory) / "program.cpp"
    source.write_text(head + HEAD + text)
    library = source.with_suffix(".so")
    command = [compiler, *FLAGS, f"-I{TEMPLATES}", *options, str(source), "-o", str(library)]
    done = subprocess.run([*command, *libraries, *LIBRARIES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:5000]
    return ctypes.CDLL(str(library))


def nvrtc_libraries():
    """Every NVRTC that is installed here: the pip packages' and the toolkits'."""
    directories = [
        Path(directory) / "nvidia" for directory in sys.path if directory.endswith("site-packages")
    ]
    found = [
        path
        for directory in directories
        for path in sorted(directory.glob("*/lib/libnvrtc.so.1[23]"))
    ]
    return [
        str(path) for path in [*found, *Path("/usr/local").glob("cuda*/lib64/libnvrtc.so.1[23]")]
    ]


def compile_to_ptx(library_path, text, architecture):
    """The PTX and the log of NVRTC."""
    nvrtc = ctypes.CDLL(library_path)
    program = ctypes.c_void_p()
    source = (HEAD + text).encode()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"t.cu", 0, None, None) == 0
    options = ["-std=c++20", "-fmad=false", "-minimal", f"-I{TEMPLATES}", f"-arch={architecture}"]
    array = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    code = nvrtc.nvrtcCompileProgram(program, len(options), array)
    log = nvrtc_text(nvrtc, program, "ProgramLog")
    ptx = nvrtc_text(nvrtc, program, "PTX") if code == 0 else ""
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return ptx, log


def nvrtc_text(nvrtc, program, what):
    size = ctypes.c_size_t()
    assert getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0
    text = ctypes.create_string_buffer(size.value)
    assert getattr(nvrtc, f"nvrtcGet{what}")(program, text) == 0
    return text.value.decode()
