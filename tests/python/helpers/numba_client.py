"""A program of Numba-CUDA's users: copies, a ufunc, a kernel. Prints what it found.

Run with the simulated driver as `libcuda.so.1`. nvJitLink is hidden, so that Numba hands its PTX to
the driver's linker.
"""

import math

from cuda import pathfinder

find_library = pathfinder.load_nvidia_dynamic_lib


def find_all_but_nvjitlink(name):
    if name == "nvJitLink":
        raise pathfinder.DynamicLibNotFoundError(name)
    return find_library(name)


pathfinder.load_nvidia_dynamic_lib = find_all_but_nvjitlink

import numpy as np  # noqa: E402
from numba import cuda, float32, vectorize  # noqa: E402


@vectorize([float32(float32, float32), "float64(float64, float64)"], target="cuda")
def root_of_sum(x, y):
    return math.sqrt(x * x + y)


@cuda.jit
def count_up(counter, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = i * 2
        cuda.atomic.add(counter, 0, 1)


def main() -> None:
    print("device", cuda.get_current_device().name)
    values = np.arange(1000, dtype=np.float32)
    there = cuda.to_device(values)
    assert np.array_equal(there.copy_to_host(), values)
    for dtype in (np.float32, np.float64):
        x, y = np.random.default_rng(3).random((2, 1000)).astype(dtype)
        result = root_of_sum(x, y)
        assert result.dtype == dtype
        np.testing.assert_allclose(result, np.sqrt(x * x + y), rtol=4 * np.finfo(dtype).eps)
    counter = cuda.to_device(np.zeros(1, np.int32))
    out = cuda.device_array(300, np.int64)
    count_up[5, 64](counter, out)
    cuda.synchronize()
    assert counter.copy_to_host()[0] == 300
    assert np.array_equal(out.copy_to_host(), 2 * np.arange(300))
    print("all is as it should be")


if __name__ == "__main__":
    main()
