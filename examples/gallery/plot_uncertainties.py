"""
Propagated uncertainties
========================

A pendulum measures gravity: from its length, its period and its amplitude, each with an error. What
is the error of the result? First order, by exact derivatives, beside Monte Carlo.
"""

import math
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# The period at an amplitude has an elliptic integral, which the arithmetic-geometric mean gives:
# a loop, as it is written in a textbook. It is differentiated as it stands.


@npp.vectorize(["float64(float64, float64, float64)"])
def gravity(length: float, period: float, amplitude: float) -> float:
    """Acceleration of gravity in m/s**2."""
    a, g = 1.0, math.cos(0.5 * amplitude)
    for _ in range(6):
        a, g = 0.5 * (a + g), math.sqrt(a * g)
    return length * (2.0 * math.pi / (period * a)) ** 2


measured = npp.propagate(gravity)

# %%
# One pendulum. The derivatives by length and period are simple: they make the sum of the squares
# known but for the amplitude's part.

value, deviation = measured(1.0, 2.0085, 0.2, 0.0005, 0.0004, 0.01)
print(f"g = {value:.4f} ± {deviation:.4f} m/s**2")
_, without_amplitude = measured(1.0, 2.0085, 0.2, 0.0005, 0.0004, 0.0)
np.testing.assert_allclose(without_amplitude, value * np.hypot(0.0005, 2 * 0.0004 / 2.0085))

# %%
# Monte Carlo agrees within its own error, and takes 20,000 draws for each result.

rng = np.random.default_rng(1673)
amplitudes = np.linspace(0.05, 1.5, 16)
n_draws = 20_000
start = perf_counter()
draws = gravity(
    rng.normal(1.0, 0.0005, n_draws),
    rng.normal(2.0085, 0.0004, n_draws),
    rng.normal(amplitudes[:, np.newaxis], 0.01, (16, n_draws)),
)
drawn = draws.std(axis=1)
seconds = perf_counter() - start
_, deviations = measured(1.0, 2.0085, amplitudes, 0.0005, 0.0004, 0.01)
start = perf_counter()
measured(1.0, 2.0085, amplitudes, 0.0005, 0.0004, 0.01)
ratio = seconds / (perf_counter() - start)
np.testing.assert_allclose(deviations, drawn, rtol=0.03)
print(f"Monte Carlo takes {ratio:,.0f} times as long.")

# %%
# Where the errors of length and period are correlated, as by one temperature, a coefficient for
# the pair is one more operand.

correlated = npp.propagate(gravity, correlation=[("length", "period")])
coefficients = np.linspace(-1, 1, 41)
_, together = correlated(1.0, 2.0085, 0.2, 0.0005, 0.0004, 0.0, coefficients)
np.testing.assert_allclose(together[-1], value * abs(0.0005 - 2 * 0.0004 / 2.0085), rtol=1e-9)
assert np.all(np.diff(together) < 0)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
left.plot(amplitudes, deviations, label="npp.propagate")
left.plot(amplitudes, drawn, "x", label=f"Monte Carlo, {n_draws:,} draws")
left.set(xlabel="amplitude in radians", ylabel="deviation of g in m/s²")
left.legend()
right.plot(coefficients, together)
right.set(xlabel="correlation of length and period", ylabel="deviation of g in m/s²")
plt.show()
