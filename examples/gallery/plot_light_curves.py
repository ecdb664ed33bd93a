"""
Fits of light curves
====================

A star that passes in front of another one bends its light: for some weeks it is brighter. Surveys
have such curves by the hundred thousand. Here each is fitted by the method of Levenberg and
Marquardt, all in one call; the derivatives are made of the model.
"""

import math
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from scipy.optimize import curve_fit

import numpy_plugin as npp
from numpy_plugin import cuda

Array = npt.NDArray[np.float64]

# %%
# The model of Paczyński: the source passes the lens at a distance, in a duration.


@npp.vectorize(["float64(float64, float64, float64, float64)"])
def brightness(t: float, peak: float, duration: float, distance: float) -> float:
    """Brightness over that of the source alone."""
    x = (t - peak) / duration
    u = distance * distance + x * x
    return (u + 2.0) / math.sqrt(u * (u + 4.0))


slopes = npp.gradient(brightness)

# %%
# The kernel fits one curve. ``sums`` has the normal equations and, last, the sum of squares.


@npp.device
def add_point(sums: Array, t: float, y: float, p: Array) -> None:
    """Add a measurement to the normal equations of the parameters p."""
    j = npp.local_array(3, np.float64)
    _, j[0], j[1], j[2] = slopes(t, p[0], p[1], p[2])
    rest = y - brightness(t, p[0], p[1], p[2])
    for row in range(3):
        for column in range(3):
            sums[row, column] += j[row] * j[column]
        sums[row, 3] += j[row] * rest
    sums[3, 3] += rest * rest


@npp.device
def solve(sums: Array, damping: float, step: Array) -> None:
    """Solve the damped normal equations by elimination: they are positive definite."""
    m = npp.local_array((3, 4), np.float64)
    for row in range(3):
        for column in range(4):
            m[row, column] = sums[row, column]
        m[row, row] *= 1.0 + damping
    for pivot in range(3):
        for row in range(pivot + 1, 3):
            factor = m[row, pivot] / m[pivot, pivot]
            for column in range(pivot, 4):
                m[row, column] -= factor * m[pivot, column]
    for row in range(2, -1, -1):
        rest = m[row, 3]
        for column in range(row + 1, 3):
            rest -= m[row, column] * step[column]
        step[row] = rest / m[row, row]


@npp.guvectorize(
    ["void(float64[:], float64[:], float64[:], float64[:])"], "(n),(n),(p)->(p)", target="parallel"
)
def fit(t: Array, y: Array, start: Array, found: Array) -> None:
    """Parameters with the least sum of squares."""
    sums = npp.local_array((4, 4), np.float64)
    tried = npp.local_array((4, 4), np.float64)
    p = npp.local_array(3, np.float64)
    step = npp.local_array(3, np.float64)
    damping, least = 1e-3, math.inf
    for k in range(3):
        found[k] = start[k]
        step[k] = 0.0
    for _ in range(40):
        for k in range(3):
            p[k] = found[k] + step[k]
        tried[:] = 0.0
        for i in range(t.shape[0]):
            add_point(tried, t[i], y[i], p)
        if tried[3, 3] <= least:
            gain = least - tried[3, 3]
            least = tried[3, 3]
            sums[:] = tried
            found[:] = p
            damping *= 0.1
            if gain <= 1e-13 * least:
                break
        else:
            damping *= 10.0
        solve(sums, damping, step)


# %%
# A hundred thousand curves of 40 nights, with errors of a hundredth.

rng = np.random.default_rng(1986)
n_curves = 100_000
t = np.linspace(0.0, 100.0, 40)
true = rng.uniform([30, 10, 0.1], [70, 25, 0.8], (n_curves, 3))
curves = brightness(t, *(true[:, [k]] for k in range(3))) + rng.normal(0, 0.01, (n_curves, 40))
start = np.stack([t[curves.argmax(1)], np.full(n_curves, 15.0), 1 / curves.max(1)], axis=-1)

begin = perf_counter()
fitted = fit(t, curves, start)
seconds = (perf_counter() - begin) / n_curves

# %%
# SciPy fits a sample of them, one after the other and by differences, to the same parameters.

n_sample = 100
begin = perf_counter()
scipys = [curve_fit(brightness, t, y, p)[0] for y, p in zip(curves[:n_sample], start, strict=False)]
ratio = (perf_counter() - begin) / n_sample / seconds
np.testing.assert_allclose(np.abs(fitted[:n_sample]), np.abs(scipys), rtol=1e-4)
print(f"{n_curves:,} fits of {1e6 * seconds:.1f} µs; curve_fit takes {ratio:.0f} times as long.")

# %%
# Device arrays are fitted by one launch of the same kernel, here on a few curves.

with cuda.current_device() if cuda.is_available() else cuda.simulator():
    operands = (cuda.to_device(each) for each in (t, curves[:64], start[:64]))
    on_device = fit(*operands).copy_to_host()
np.testing.assert_allclose(np.abs(on_device), np.abs(fitted[:64]), rtol=1e-5)

# %%
# The errors are those that the noise makes: none of the fits has gone astray.

rest = curves - brightness(t, *(fitted[:, [k]] for k in range(3)))
deviation = np.sqrt((rest**2).sum(axis=1) / 37)
np.testing.assert_allclose(deviation.mean(), 0.01, rtol=0.01)
assert np.all(deviation < 0.02)

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
grid = np.linspace(0, 100, 500)
for k in range(4):
    left.plot(t, curves[k], ".", color=f"C{k}")
    left.plot(grid, brightness(grid, *fitted[k]), color=f"C{k}")
left.set(xlabel="days", ylabel="brightness", title=f"4 of {n_curves:,} curves")
right.hist2d(true[:, 2], np.abs(fitted[:, 2]), bins=100, cmap="viridis")
right.set(xlabel="true distance", ylabel="fitted distance")
plt.show()
