"""Integer powers: `a**2` is one multiplication, bit-identical to NumPy's."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float64(float64, float64)"])
def sum_of_squares(a: float, b: float) -> float:
    """a squared plus b squared."""
    return a**2 + b**2


def main() -> None:
    a = np.linspace(0.0, 1000.0, 1_000_000)
    b = np.linspace(1000.0, 0.0, 1_000_000)
    result = sum_of_squares(a, b)
    worst = np.testing.assert_array_max_ulp(result, a**2 + b**2, maxulp=1).max()
    print(f"1,000,000 values, at most {worst:.0f} ulp from the NumPy expression")

    out = np.empty_like(a)
    assert sum_of_squares(a, b, out=out) is out
    assert np.array_equal(out, result)
    print("with out=: first", out[0], "last", out[-1])

    half = sum_of_squares(a[::2], b[::2])
    assert np.array_equal(half, result[::2])
    print("strided operands give the same bits:", half.size, "values")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = sum_of_squares(cuda.to_device(a), cuda.to_device(b))
        assert np.array_equal(on_device.copy_to_host(), result)
    print("device arrays give the same bits")


if __name__ == "__main__":
    main()
