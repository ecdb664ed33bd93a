"""
Degree days by month
====================

How much must a building be heated or cooled? Degree days add up by how many degrees each day is
below or above a base temperature. Kernels take the dates, and know the length of each month.
"""

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# Synthetic temperatures of ten years, each from a seed and its date alone: those of the middle of
# each month, with straight lines between them, and a sum of random numbers of five days as weather.

MIDDLES = np.array([0.5, 1.6, 5.4, 10.2, 14.6, 18.0, 20.1, 19.6, 15.4, 10.2, 5.2, 1.8])


@npp.guvectorize(["void(datetime64[D], float64[:], int64, float64[:])"], "(),(m),()->()")
def temperature(day, middles, seed, out):  # type: ignore[no-untyped-def]
    """Mean temperature of a day in degrees Celsius."""
    past = (npp.time.day(day) - 0.5) / npp.time.days_in_month(day) - 0.5
    month = npp.time.month(day) - 1
    other = (month + (1 if past > 0 else -1)) % 12
    weather = 0.0
    for k in range(5):
        weather += npp.random.normal(seed, int(day) + k)
    season = middles[month] + abs(past) * (middles[other] - middles[month])
    out[0] = season + 1.6 * weather


days = np.arange("2015-01-01", "2025-01-01", dtype="M8[D]")
degrees = temperature(days, MIDDLES, 7)

# %%
# NumPy's interpolation agrees; here the functions of ``npp.time`` are called as ufuncs.

middle = npp.time.month(days) + (npp.time.day(days) - 0.5) / npp.time.days_in_month(days)
expected = np.interp(middle, np.arange(1, 13) + 0.5, MIDDLES, period=12)
normal = npp.random.normal(7, np.arange(days.size + 4) + days[0].astype(np.int64))
expected += 1.6 * np.convolve(normal, np.ones(5), mode="valid")
np.testing.assert_allclose(degrees, expected, rtol=0, atol=1e-12)

# %%
# The sums of a month: the date of its first day finds where it begins, and a call with all months
# has two results for each.


@npp.guvectorize(
    ["void(float64[:], datetime64[D], datetime64[M], float64, float64[:], float64[:])"],
    "(n),(),(),()->(),()",
)
def degree_days(degrees, start, month, base, heating, cooling):  # type: ignore[no-untyped-def]
    """Degree days of heating and of cooling in a month; `degrees` are those from `start` on."""
    first = (month.astype("M8[D]") - start) // np.timedelta64(1, "D")
    heating[0] = cooling[0] = 0.0
    for i in range(first, first + npp.time.days_in_month(month)):
        heating[0] += max(base - degrees[i], 0.0)
        cooling[0] += max(degrees[i] - base, 0.0)


months = np.arange("2015-01", "2025-01", dtype="M8[M]").reshape(10, 12)
heating, cooling = degree_days(degrees, days[0], months, 18.0)
assert heating.shape == cooling.shape == (10, 12)

# %%
# The same sums from whole arrays.

place = npp.time.year(days) - 2015, npp.time.month(days) - 1
for found, below in ((heating, 18.0 - degrees), (cooling, degrees - 18.0)):
    expected = np.zeros((10, 12))
    np.add.at(expected, place, below.clip(0))
    np.testing.assert_allclose(found, expected, rtol=1e-12)

# %%
# Bars are means of the ten years, dots single years.

figure, (above, axes) = plt.subplots(
    2, 1, figsize=(9, 7), layout="constrained", height_ratios=[1, 1.6]
)
above.plot(days, degrees, linewidth=0.6)
above.axhline(18.0, color="gray", linestyle="--")
above.set(ylabel="degrees Celsius", title=f"{days.size:,} days, base 18 degrees")
at = np.arange(1, 13)
for sums, sign, label, color in ((heating, 1, "heating", "C0"), (cooling, -1, "cooling", "C3")):
    axes.bar(at, sign * sums.mean(axis=0), color=color, alpha=0.6, label=label)
    axes.plot(at, sign * sums.T, ".", color=color, markersize=5)
axes.axhline(0, color="black", linewidth=0.8)
axes.set(xlabel="month", xticks=at, ylabel="degree days", title="in a month, cooling downwards")
axes.legend()
plt.show()
