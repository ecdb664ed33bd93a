"""Custom kernels in Python: thread indices and arrays with any strides, compiled for a GPU."""

from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Array = npt.NDArray[Any]


@cuda.kernel("void(float64[:], float64[:], float64[:])")
def add(a: Array, b: Array, out: Array) -> None:
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


# Works with any number of threads: each processes every gridsize-th element.
@cuda.kernel("void(float32, float32[:], float32[:])")
def saxpy(a: float, x: Array, out: Array) -> None:
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] += a * x[i]


# Without a signature: compiled for the types of each launch.
@cuda.kernel
def increment(a: Array) -> None:
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        a[x, y] += 1


def main() -> None:
    with cuda.gpus[0] if len(cuda.gpus) else cuda.simulator():
        a, b = np.random.default_rng(3).normal(size=(2, 1000))
        out = cuda.device_array(1000)
        add[-(-1000 // 128), 128](cuda.to_device(a), cuda.to_device(b), out)
        assert np.array_equal(out.copy_to_host(), a + b)
        print("1000 sums, the same bits as a + b")

        # NumPy arrays are copied to the device and back.
        x, y = np.arange(5000, dtype=np.float32), np.ones(5000, np.float32)
        saxpy[4, 64](2, x, y)
        assert np.array_equal(y, 2 * x + 1)
        print("256 threads for", y.size, "elements")

        for dtype in (np.int32, np.float64):
            image = cuda.to_device(np.zeros((50, 70), dtype))
            block = (16, 16)
            increment[(-(-50 // 16), -(-70 // 16)), block](image)
            increment[(-(-25 // 16), -(-35 // 16)), block](image[::2, ::2])
            expected = np.ones((50, 70))
            expected[::2, ::2] += 1
            assert np.array_equal(image.copy_to_host(), expected)
        print("blocks of 16 x 16 threads, on whole arrays and on views with steps")

        try:
            add[8, 128](a.astype(np.float32), b, out)
        except TypeError as error:
            print("refused:", error)

    # The simulator reports where a kernel accesses memory outside its arrays.
    @cuda.kernel("void(float64[:])")
    def no_check(out: Array) -> None:
        out[cuda.grid(1)] = 1

    with cuda.simulator():
        try:
            no_check[8, 128](cuda.zeros(1000))
        except npp.SimulatorError as error:
            print("found:", str(error).partition(" at ")[0])
        else:
            raise AssertionError("the error was not found")


if __name__ == "__main__":
    main()
