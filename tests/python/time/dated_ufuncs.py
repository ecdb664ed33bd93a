"""Ufuncs of dates and durations, for a built module."""

import numpy as np

import numpy_plugin as npp


@npp.vectorize(["datetime64[s](datetime64[s], float64)"])
def later(t, hours):
    """Return the time some hours later."""
    return t + hours * np.timedelta64(3600, "s")


@npp.vectorize(
    [f"timedelta64[{unit}](datetime64[{unit}], datetime64[{unit}])" for unit in ("ns", "15m", "D")]
)
def elapsed(t, start):
    return t - start


@npp.vectorize(["int64(int64, int64)", "m8[s](m8[s], m8[s])"], identity=0)
def total(d, e):
    return d + e


@npp.vectorize(["datetime64[s](datetime64[s], datetime64[s])"], identity="reorderable")
def latest(t, u):
    return np.fmax(t, u)


@npp.vectorize(["int64(datetime64[D])", "int64(datetime64[s])"])
def checked_year(t):
    if np.isnat(t):
        raise ValueError(f"no year of {t}", t)
    return npp.time.year(t)


@npp.vectorize(["datetime64[M], timedelta64[s](datetime64[s], timedelta64[s])"])
def month_and_rest(t, d):
    month = t.astype("M8[M]")
    return month, t + d - month


@npp.guvectorize(["void(datetime64[s][:], timedelta64[s], int64[:])"], "(n),()->(n)")
def visits(t, gap, out):
    number = 0
    for i in range(len(t)):
        if i > 0 and t[i] - t[i - 1] > gap:
            number += 1
        out[i] = number
