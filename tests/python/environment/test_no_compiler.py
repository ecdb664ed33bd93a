"""A machine without a compiler: what runs there, and what the rest says.

`make wheel` and cibuildwheel run this file and test_package_compiler.py on a finished wheel, in an
environment with nothing but the wheel and pytest: only their fixtures and the standard library are
used here. Programs run with an empty PATH, and with an empty home.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HAS_COMPILER = any(map(shutil.which, ("c++", "g++", "clang++")))

# For programs that must not find the compiler of the Python package ziglang either.
WITHOUT_ZIGLANG = """
from numpy_plugin import _core
_core.set_package_directories([])
"""

DECLARATIONS = """
import numpy as np
import numpy_plugin as npp

f = npp.vectorize(["float64(float64)"], name="f", args="x", body="return sqrt(x) + 0.125;")

@npp.vectorize(["float64(float64, float64)"])
def hypotenuse(x, y):
    return np.sqrt(x * x + y * y)

@npp.vectorize
def lazy(x):
    return 2 * x

@npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    out[0] = x.sum()

print(f(4.0), hypotenuse(3.0, 4.0), lazy(np.arange(3)), total(np.ones((2, 3))))
"""
RESULTS = "2.125 5.0 [0 2 4] [3. 3.]\n"

BUILT_DECLARATIONS = """
import math
import numpy_plugin as npp

@npp.vectorize(["float64(float64)"])
def logistic(x):
    return 1 / (1 + math.exp(-x))
"""


@pytest.fixture
def bare(tmp_path):
    """The environment variables of a machine without a compiler, and with a new user."""
    empty, home = tmp_path / "empty", tmp_path / "home"
    empty.mkdir()
    home.mkdir()
    kept = {key: os.environ[key] for key in ("LD_LIBRARY_PATH", "LANG") if key in os.environ}
    return {
        **kept,
        "PATH": str(empty),
        "HOME": str(home),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONSAFEPATH": "1",
    }


def run(program, environment):
    file = Path(environment["HOME"]) / "program.py"
    file.write_text(program)
    return subprocess.run(
        [sys.executable, str(file)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def output(program, environment):
    child = run(program, environment)
    assert (child.returncode, child.stderr) == (0, "")
    return child.stdout


def test_a_kernel_that_is_not_in_the_cache_names_the_remedies(bare):
    child = run(WITHOUT_ZIGLANG + DECLARATIONS, bare)
    assert child.returncode == 1
    message = child.stderr.splitlines()[-1]
    assert message.startswith("numpy_plugin.CompilerError: no C++ compiler: looked for c++, g++")
    assert 'pip install "numpy_plugin[compiler]"' in message
    assert "NUMPY_PLUGIN_CXX" in message


def test_a_lazy_ufunc_names_the_remedies_at_each_call(bare):
    program = (
        WITHOUT_ZIGLANG
        + """
import numpy_plugin as npp
f = npp.vectorize(lambda x: x + 1)
for _ in range(2):
    try:
        f(1.0)
    except npp.CompilerError as error:
        print("numpy_plugin[compiler]" in str(error), npp.inspect(f).signatures)
"""
    )
    assert output(program, bare) == "True []\nTrue []\n"


@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler that could fill the cache")
def test_cached_ufuncs_run(bare, tmp_path):
    program = WITHOUT_ZIGLANG + DECLARATIONS
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    filling = {**bare, "PATH": os.environ["PATH"], "NUMPY_PLUGIN_CACHE_DIR": str(cache)}
    assert output(program, filling) == RESULTS
    assert output(program, {**bare, "NUMPY_PLUGIN_CACHE_DIR": str(cache)}) == RESULTS
    assert run(program, bare).returncode == 1


@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler that could fill the cache")
def test_a_cache_is_moved_with_its_compiler_left_behind(bare, tmp_path):
    """As by an image that is built with a compiler and runs without one."""
    program = WITHOUT_ZIGLANG + DECLARATIONS
    built = tmp_path / "built"
    built.mkdir(mode=0o700)
    output(program, {**bare, "PATH": os.environ["PATH"], "NUMPY_PLUGIN_CACHE_DIR": str(built)})
    moved = tmp_path / "home" / ".cache" / "numpy_plugin"
    moved.parent.mkdir()
    built.rename(moved)
    assert output(program, bare) == RESULTS


@pytest.mark.skipif(not HAS_COMPILER, reason="no compiler that could build the module")
def test_a_built_module_runs(bare, tmp_path):
    """A module of `npp.build`, alone and with this package."""
    (tmp_path / "declarations.py").write_text(BUILT_DECLARATIONS)
    files = str(tmp_path / "declarations.py"), str(tmp_path / "built_ufuncs")
    output(
        f"from numpy_plugin import build; build.build(*{files!r})",
        {**bare, "PATH": os.environ["PATH"]},
    )
    calling = {**bare, "PYTHONPATH": str(tmp_path)}
    call = "import built_ufuncs as b; print(type(b.logistic).__name__, b.logistic([0.0, 800.0]))\n"
    assert output(call, calling) == "ufunc [0.5 1. ]\n"
    assert output("import numpy_plugin\n" + call, calling) == "ufunc [0.5 1. ]\n"


def test_information_is_there(bare):
    """`info` says that there is no compiler, and what to do, and is no error."""
    program = """
import runpy, sys
from numpy_plugin import _core
_core.set_package_directories([])
sys.argv = ["numpy_plugin", "info"]
runpy.run_module("numpy_plugin", run_name="__main__")
"""
    text = " ".join(output(program, bare).split())
    assert "no C++ compiler: looked for" in text
    assert "numpy_plugin[compiler]" in text


def test_devices_need_no_compiler_of_the_host(bare, nvrtc):
    """Arrays, NumPy's functions and kernels on a simulated device: NVRTC compiles them."""
    program = """
import numpy as np
from numpy_plugin import cuda

@cuda.kernel
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

with cuda.simulator():
    x = cuda.to_device(np.arange(5.0))
    double[1, 32](x)
    print((np.sqrt(x) + 1).copy_to_host().round(3), float(np.sum(x)))
"""
    assert output(program, bare) == "[1.    2.414 3.    3.449 3.828] 20.0\n"
