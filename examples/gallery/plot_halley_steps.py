"""
Halley's method
===============

Kepler's equation ``E - e sin E = M`` once more, by a method that needs two derivatives. Nobody
writes them down: they are made of the residual, and called in the kernel that solves it.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# The residual, and its first and second derivative by the anomaly.


@npp.vectorize(["float64(float64, float64, float64)"])
def residual(anomaly: float, eccentricity: float, mean: float) -> float:
    """What is left of Kepler's equation."""
    return anomaly - eccentricity * math.sin(anomaly) - mean


slope = npp.derivative(residual, "anomaly")
curvature = npp.derivative(residual, "anomaly", order=2)
grid = np.linspace(0, np.pi, 200)
np.testing.assert_allclose(slope(grid, 0.6, 1.0), 1 - 0.6 * np.cos(grid), rtol=1e-15)
np.testing.assert_allclose(curvature(grid, 0.6, 1.0), 0.6 * np.sin(grid), rtol=1e-15)

# %%
# Steps of Newton's and of Halley's method: ``n_steps`` is an operand, so that one call has all
# numbers of steps.


@npp.vectorize(["float64(float64, float64, int64)"])
def newton(mean: float, eccentricity: float, n_steps: int) -> float:
    """Anomaly after some steps of Newton's method."""
    anomaly = mean + 0.85 * eccentricity
    for _ in range(n_steps):
        r = residual(anomaly, eccentricity, mean)
        anomaly -= r / slope(anomaly, eccentricity, mean)
    return anomaly


@npp.vectorize(["float64(float64, float64, int64)"])
def halley(mean: float, eccentricity: float, n_steps: int) -> float:
    """Anomaly after some steps of Halley's method."""
    anomaly = mean + 0.85 * eccentricity
    for _ in range(n_steps):
        r = residual(anomaly, eccentricity, mean)
        first = slope(anomaly, eccentricity, mean)
        second = curvature(anomaly, eccentricity, mean)
        anomaly -= 2.0 * r * first / (2.0 * first * first - r * second)
    return anomaly


mean = np.linspace(0.2, np.pi, 20_000)
solution = halley(mean, 0.6, 8)
np.testing.assert_allclose(residual(solution, 0.6, mean), 0.0, atol=2e-15)

# %%
# The solution has a derivative itself, through all steps of the loop: by the implicit function
# theorem it is known.

rate = npp.derivative(halley, "mean")(mean, 0.6, 8)
np.testing.assert_allclose(rate, 1 / (1 - 0.6 * np.cos(solution)), rtol=1e-13)

# %%
# The largest error after each step. Newton's method doubles the number of digits in a step,
# Halley's triples it.

steps = np.arange(6)
errors = {
    method.__name__: np.abs(method(mean, 0.6, steps[:, np.newaxis]) - solution).max(axis=1)
    for method in (newton, halley)
}
assert errors["halley"][3] < 1e-14 < errors["newton"][3]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
for name, error in errors.items():
    left.semilogy(steps, np.maximum(error, 1e-16), "o-", label=name)
left.set(xlabel="steps", ylabel="largest error of E", title="eccentricity 0.6")
left.legend()
right.plot(mean, solution, label="E")
right.plot(mean, rate, label="dE/dM")
right.set(xlabel="mean anomaly M")
right.legend()
plt.show()
