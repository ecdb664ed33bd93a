"""One ufunc on host arrays, on device arrays, and with an existing device array as `out=`."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32, float32)"])
def add(x: float, y: float) -> float:
    """x plus y."""
    return x + y


def main() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 100_000), dtype=np.float32)
    expected = np.add(x, y)
    assert np.array_equal(add(x, y), expected)
    print("host arrays: as np.add")

    # The GPU if there is one; otherwise the simulator, which runs the same kernel.
    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        dx, dy = cuda.to_device(x), cuda.to_device(y)
        total = add(dx, dy)
        assert isinstance(total, cuda.DeviceArray) and total.dtype == np.float32
        assert np.array_equal(total.copy_to_host(), expected)
        print("device arrays: a device array, the same bits")

        out = cuda.device_array(x.shape, np.float32)
        assert add(dx, dy, out=out) is out
        assert np.array_equal(out.copy_to_host(), expected)
        print("out=: the array that was given")

        every_other = add(dx[::2], dy[1::2])
        assert np.array_equal(every_other.copy_to_host(), x[::2] + y[1::2])
        print("views of device arrays:", every_other.shape)

        assert np.array_equal(add(dx, 1).copy_to_host(), x + np.float32(1))
        print("a Python number beside a device array stays float32")


if __name__ == "__main__":
    main()
