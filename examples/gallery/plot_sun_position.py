"""
Position of the Sun
===================

Where is the Sun at a given time, seen from a given place? The algorithm of Michalsky (Solar Energy
40, 1988), which is that of the Astronomical Almanac, is accurate to 0.01 degrees from 1950 to 2050.
One ufunc, declared once, takes the time as ``datetime64`` and the latitude and longitude, as
numbers, arrays, or coordinates of xarray.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
import xarray as xr

import numpy_plugin as npp

# %%
# Constants of a kernel may be dates: J2000 is the time from which the algorithm counts days. The
# days are a quotient of two durations, with their fraction.

J2000 = np.datetime64("2000-01-01T12")


@npp.vectorize(["float64, float64, float64(datetime64[s], float64, float64)"])
def sun(t: np.datetime64, latitude: float, longitude: float) -> tuple[float, float, float]:
    """Declination in degrees, equation of time in minutes, elevation in degrees; t is in UTC."""
    n = (t - J2000) / np.timedelta64(1, "D")
    mean_longitude = 280.460 + 0.9856474 * n
    anomaly = math.radians(357.528 + 0.9856003 * n)
    ecliptic = math.radians(
        mean_longitude + 1.915 * math.sin(anomaly) + 0.020 * math.sin(2 * anomaly)
    )
    obliquity = math.radians(23.439 - 0.0000004 * n)
    ascension = math.degrees(
        math.atan2(math.cos(obliquity) * math.sin(ecliptic), math.cos(ecliptic))
    )
    declination = math.asin(math.sin(obliquity) * math.sin(ecliptic))
    early = (mean_longitude - ascension + 180) % 360 - 180
    utc = (t - t.astype("M8[D]")) / np.timedelta64(1, "h")
    sidereal = 6.697375 + 0.0657098242 * n + utc
    hour_angle = math.radians(15 * sidereal + longitude - ascension)
    place = math.radians(latitude)
    sine = math.sin(declination) * math.sin(place)
    sine += math.cos(declination) * math.cos(place) * math.cos(hour_angle)
    return math.degrees(declination), 4 * early, math.degrees(math.asin(min(max(sine, -1), 1)))


# %%
# A year of hours on a grid of places: one call on coordinates, which xarray broadcasts by their
# names. The results are arrays of xarray with these coordinates.

grid = xr.Dataset(
    coords={
        "time": np.arange("2024-01-01", "2025-01-01", dtype="M8[h]").astype("M8[s]"),
        "latitude": np.linspace(-90, 90, 37),
        "longitude": np.arange(-180.0, 180.0, 50.0),
    }
)
declination, equation, elevation = sun(grid.time, grid.latitude, grid.longitude)
assert elevation.sizes == {"time": 8784, "latitude": 37, "longitude": 8}
highest = elevation.sel(latitude=50).max("longitude").idxmax("time")
assert abs(highest - np.datetime64("2024-06-20T20:51")) < np.timedelta64(1, "D")

# %%
# The worked example of NREL's much longer algorithm (Reda and Andreas, 2004), and the equinoxes and
# solstices of 2024.

example = sun(np.datetime64("2003-10-17T19:30:30"), 39.742476, -105.1786)
error = np.abs(np.subtract(example, [-9.31434, 14.641503, 39.872046]))
assert np.all(error < [0.01, 0.04, 0.01])  # a turn of 0.01 degrees takes 0.04 minutes
seasons = ["2024-03-20T03:06", "2024-06-20T20:51", "2024-09-22T12:44", "2024-12-21T09:20"]
turning = sun(np.array(seasons, "M8[m]"), 0.0, 0.0)[0]
np.testing.assert_allclose(turning, [0, 23.44, 0, -23.44], atol=0.01)

# %%
# The Sun culminates earlier than the mean Sun by the equation of time; then it stands as high as
# the declination and the latitude say.

noons = grid.time[grid.time.dt.hour == 12]
noon_declination, minutes, _ = sun(noons, 0.0, 0.0)
transits = noons - np.rint(60 * minutes).astype("m8[s]")
at_transit = sun(transits, grid.latitude, 0.0)
xr.testing.assert_allclose(at_transit[2], 90 - abs(at_transit[0] - grid.latitude), atol=0.001)

# %%
# The mean over a day of the light on level ground, without the air and at the Sun's mean distance,
# has a closed form, too.

sines = np.sin(np.radians(elevation)).clip(0)
light = sines.mean("longitude").resample(time="D").mean()
tilt = np.radians(noon_declination).assign_coords(time=light.time)
place = np.radians(grid.latitude)
dusk = np.arccos((-np.tan(tilt) * np.tan(place)).clip(-1, 1))
daily = dusk * np.sin(tilt) * np.sin(place) + np.cos(tilt) * np.cos(place) * np.sin(dusk)
xr.testing.assert_allclose(light, daily / np.pi, atol=0.001)

# %%
# Day and night at the June solstice; the noon Sun of a year, an analemma, with a dot on the first
# day of each month; and the light by date and latitude.

x, y = np.linspace(-180, 180, 361), np.linspace(-90, 90, 181)[:, np.newaxis]
now = sun(np.datetime64(seasons[1]), y, x)[2]

figure = plt.figure(figsize=(10, 7.5), layout="constrained")
panels = figure.subplot_mosaic([["map", "map", "noon"], ["light", "light", "light"]])
filled = panels["map"].contourf(x, y[:, 0], now, levels=np.arange(-90, 91, 15), cmap="cividis")
panels["map"].contour(x, y[:, 0], now, levels=[0], colors="white")
figure.colorbar(filled, ax=panels["map"], label="elevation in degrees")
panels["map"].set(xlabel="longitude", ylabel="latitude", title=f"{seasons[1]} UTC")
first = (noons.dt.day == 1).values.nonzero()[0].tolist()
panels["noon"].plot(minutes, noon_declination, "o-", markevery=first)
panels["noon"].set(xlabel="minutes ahead", ylabel="declination", title="at mean noon, 2024")
watts = (1361 * light).T
filled = panels["light"].contourf(light.time, light.latitude, watts, levels=12, cmap="inferno")
figure.colorbar(filled, ax=panels["light"], label="watts per square metre")
panels["light"].set(ylabel="latitude", title=f"mean of each day, from {elevation.size:,} positions")
plt.show()
