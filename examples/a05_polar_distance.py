"""A device function that returns a tuple; `**2` and `**0.5` compile to a product and a root."""

import math
from typing import Any

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.device
def polar_to_cartesian(rho: float, theta: float) -> tuple[float, float]:
    """Cartesian coordinates of the point at radius rho and angle theta."""
    return rho * math.cos(theta), rho * math.sin(theta)


@npp.vectorize(
    [
        "float32(float32, float32, float32, float32)",
        "float64(float64, float64, float64, float64)",
    ]
)
def polar_distance(rho1: float, theta1: float, rho2: float, theta2: float) -> Any:
    """Distance between two points in polar coordinates."""
    x1, y1 = polar_to_cartesian(rho1, theta1)
    x2, y2 = polar_to_cartesian(rho2, theta2)
    return ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5


def main() -> None:
    rng = np.random.default_rng(1)
    n = 1_000_000
    for dtype, tolerance in ((np.float32, 2e-6), (np.float64, 2e-15)):
        rho1, rho2 = rng.uniform(0.5, 1.5, size=(2, n)).astype(dtype)
        theta1, theta2 = rng.uniform(-np.pi, np.pi, size=(2, n)).astype(dtype)
        result = polar_distance(rho1, theta1, rho2, theta2)
        assert result.dtype == dtype
        x = rho1 * np.cos(theta1) - rho2 * np.cos(theta2)
        y = rho1 * np.sin(theta1) - rho2 * np.sin(theta2)
        error = np.max(np.abs(result - (x**2 + y**2) ** 0.5))
        assert error < tolerance, f"error {error:.1e}, at most {tolerance:.0e} expected"
        print(f"{np.dtype(dtype).name}: within {tolerance:.0e} of the NumPy expression")

    across = polar_distance(1.0, 0.0, 1.0, np.pi)
    assert abs(across - 2.0) < 1e-15
    print("from angle 0 to angle pi on the unit circle:", across)

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        operands = rho1[:100_000], theta1[:100_000], rho2[:100_000], theta2[:100_000]
        result = polar_distance(*map(cuda.to_device, operands)).copy_to_host()
    error = np.max(np.abs(result - polar_distance(*operands)))
    assert error < 4e-15, f"error {error:.1e}"
    print("on device arrays: within 4e-15 of the CPU")


if __name__ == "__main__":
    main()
