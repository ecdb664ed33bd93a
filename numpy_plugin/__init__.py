"""Real NumPy ufuncs from Python functions and C++ bodies, for the CPU and for CUDA.

>>> import numpy_plugin as npp
>>> @npp.vectorize(["float64(float64, float64)"])
... def hypot(x, y):
...     return (x * x + y * y) ** 0.5
>>> type(hypot)
<class 'numpy.ufunc'>
"""

from typing import TYPE_CHECKING

# First, before anything that needs NumPy or the extension.
from numpy_plugin import _requirements, cuda, random  # noqa: F401
from numpy_plugin._benchmark.benchmark import benchmark
from numpy_plugin._config import config
from numpy_plugin._config import warn_of_environment as _warn_of_environment
from numpy_plugin._cuda.offload import offload
from numpy_plugin._cuda.toolkit import find_packages as _find_packages
from numpy_plugin._errors.exceptions import (
    CompilerError,
    CudaError,
    DeviceMemoryError,
    Diagnostic,
    KernelError,
    KernelWarning,
    PerformanceWarning,
    SignatureError,
    SimulatorError,
)
from numpy_plugin._frontend.compose import compose
from numpy_plugin._frontend.declare import guvectorize, vectorize
from numpy_plugin._frontend.device import device
from numpy_plugin._frontend.external import DeclaredFunction, declare_device
from numpy_plugin._frontend.fuse import fuse
from numpy_plugin._frontend.local import array as local_array
from numpy_plugin._frontend.pickle import register as _register_pickles
from numpy_plugin._frontend.types import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    from_dtype,
    int8,
    int16,
    int32,
    int64,
    intc,
    intp,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from numpy_plugin._inspection.inspect import inspect
from numpy_plugin._ipython.extension import load_ipython_extension
from numpy_plugin._kernels.elementwise import ElementwiseKernel
from numpy_plugin._kernels.raw import RawKernel, RawModule
from numpy_plugin._kernels.reduction import ReductionKernel
from numpy_plugin._public_names import public_names
from numpy_plugin._reduction.reduction import Reduction, reduction
from numpy_plugin._threads.limits import (
    register_with_threadpoolctl as _register_with_threadpoolctl,
)
from numpy_plugin._threads.number import get_num_threads, set_num_threads

__version__ = "0.1.0"
_register_pickles()
_find_packages()
_register_with_threadpoolctl()
_warn_of_environment()

__all__ = [
    "CompilerError",
    "CudaError",
    "DeclaredFunction",
    "DeviceMemoryError",
    "Diagnostic",
    "ElementwiseKernel",
    "KernelError",
    "KernelWarning",
    "PerformanceWarning",
    "RawKernel",
    "RawModule",
    "Reduction",
    "ReductionKernel",
    "SignatureError",
    "SimulatorError",
    "benchmark",
    "bfloat16",
    "bool_",
    "build",
    "complex64",
    "complex128",
    "compose",
    "config",
    "cuda",
    "declare_device",
    "device",
    "float16",
    "float32",
    "float64",
    "from_dtype",
    "fuse",
    "get_num_threads",
    "guvectorize",
    "inspect",
    "int8",
    "int16",
    "int32",
    "int64",
    "intc",
    "intp",
    "load_ipython_extension",
    "local_array",
    "offload",
    "random",
    "reduction",
    "set_num_threads",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "vectorize",
    "void",
]

__dir__ = public_names(globals())

if TYPE_CHECKING:
    from numpy_plugin import build
else:

    def __getattr__(name):
        """Import the module `build` when it is first used: most programs build nothing."""
        if name == "build":
            from importlib import import_module

            return import_module("numpy_plugin.build")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
