"""A kernel with a module-level constant: float32 operands are computed in float32 throughout."""

import math
from typing import Any

import numpy as np
from scipy.stats import norm

import numpy_plugin as npp
from numpy_plugin import cuda

SQRT_2PI = np.float32(math.sqrt(2 * math.pi))


@npp.vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"])
def gaussian_pdf(x: float, mean: float, sigma: float) -> Any:
    """Density at x of the normal distribution with this mean and standard deviation."""
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * SQRT_2PI)


def main() -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(-3.0, 3.0, size=1_000_000)
    # The constant is the float32 nearest to sqrt(2 pi), which limits the accuracy of float64.
    for dtype, tolerance in ((np.float32, 1e-6), (np.float64, 1e-9)):
        x = points.astype(dtype)
        result = gaussian_pdf(x, dtype(0.5), dtype(1.25))
        assert result.dtype == dtype
        expected = norm.pdf(x.astype(np.float64), loc=0.5, scale=1.25)
        error = np.max(np.abs(result / expected - 1.0))
        assert error < tolerance, f"relative error {error:.1e}, at most {tolerance:.0e} expected"
        print(f"{np.dtype(dtype).name}: relative error below {tolerance:.0e} of scipy.stats.norm")

    source = npp.inspect(gaussian_pdf).source("cuda", "float32(float32, float32, float32)")
    assert "double" not in source
    print("the float32 kernel holds no double")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        for dtype, tolerance in ((np.float32, 1e-6), (np.float64, 1e-9)):
            x = points[:100_000].astype(dtype)
            result = gaussian_pdf(cuda.to_device(x), dtype(0.5), dtype(1.25)).copy_to_host()
            error = np.max(np.abs(result / norm.pdf(x.astype(np.float64), 0.5, 1.25) - 1.0))
            assert error < tolerance, f"relative error {error:.1e} on the device"
    print("on device arrays: within the same bounds")


if __name__ == "__main__":
    main()
