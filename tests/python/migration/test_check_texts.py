"""`python -m numpy_plugin check` of kernels in C++, compiled for the CPU and for a GPU."""

import textwrap
from pathlib import Path

import pytest

from numpy_plugin import _core
from numpy_plugin._check.changes import changed_text
from numpy_plugin._check.program import Program
from numpy_plugin._commands.check import check
from numpy_plugin._errors.exceptions import CompilerError

TEXT = r'''
import cupy as cp
import numpy as np
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
turned = cp.ElementwiseKernel("raw T x", "T y", "y = x[n - i - 1]", "turned")
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
loss = cp.ReductionKernel("int32 t, raw T y", "T z", "y[_j + t]", "a + b", "z = a + _i", 0)
axpy = ElementwiseKernel("float a, float *x, float *z", "z[i] += a * x[i]")
dot = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
raw = cp.RawKernel(r"""extern "C" __global__ void f(float* x) { x[0] = 1; }""", "f")
module = cp.RawModule(
    code="template <class T> __global__ void f(T* x) { x[0] = 1; }", name_expressions=["f<int>"]
)
source = SourceModule("""
#include <math.h>
__global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }
""")

wrong_type = cp.ElementwiseKernel("flot32 x", "T y", "y = x", "wrong")
wrong_body = cp.ElementwiseKernel("T x", "T y", "y = x * q", "wrong")
wrong_fixed = cp.ElementwiseKernel("float32 x", "float32 y", "y = x * q", "wrong")
wrong_raw = cp.ElementwiseKernel("raw T x", "T y", "y = x[i] * q", "wrong")
wrong_pointer = ElementwiseKernel("float a, float *x", "x[i] *= a * q")
wrong_map = cp.ReductionKernel("T x", "T y", "x * q", "a + b", "y = a", "0", "wrong")
wrong_end = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = q(a)", "0", "wrong")
wrong_loss = cp.ReductionKernel("int32 t, raw T y", "T z", "y[q]", "a + b", "z = a", "0", "wrong")
wrong_kernel = cp.RawKernel(r"""extern "C" __global__ void f(float* x) { x[0] = q; }""", "f")
wrong_module = cp.RawModule(code=r"""extern "C" __global__ void f(float* x) { x[0] = q; }""")
wrong_instance = cp.RawModule(
    code="template <class T> __global__ void f(T* x) { x->q = 1; }", name_expressions=["f<int>"]
)
wrong_source = SourceModule("""
__global__ void __launch_bounds__(64) f(float *x) { x[0] = q; }
""")

y = square(np.ones(3))
axpy(2.0, y, y)
z = turned(y, size=3)
'''


@pytest.fixture(scope="module")
def found():
    return check(Program(Path("program.py"), TEXT))["kernels"]


def test_texts_that_work(found):
    kernels = {each["name"]: each for each in found}
    works = {name for name, each in kernels.items() if each["outcome"] == "works"}
    assert works == {"square", "turned", "norm", "loss", "axpy", "dot", "raw", "module", "source"}
    assert kernels["square"]["why"] == "as float64"
    launched = "as npp.RawModule(code=...), launched as kernel(grid, block, arguments)"
    assert kernels["source"]["why"] == launched


def test_texts_are_compiled(found):
    whys = {each["name"]: each["why"] for each in found if each["name"].startswith("wrong_")}
    assert whys.pop("wrong_type") == "unknown type 'flot32'"
    assert whys.pop("wrong_end") == "line 1: unknown function 'q'"
    assert whys.pop("wrong_instance").startswith("line 1: ")
    assert set(whys.values()) == {"line 1: unknown name 'q'", "line 2: unknown name 'q'"}
    assert len(whys) == 9


def test_calls_of_kernels_are_none(found):
    assert not {each["name"] for each in found} & {"y", "z", "<lambda>"}


def test_a_machine_without_compilers(monkeypatch):
    def missing():
        raise CompilerError("none")

    monkeypatch.setattr(_core, "host_compiler", missing)
    monkeypatch.setattr(_core, "nvrtc_info", missing)
    found = check(Program(Path("program.py"), TEXT))["kernels"]
    whys = {each["name"]: each["why"] for each in found if each["outcome"] != "works"}
    assert whys.keys() <= {"wrong_type", "wrong_fixed", "wrong_map", "wrong_end"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import pycuda.autoinit\nfrom pycuda.elementwise import ElementwiseKernel\n",
            "from numpy_plugin import ElementwiseKernel\n",
        ),
        (
            "if True:\n    from pycuda import autoinit\n",
            "if True:\n    pass\n",
        ),
        ("x = 1\nimport pycuda.autoinit", "x = 1\n"),
        (
            "import pycuda.autoinit\nimport pycuda.driver as drv\n",
            "import pycuda.autoinit\nimport pycuda.driver as drv\n",
        ),
    ],
)
def test_autoinit_goes_with_the_rest_of_pycuda(before, after):
    assert changed_text(Program(Path("program.py"), textwrap.dedent(before))) == after
