"""A program for PyCUDA: NVRTC's PTX as a module, its variables, arrays, rows, streams, a fault."""

import numpy as np
import pycuda.driver as cuda
from cuda_bindings_program import compile_to_ptx

SOURCE = r"""
__constant__ float factor;
extern "C" __global__ void scale(float* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
extern "C" __global__ void store_to_null() { *(volatile int*)64 = 1; }
"""


def main():
    cuda.init()
    device = cuda.Device(0)
    print(device.name(), device.compute_capability())
    context = device.make_context()
    try:
        module = cuda.module_from_buffer(compile_to_ptx(SOURCE))
        scale(module)
        rows()
        try:
            module.get_function("store_to_null")(block=(1, 1, 1))
            context.synchronize()
        except cuda.LogicError as error:
            print(error)
    finally:
        context.pop()


def scale(module):
    """Scale arrays in and out of a stream, by a factor in constant memory."""
    factor, n_bytes = module.get_global("factor")
    assert n_bytes == 4
    cuda.memcpy_htod(factor, np.float32(3).tobytes())
    function = module.get_function("scale")
    values = np.arange(1000, dtype=np.float32)
    scaled = values.copy()
    function(cuda.InOut(scaled), np.int32(1000), block=(128, 1, 1), grid=(8, 1))
    np.testing.assert_array_equal(scaled, 3 * values)
    stream, start, end = cuda.Stream(), cuda.Event(), cuda.Event()
    host = cuda.pagelocked_empty(1000, np.float32)
    host[:] = values
    there = cuda.mem_alloc(host.nbytes)
    start.record(stream)
    cuda.memcpy_htod_async(there, host, stream)
    function.prepare("Pi").prepared_async_call((8, 1), (128, 1, 1), stream, there, 1000)
    cuda.memcpy_dtoh_async(host, there, stream)
    end.record(stream)
    end.synchronize()
    assert end.time_since(start) >= 0
    np.testing.assert_array_equal(host, 3 * values)
    print("scaled")


def rows():
    """Copy a part of a matrix whose rows are padded."""
    matrix = np.arange(12, dtype=np.float32).reshape(3, 4)
    there, pitch = cuda.mem_alloc_pitch(16, 3, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(matrix)
    copy.set_dst_device(there)
    copy.src_pitch, copy.dst_pitch = 16, pitch
    copy.width_in_bytes, copy.height = 16, 3
    copy(aligned=True)
    part = np.empty((2, 4), np.float32)
    cuda.memcpy_dtoh(part[0], int(there) + pitch)
    cuda.memcpy_dtoh(part[1], int(there) + 2 * pitch)
    np.testing.assert_array_equal(part, matrix[1:])
    print("rows of", pitch, "bytes")


if __name__ == "__main__":
    main()
