"""A loop with a different trip count per element, over complex numbers and pairs of reals."""

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["int32(complex128, int32)"])
def mandelbrot(c: complex, limit: int) -> int:
    """Steps until z*z + c leaves the circle of radius 2; `limit` if it never does."""
    z = c
    for i in range(limit):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
        z = z * z + c
    return limit


@npp.vectorize(["int32(float64, float64, int32)"])
def mandelbrot_pair(cx: float, cy: float, limit: int) -> int:
    """The same count for c = cx + i*cy, with a `while` and a `break`."""
    x = cx
    y = cy
    n = 0
    while n < limit:
        if x * x + y * y > 4.0:
            break
        x, y = x * x - y * y + cx, x * y + y * x + cy
        n += 1
    return n


def masked_loop(c: npt.NDArray[np.complex128], limit: int) -> npt.NDArray[np.int32]:
    """The same count in NumPy alone: each step runs over all elements that are still inside."""
    z = c.copy()
    count = np.full(c.shape, limit, dtype=np.int32)
    inside = np.ones(c.shape, dtype=bool)
    for step in range(limit):
        leaves = inside & (z.real * z.real + z.imag * z.imag > 4.0)
        count[leaves] = step
        inside &= ~leaves
        z[inside] = z[inside] * z[inside] + c[inside]
    return count


def main() -> None:
    x = np.linspace(-2.0, 0.5, 240)
    y = np.linspace(-1.1, 1.1, 160).reshape(-1, 1)
    c = x + 1j * y
    expected = masked_loop(c, 50)
    counts = mandelbrot(c, 50)
    assert counts.dtype == np.int32
    assert np.array_equal(counts, expected)
    assert np.array_equal(mandelbrot_pair(x, y, 50), expected)
    print("both declarations count as the masked loop does, on", c.shape)
    print("elements that never leave:", int(np.sum(counts == 50)))
    for row in mandelbrot_pair(x[::6], y[::16], 50):
        print("".join(" .:-=+*#%@"[min(n // 5, 9)] for n in row))

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        counts = mandelbrot(cuda.to_device(c), 50)
        assert np.array_equal(counts.copy_to_host(), expected)
        counts = mandelbrot_pair(cuda.to_device(x), cuda.to_device(y), 50)
        assert np.array_equal(counts.copy_to_host(), expected)
    print("both count the same on device arrays")


if __name__ == "__main__":
    main()
