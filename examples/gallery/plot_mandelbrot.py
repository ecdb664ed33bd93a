"""
Mandelbrot set
==============

A loop whose length differs from element to element: the number of steps until a point leaves the
circle of radius 2, made continuous by the distance from which it leaves.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# The kernel is a scalar function with a ``while`` loop. On the CPU, points are computed side by
# side in lanes, and the rows of the picture by several threads.


@npp.vectorize(["float64(float64, float64, int64)"])
def escape_time(x: float, y: float, limit: int) -> float:
    """Steps until z*z + c leaves the circle of radius 16, with fraction; 0 if it never does."""
    re, im, n = x, y, 0
    while re * re + im * im < 256.0 and n < limit:
        re, im, n = re * re - im * im + x, 2.0 * re * im + y, n + 1
    if n == limit:
        return 0.0
    return n + 1 - math.log2(0.5 * math.log2(re * re + im * im) / 4.0)


# %%
# Broadcasting makes the plane: a row of real parts and a column of imaginary ones.

x = np.linspace(-2.1, 0.6, 900)
y = np.linspace(-1.2, 1.2, 800)[:, np.newaxis]
steps = escape_time(x, y, 300)

# %%
# The same points stay inside in a loop over whole arrays.

with np.errstate(over="ignore", invalid="ignore"):
    c = x[::10] + 1j * y[::10]
    z = c.copy()
    for _ in range(300):
        z = np.where(np.abs(z) < 16.0, z * z + c, z)
assert np.array_equal(steps[::10, ::10] == 0.0, np.abs(z) < 16.0)

# %%
figure, axes = plt.subplots(figsize=(9, 8), layout="constrained")
axes.imshow(
    np.sqrt(steps), extent=(-2.1, 0.6, -1.2, 1.2), origin="lower", cmap="magma", aspect="equal"
)
axes.set(xlabel="Re c", ylabel="Im c", title=f"{steps.size:,} points, up to 300 steps")
plt.show()
