"""One pass instead of nine: an unmodified NumPy expression, compiled to a single loop."""

import math

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float64(float64, float64, float64)"])
def quadratic_root(a: float, b: float, c: float) -> float:
    """The larger root of a*x*x + b*x + c for positive a."""
    return (-b + math.sqrt(b**2 - 4 * a * c)) / (2 * a)


def main() -> None:
    rng = np.random.default_rng(1)
    n = 1_000_000
    a = rng.uniform(5.0, 10.0, n)
    b = rng.uniform(10.0, 20.0, n)
    c = rng.uniform(-0.1, 0.1, n)

    one_pass = quadratic_root(a, b, c)
    nine_passes = (-b + np.sqrt(b**2 - 4 * a * c)) / (2 * a)
    # + - * / and sqrt are correctly rounded everywhere, so the results are bit-identical.
    assert np.array_equal(one_pass, nine_passes)
    print(f"{n:,} roots, the same bits as the NumPy expression")

    residual = np.max(np.abs(a * one_pass**2 + b * one_pass + c))
    assert residual < 1e-13, f"residual {residual:.1e}"
    print("largest residual below 1e-13")

    assert quadratic_root(1.0, 2.0, -3.0) == 1.0
    print("x*x + 2*x - 3 = 0 at x =", quadratic_root(1.0, 2.0, -3.0))

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = quadratic_root(*map(cuda.to_device, (a, b, c)))
        assert np.array_equal(on_device.copy_to_host(), one_pass)
    print("one launch on device arrays gives the same bits")


if __name__ == "__main__":
    main()
