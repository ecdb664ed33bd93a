"""Dates, durations and ufuncs of them for tests with other libraries.

`elapsed` is compared with `np.subtract` and `later` with `np.add`, except where a library runs its
own operator for these, and `latest` with `np.maximum`.
"""

import numpy as np

import numpy_plugin as npp

TIMES = np.array(["2000-01-01T12:00:00", "1969-07-20T20:17:40", "NaT", "2000-02-29"], "M8[s]")
DAYS = np.array(["2000-01-01", "NaT", "1999-12-31", "2001-01-01"], "M8[D]")
GAPS = np.array([90, -1, "NaT", 0], "m8[m]")
NAT = np.iinfo(np.int64).min


@npp.vectorize(["timedelta64(datetime64, datetime64)"])
def elapsed(t, start):
    """`np.subtract`."""
    return t - start


@npp.vectorize(["datetime64(datetime64, datetime64)"])
def latest(t, u):
    """`np.maximum`."""
    return np.maximum(t, u)


@npp.vectorize(["datetime64(datetime64, timedelta64)"])
def later(t, d):
    """`np.add`."""
    return t + d


@npp.vectorize(["timedelta64(timedelta64, timedelta64)"], identity=0)
def plus(d, e):
    """`np.add`."""
    return d + e


@npp.vectorize(["datetime64[s](datetime64[s], float64)"])
def hours_later(t, hours):
    return t + hours * np.timedelta64(3600, "s")


@npp.vectorize(["datetime64[D](datetime64[D])"])
def day_of(t):
    return t


@npp.vectorize(["timedelta64, datetime64(datetime64, datetime64)"])
def both(t, u):
    return t - u, np.maximum(t, u)


@npp.guvectorize(["void(datetime64[:], datetime64[:])"], "(n)->()")
def newest(t, out):
    out[0] = t.max()


@npp.vectorize
def lazy_latest(t, u):
    return np.maximum(t, u)


@npp.vectorize
def lazy_elapsed(t, u):
    return t - u
