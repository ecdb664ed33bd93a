"""The public names, and the modules from which the package imports each when it is first used."""

from . import build, cuda, random
from ._benchmark.benchmark import benchmark
from ._config import config
from ._cuda.offload import offload
from ._errors.exceptions import (
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
from ._frontend.compose import compose
from ._frontend.declare import guvectorize, vectorize
from ._frontend.device import device
from ._frontend.external import DeclaredFunction, declare_device
from ._frontend.fuse import fuse
from ._frontend.local import array as local_array
from ._frontend.types import (
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
from ._inspection.inspect import inspect
from ._ipython.extension import load_ipython_extension
from ._kernels.elementwise import ElementwiseKernel
from ._kernels.raw import RawKernel, RawModule
from ._kernels.reduction import ReductionKernel
from ._reduction.reduction import Reduction, reduction
from ._threads.number import get_num_threads, set_num_threads

__version__: str

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
