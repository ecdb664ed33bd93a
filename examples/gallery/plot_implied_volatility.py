"""
Implied volatility
==================

Which volatility makes the formula of Black and Scholes give the price that an option has in the
market? Newton's method finds it for each option; vega, the derivative that it needs, is made of
the formula.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp


@npp.device
def normal_cdf(x: float) -> float:
    """Probability that a standard normal number is below x."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@npp.vectorize(["float64(float64, float64, float64, float64)"])
def price(spot: float, strike: float, years: float, sigma: float) -> float:
    """Value of a European call option, without interest."""
    deviation = sigma * math.sqrt(years)
    d = math.log(spot / strike) / deviation
    above = normal_cdf(d + 0.5 * deviation)
    return spot * above - strike * normal_cdf(d - 0.5 * deviation)


# %%
# The derivatives that traders name: delta by the spot price, gamma by it twice, vega by sigma.

delta = npp.derivative(price, "spot")
gamma = npp.derivative(price, "spot", order=2)
vega = npp.derivative(price, "sigma")

strikes, years = np.linspace(70.0, 140.0, 400), np.linspace(0.1, 2.0, 300)[:, np.newaxis]
deviation = 0.25 * np.sqrt(years)
d = np.log(100.0 / strikes) / deviation + 0.5 * deviation
density = np.exp(-0.5 * d * d) / math.sqrt(2 * math.pi)
np.testing.assert_allclose(
    vega(100.0, strikes, years, 0.25), 100.0 * density * np.sqrt(years), rtol=1e-10
)
np.testing.assert_allclose(
    gamma(100.0, strikes, years, 0.25), density / (100.0 * deviation), rtol=1e-10
)

# %%
# Newton's method, from where vega is largest: there it converges from one side. A kernel calls
# the formula and its derivative in one pass.

price_and_vega = npp.value_and_derivative(price, "sigma")


@npp.vectorize(["float64(float64, float64, float64, float64)"], target="parallel")
def implied(paid: float, spot: float, strike: float, years: float) -> float:
    """Volatility at which a call option is worth what was paid."""
    sigma = max(math.sqrt(2.0 * abs(math.log(spot / strike)) / years), 0.1)
    for _ in range(50):
        value, slope = price_and_vega(spot, strike, years, sigma)
        step = (value - paid) / slope
        sigma -= step
        if abs(step) < 1e-12:
            break
    return sigma


# %%
# A market with a smile: options far from the spot price are dear. What it paid gives it back.

smile = 0.2 + 0.15 * np.log(strikes / 100.0) ** 2 / np.sqrt(years) - 0.05 * np.log(strikes / 100.0)
paid = price(100.0, strikes, years, smile)
found = implied(paid, 100.0, strikes, years)
np.testing.assert_allclose(found, smile, atol=1e-9)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
levels = left.contourf(strikes, years[:, 0], found, levels=20, cmap="viridis")
figure.colorbar(levels, ax=left)
left.set(xlabel="strike", ylabel="years", title=f"implied volatility of {found.size:,} options")
for name, values in (
    ("delta", delta(100.0, strikes, 0.5, 0.2)),
    ("20 gamma", 20 * gamma(100.0, strikes, 0.5, 0.2)),
    ("vega / 30", vega(100.0, strikes, 0.5, 0.2) / 30),
):
    right.plot(strikes, values, label=name)
right.set(xlabel="strike", title="half a year, sigma 0.2")
right.legend()
plt.show()
