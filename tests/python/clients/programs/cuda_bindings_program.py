"""A program for cuda-bindings: NVRTC, launches of several kinds, a graph made node by node."""

import numpy as np
from cuda.bindings import driver, nvrtc
from cuda.pathfinder import find_nvidia_header_directory

SOURCE = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

// One phase for each level of a tree: every block reads what others wrote in the phase before.
extern "C" __global__ void tree_sum(int* values, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int step = 1; step < n; step *= 2) {
    for (int i = grid.thread_rank(); i + step < n; i += grid.size())
      if (i % (2 * step) == 0) values[i] += values[i + step];
    grid.sync();
  }
}

extern "C" __global__ void no_sync(int* out) { cg::this_grid().sync(); }
"""


def checked(result):
    """The values of a call; fails with the name of its error."""
    status, *values = result
    if status != 0:
        raise RuntimeError(status.name)
    return values[0] if len(values) == 1 else values


def compile_to_ptx(source):
    include = find_nvidia_header_directory("cudart")
    target = find_nvidia_header_directory("cccl")
    options = [b"-arch=compute_90", f"-I{include}".encode(), f"-I{target}".encode()]
    program = checked(nvrtc.nvrtcCreateProgram(source.encode(), b"clients.cu", 0, [], []))
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = b" " * (1 + checked(nvrtc.nvrtcGetProgramLogSize(program)))  # Python shares b" "
    checked(nvrtc.nvrtcGetProgramLog(program, log))
    assert status[0] == 0, log.decode()
    ptx = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def to_device(array):
    address = checked(driver.cuMemAlloc(array.nbytes))
    checked(driver.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes))
    return address


def to_host(address, like):
    array = np.empty_like(like)
    checked(driver.cuMemcpyDtoH(array.ctypes.data, address, array.nbytes))
    return array


class Arguments:
    """Pointers to the values of a kernel's arguments."""

    def __init__(self, *values):
        self.values = [np.array([int(v) if not isinstance(v, np.generic) else v]) for v in values]
        self.values = [v.astype(np.uint64) if v.dtype == np.int64 else v for v in self.values]
        self.pointers = np.array([v.ctypes.data for v in self.values], np.uint64)

    @property
    def address(self):
        return self.pointers.ctypes.data


def launch_saxpy(kernel, stream):
    x = np.arange(1000, dtype=np.float32)
    y = np.ones_like(x)
    on_device = to_device(x), to_device(y)
    arguments = Arguments(np.float32(2), *on_device, np.int32(1000))
    checked(driver.cuLaunchKernel(kernel, 8, 1, 1, 128, 1, 1, 0, stream, arguments.address, 0))
    checked(driver.cuStreamSynchronize(stream))
    np.testing.assert_array_equal(to_host(on_device[1], y), 2 * x + 1)
    print("saxpy")


def launch_cooperative(kernel, stream):
    values = np.arange(1, 1001, dtype=np.int32)
    address = to_device(values)
    arguments = Arguments(address, np.int32(1000))
    checked(
        driver.cuLaunchCooperativeKernel(kernel, 16, 1, 1, 64, 1, 1, 0, stream, arguments.address)
    )
    checked(driver.cuStreamSynchronize(stream))
    assert to_host(address, values)[0] == 500500
    too_many = driver.cuLaunchCooperativeKernel(
        kernel, 100000, 1, 1, 64, 1, 1, 0, stream, arguments.address
    )[0]
    print("cooperative launch,", too_many.name)


def run_graph(kernel, stream):
    """Fill, kernel and copy, in this order by their dependencies."""
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    on_device = to_device(x), checked(driver.cuMemAlloc(400))
    context = checked(driver.cuCtxGetCurrent())
    graph = checked(driver.cuGraphCreate(0))
    fill = driver.CUDA_MEMSET_NODE_PARAMS()
    fill.dst, fill.value, fill.elementSize, fill.width, fill.height = on_device[1], 0, 4, 100, 1
    filled = checked(driver.cuGraphAddMemsetNode(graph, None, 0, fill, context))
    arguments = Arguments(np.float32(3), *on_device, np.int32(100))
    launch = driver.CUDA_KERNEL_NODE_PARAMS()
    launch.func = kernel
    launch.gridDimX = launch.gridDimY = launch.gridDimZ = launch.blockDimY = launch.blockDimZ = 1
    launch.blockDimX, launch.kernelParams = 128, arguments.address
    launched = checked(driver.cuGraphAddKernelNode(graph, [filled], 1, launch))
    copy = driver.CUDA_MEMCPY3D()
    copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.srcDevice, copy.dstHost = on_device[1], out.ctypes.data
    copy.WidthInBytes, copy.Height, copy.Depth = 400, 1, 1
    checked(driver.cuGraphAddMemcpyNode(graph, [launched], 1, copy, context))
    executable = checked(driver.cuGraphInstantiate(graph, 0))
    for _ in range(2):
        out[:] = 0
        checked(driver.cuGraphLaunch(executable, stream))
        checked(driver.cuStreamSynchronize(stream))
        np.testing.assert_array_equal(out, 3 * x)
    print("graph")


def main():
    checked(driver.cuInit(0))
    device = checked(driver.cuDeviceGet(0))
    name = checked(driver.cuDeviceGetName(128, device)).split(b"\0")[0].decode()
    print(name, "of", checked(driver.cuDeviceGetCount()))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(device))))
    module = checked(driver.cuModuleLoadData(compile_to_ptx(SOURCE)))
    stream = checked(driver.cuStreamCreate(0))
    kernels = {
        kernel: checked(driver.cuModuleGetFunction(module, kernel.encode()))
        for kernel in ("saxpy", "tree_sum", "no_sync")
    }
    launch_saxpy(kernels["saxpy"], stream)
    launch_cooperative(kernels["tree_sum"], stream)
    run_graph(kernels["saxpy"], stream)
    arguments = Arguments(to_device(np.zeros(1, np.int32)))
    checked(driver.cuLaunchKernel(kernels["no_sync"], 1, 1, 1, 1, 1, 1, 0, 0, arguments.address, 0))
    print(driver.cuCtxSynchronize()[0].name)


if __name__ == "__main__":
    main()
