"""Names of Numba's that have no counterpart here: what to write instead."""

from __future__ import annotations

from numpy_plugin import _core

__all__ = ["missing_kernel_attribute", "missing_name"]

_ALLOCATOR = 'numpy_plugin.cuda.set_allocator("rmm"), or a function that allocates'
_COMPILED = "cuda.jit(signature)(function).ptx"
_PROFILER = "run the program under a profiler, such as nsys"

_INSTEAD = {
    "BaseCUDAMemoryManager": _ALLOCATOR,
    "GetIpcHandleMixin": _ALLOCATOR,
    "HostOnlyCUDAMemoryManager": _ALLOCATOR,
    "IpcHandle": "DLPack exchanges arrays between the libraries of one process",
    "KernelRuntimeError": "a kernel's own exceptions are raised",
    "MappedMemory": "cuda.mapped_array",
    "MemoryInfo": "numpy_plugin.cuda.MemoryInfo",
    "MemoryPointer": "cuda.device_array",
    "PinnedMemory": "cuda.pinned_array",
    "compile": _COMPILED,
    "compile_for_current_device": _COMPILED,
    "compile_ptx": _COMPILED,
    "compile_ptx_for_current_device": _COMPILED,
    "cudadrv": "errors are numpy_plugin.CudaError; arrays are numpy_plugin.cuda.DeviceArray",
    "devicearray": "numpy_plugin.cuda.DeviceArray, or cuda.is_cuda_array(a)",
    "driver": "errors are numpy_plugin.CudaError",
    "errors": "errors are numpy_plugin.KernelError and numpy_plugin.CudaError",
    "extending": "numpy_plugin.declare_device",
    "implementation": "leave it out",
    "managed_array": "cuda.to_device and copy_to_host: copies are explicit",
    "mapped": "cuda.to_device, or cuda.mapped_array for a new array",
    "nvvm": "NVRTC compiles kernels; numpy_plugin.cuda.kernel takes CUDA C++",
    "open_ipc_array": "DLPack exchanges arrays between the libraries of one process",
    "profile_start": _PROFILER,
    "profile_stop": _PROFILER,
    "profiling": _PROFILER,
    "reduction": "cuda.reduce",
    "runtime": "python -m numpy_plugin info prints the versions",
    "set_memory_manager": _ALLOCATOR,
    "shfl_sync_intrinsic": "cuda.shfl_sync, shfl_up_sync, shfl_down_sync or shfl_xor_sync",
    "test": "the tests of this package are in its sources",
    "types": "numpy_plugin.numba.types",
    "vote_sync_intrinsic": "cuda.all_sync, any_sync, eq_sync or ballot_sync",
}

_KERNEL_INSTEAD = {
    "compile": "cuda.jit(signature)",
    "extensions": "copy such arguments to the device before the launch",
    "get_const_mem_size": "kernel.resources.constant_bytes",
    "get_local_mem_per_thread": "kernel.resources.stack_bytes",
    "get_max_threads_per_block": "kernel.max_threads",
    "get_regs_per_thread": "kernel.resources.registers",
    "get_shared_mem_per_block": "kernel.resources.shared_bytes",
    "inspect_asm": "kernel.ptx",
    "inspect_llvm": "kernel.source, the CUDA C++",
    "inspect_sass": "kernel.sass",
    "inspect_sass_cfg": "kernel.sass",
    "inspect_types": "kernel.source, the CUDA C++ with all types",
    "overloads": "kernel.specialize(*arguments) for the types of arguments",
}


def missing_name(name: str, known: list[str]) -> AttributeError:
    """Return the error for a name that the module does not have."""
    return _missing("numpy_plugin.numba.cuda", name, _INSTEAD, known)


def missing_kernel_attribute(name: str) -> AttributeError:
    """Return the error for an attribute that kernels do not have."""
    return _missing("a kernel", name, _KERNEL_INSTEAD, ["ptx", "sass", "source", "resources"])


def _missing(owner: str, name: str, instead: dict[str, str], known: list[str]) -> AttributeError:
    near = _core.nearest(name, known)
    hint = instead.get(name) or (f"did you mean '{near}'?" if near else "")
    return AttributeError(f"{owner} has no '{name}'" + (f"\n  hint: {hint}" if hint else ""))
