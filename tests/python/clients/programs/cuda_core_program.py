"""A program for cuda-core: a compiled kernel, buffers, streams, events, a graph."""

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = r"""
template <typename T>
__global__ void scale(T* values, T factor, size_t n) {
  size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) values[i] *= factor;
}
"""


def main():
    device = Device()
    device.set_current()
    print(device.name, device.compute_capability)
    stream = device.create_stream()
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}")
    program = Program(SOURCE, code_type="c++", options=options)
    module = program.compile("ptx", name_expressions=("scale<float>", "scale<double>"))
    config = LaunchConfig(grid=8, block=128)
    for name, dtype in (("scale<float>", np.float32), ("scale<double>", np.float64)):
        values = np.arange(1000, dtype=dtype)
        buffer = device.memory_resource.allocate(values.nbytes, stream=stream)
        staged = np.empty_like(values)
        copy(buffer, values, stream)
        launch(stream, config, module.get_kernel(name), buffer, dtype(3), np.uint64(1000))
        copy(staged, buffer, stream)
        stream.sync()
        np.testing.assert_array_equal(staged, 3 * values)
        buffer.close(stream)
    print("kernels")


def copy(to, source, stream):
    """Copy between a buffer and an array of the host, by the driver."""
    from cuda.bindings import driver

    address = [
        int(end.handle) if hasattr(end, "handle") else end.ctypes.data for end in (to, source)
    ]
    n_bytes = next(end.nbytes for end in (to, source) if isinstance(end, np.ndarray))
    (status,) = driver.cuMemcpyAsync(*address, n_bytes, stream.handle)
    assert status == 0, status.name


if __name__ == "__main__":
    main()
