"""exp(a*sin(x) + cos(y)): four temporaries in NumPy, one loop as a fused function or a C++ body."""

from typing import Any

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


def saxpy_trig(a: Any, x: Any, y: Any) -> Any:
    """The expression as written for whole arrays."""
    return np.exp(a * np.sin(x) + np.cos(y))


fused = npp.fuse(saxpy_trig)
cpp = npp.vectorize(
    ["float32(float32, float32, float32)"],
    name="saxpy_trig_cpp",
    args="a, x, y",
    outs="z",
    body="z = exp(a * sin(x) + cos(y));",
)


def ulps(result: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference in units in the last place."""
    return float(np.max(np.abs(result - expected) / np.spacing(expected)))


def main() -> None:
    rng = np.random.default_rng(10)
    x, y = rng.uniform(-3, 3, (2, 1_000_000)).astype(np.float32)
    a = np.float32(0.5)
    exact = saxpy_trig(np.float64(a), x.astype(np.float64), y.astype(np.float64))
    exact = exact.astype(np.float32)
    for name, ufunc in (("fused", fused), ("C++ body", cpp)):
        result = ufunc(a, x, y)
        assert result.dtype == saxpy_trig(a, x, y).dtype == np.float32
        assert ulps(result, exact) <= 4
        print(f"{name}: within 4 ulp of the NumPy expression")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        n = 10_000
        dx, dy = cuda.to_device(x[:n]), cuda.to_device(y[:n])
        for ufunc in (fused, cpp):
            assert ulps(ufunc(a, dx, dy).copy_to_host(), exact[:n]) <= 4
    print("on device arrays: within 4 ulp")


if __name__ == "__main__":
    main()
