"""
Kepler orbits
=============

Where is a planet at a given time? Kepler's equation ``E - e sin E = M`` has no solution in closed
form: each element of an array needs its own number of steps of Newton's method.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# A ``while`` loop that ends when the step is below the rounding error.


@npp.vectorize(["float64(float64, float64)"])
def eccentric_anomaly(mean: float, eccentricity: float) -> float:
    """Solution E of Kepler's equation, in radians."""
    e = mean + 0.85 * eccentricity if math.sin(mean) > 0 else mean - 0.85 * eccentricity
    step = 1.0
    n = 0
    while abs(step) > 1e-14 and n < 50:
        step = (e - eccentricity * math.sin(e) - mean) / (1.0 - eccentricity * math.cos(e))
        e -= step
        n += 1
    return e


# %%
# A ufunc with two results calls it: ufuncs can be used in kernels of others.


@npp.vectorize(["float64, float64(float64, float64)"])
def position(mean: float, eccentricity: float) -> tuple[float, float]:
    """Place on the orbit with semi-major axis 1, with the sun in the origin."""
    e = eccentric_anomaly(mean, eccentricity)
    return (
        math.cos(e) - eccentricity,
        math.sqrt(1.0 - eccentricity * eccentricity) * math.sin(e),
    )


# %%
# A million anomalies satisfy the equation to rounding.

rng = np.random.default_rng(1609)
mean, eccentricity = rng.uniform(-np.pi, np.pi, 1_000_000), rng.uniform(0, 0.97, 1_000_000)
solution = eccentric_anomaly(mean, eccentricity)
np.testing.assert_allclose(solution - eccentricity * np.sin(solution), mean, atol=1e-14, rtol=0)

# %%
# Kepler's second law: the line from the sun to the planet sweeps equal areas in equal times. A
# column of eccentricities against a row of times gives all orbits in one call.

eccentricities = np.array([0.0, 0.3, 0.6, 0.9])
x, y = position(np.linspace(0, 2 * np.pi, 20_001), eccentricities[:, np.newaxis])
areas = 0.5 * (x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1])
equal = np.pi * np.sqrt(1 - eccentricities**2) / 20_000
np.testing.assert_allclose(areas, np.broadcast_to(equal[:, np.newaxis], areas.shape), rtol=1e-4)

# %%
# Dots at equal times: planets are fast where they are close to the sun.

x_dots, y_dots = position(np.linspace(0, 2 * np.pi, 25), eccentricities[:, np.newaxis])

figure, axes = plt.subplots(figsize=(9, 6.5), layout="constrained")
for k, value in enumerate(eccentricities):
    axes.plot(x[k], y[k], color=f"C{k}", label=f"eccentricity {value}")
    axes.plot(x_dots[k], y_dots[k], "o", color=f"C{k}", markersize=4)
axes.plot(0, 0, "*", color="gold", markeredgecolor="darkorange", markersize=18)
axes.set(aspect="equal", xlabel="x in semi-major axes", ylabel="y", title="24 equal times")
axes.legend(loc="upper left")
plt.show()
