"""A typed program: ufuncs, kernels and device arrays under `mypy --strict` and pyright."""

import inspect
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Values = npt.NDArray[np.float32]


@npp.device
def squared(x: float) -> float:
    """The square of x."""
    return x * x


@npp.vectorize(["float32(float32, float32)", npp.float64(npp.float64, npp.float64)])
def distance(x: float, y: float) -> Any:
    """The distance of a point of the plane from the origin."""
    return (squared(x) + squared(y)) ** 0.5


@npp.guvectorize([(npp.float32[:], npp.float32[:])], "(n)->()")
def total(values: Values, out: Values) -> None:
    """The sum of values."""
    sum_of_all = values[0] - values[0]
    for i in range(values.shape[0]):
        sum_of_all += values[i]
    out[0] = sum_of_all


@cuda.kernel("void(float32[:], float32)")
def scale(values: Values, factor: float) -> None:
    """Multiply values by a factor."""
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor


def on_device(values: Values) -> cuda.DeviceArray:
    array = cuda.to_device(values)
    assert_type(array, cuda.DeviceArray)
    assert_type(array.shape, tuple[int, ...])
    scale[4, 256](array, 2.0)
    doubled = array + array
    assert_type(doubled, cuda.DeviceArray)
    return doubled


def main() -> None:
    # Types known to type checkers, and checked at run time.
    assert_type(distance, np.ufunc)
    assert_type(total, np.ufunc)
    assert_type(squared(3.0), float)
    assert_type(npp.inspect(distance).signatures, list[str])
    assert type(distance) is np.ufunc and type(total) is np.ufunc

    # Shown by editors for a ufunc: parameters, types, the docstring.
    signature = inspect.signature(distance)
    assert list(signature.parameters)[:3] == ["x", "y", "out"]
    assert signature.parameters["x"].annotation is float
    assert "The distance of a point of the plane from the origin." in distance.__doc__
    print("distance" + str(inspect.signature(distance)))

    x = np.arange(1000, dtype=np.float32)
    assert np.array_equal(distance(x, x), np.sqrt(x * x + x * x))
    assert total(x) == 499500

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        assert np.array_equal(on_device(x).copy_to_host(), 4 * x)
        print("on device: 4 times x, exactly")


if __name__ == "__main__":
    main()
