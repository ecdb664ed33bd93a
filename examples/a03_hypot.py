"""A numerically stable hypotenuse: reassigned arguments, min and max, and a square root."""

import math

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32, float32)", "float64(float64, float64)"])
def hypot(x: float, y: float) -> float:
    """sqrt(x*x + y*y) without intermediate overflow."""
    x = abs(x)
    y = abs(y)
    t = min(x, y)
    x = max(x, y)
    t = t / x
    return x * math.sqrt(1 + t * t)


def main() -> None:
    rng = np.random.default_rng(1)
    for dtype in (np.float32, np.float64):
        x, y = rng.normal(scale=100.0, size=(2, 100_000)).astype(dtype)
        result = hypot(x, y)
        assert result.dtype == dtype
        worst = np.testing.assert_array_max_ulp(result, np.hypot(x, y), maxulp=4).max()
        print(f"{np.dtype(dtype).name}: at most {worst:.0f} ulp from np.hypot")

    assert hypot(3.0, 4.0) == 5.0
    assert hypot(1e200, 1e200) == np.hypot(1e200, 1e200)
    print("hypot(3, 4) =", hypot(3.0, 4.0))

    with np.errstate(invalid="ignore"):
        origin = hypot(0.0, 0.0)
    assert np.isnan(origin)
    print("hypot(0, 0) =", origin, "(0/0, as the body says)")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        result = hypot(cuda.to_device(x), cuda.to_device(y)).copy_to_host()
    # Only + * / and sqrt, so the bits are the same everywhere.
    assert np.array_equal(result, hypot(x, y))
    print("on device arrays: the same bits")


if __name__ == "__main__":
    main()
