"""
Option prices
=============

The formula of Black and Scholes for European call options: one pass over strikes and times, with
the error function, and several results for each element.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
from scipy import special

import numpy_plugin as npp

# %%
# The distribution function of the normal distribution is a device function: a part of the kernels
# that call it.


@npp.device
def normal_cdf(x: float) -> float:
    """Probability that a standard normal number is below x."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@npp.vectorize(["float64, float64(float64, float64, float64, float64, float64)"])
def call_option(
    price: float, strike: float, years: float, rate: float, volatility: float
) -> tuple[float, float]:
    """Value of a call option, and its delta: the derivative by the price."""
    deviation = volatility * math.sqrt(years)
    d1 = (math.log(price / strike) + (rate + 0.5 * volatility**2) * years) / deviation
    delta = normal_cdf(d1)
    value = price * delta - strike * math.exp(-rate * years) * normal_cdf(d1 - deviation)
    return value, delta


# %%
# The surface of all strikes and times: a row and a column, broadcast.

strikes = np.linspace(60.0, 140.0, 161)
years = np.linspace(0.02, 2.0, 120)[:, np.newaxis]
value, delta = call_option(100.0, strikes, years, 0.03, 0.25)

# %%
# NumPy and SciPy agree.

deviation = 0.25 * np.sqrt(years)
d1 = (np.log(100.0 / strikes) + (0.03 + 0.5 * 0.25**2) * years) / deviation
expected = 100.0 * special.ndtr(d1) - strikes * np.exp(-0.03 * years) * special.ndtr(d1 - deviation)
np.testing.assert_allclose(value, expected, atol=1e-12, rtol=0)
np.testing.assert_allclose(delta, special.ndtr(d1), atol=1e-14, rtol=0)

# %%
figure = plt.figure(figsize=(10, 5), layout="constrained")
surface = figure.add_subplot(1, 2, 1, projection="3d")
surface.plot_surface(strikes, years, value, cmap="viridis", linewidth=0)
surface.set(xlabel="strike", ylabel="years", title="value")
axes = figure.add_subplot(1, 2, 2)
levels = axes.contourf(strikes, years[:, 0], delta, levels=20, cmap="RdYlBu_r")
figure.colorbar(levels, ax=axes)
axes.set(xlabel="strike", ylabel="years", title="delta")
plt.show()
