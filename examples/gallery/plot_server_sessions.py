"""
Sessions in a server's log
==========================

A log has the time and the visitor of each request. Requests of a visitor belong to the same session
unless more than 30 minutes lie between them: a generalized ufunc of sorted times and a duration.
"""

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# A log of two weeks in the order of time. Visits begin more often in the afternoon, and requests of
# a visit follow each other after four minutes in the mean.

rng = np.random.default_rng(404)
start, n_visitors, n_visits = np.datetime64("2025-03-03T00:00:00"), 500, 4_000
begins = 86_400 * (rng.integers(0, 14, n_visits) + rng.beta(6, 4, n_visits))
elapsed = rng.exponential(240, (n_visits, 40)).cumsum(axis=1)
happens = np.arange(40) < rng.geometric(0.12, n_visits)[:, np.newaxis]
times = start + (begins[:, np.newaxis] + elapsed)[happens].astype("m8[s]")
visitors = np.repeat(rng.integers(0, n_visitors, n_visits), happens.sum(axis=1))
order = np.argsort(times, kind="stable")
times, visitors = times[order], visitors[order]

# %%
# The kernel sees all times of one visitor. A difference of two is a duration, which it compares
# with the gap; NaT ends the rows of those who have fewer requests than others.


@npp.guvectorize(["void(datetime64[s][:], timedelta64[s], int64[:])"], "(n),()->(n)")
def sessions(times, gap, out):  # type: ignore[no-untyped-def]
    """Number of the session of each of a visitor's sorted times, from 0; -1 of NaT."""
    session = 0
    for i in range(times.shape[0]):
        if i > 0 and times[i] - times[i - 1] > gap:
            session += 1
        out[i] = -1 if np.isnat(times[i]) else session


# %%
# A row for each visitor: all are computed in one call. The gap is in minutes; the call casts it to
# the unit of the loop, seconds.

order = np.lexsort((times, visitors))
counts = np.bincount(visitors, minlength=n_visitors)
filled = np.arange(counts.max()) < counts[:, np.newaxis]
rows = np.full(filled.shape, np.datetime64("NaT", "s"))
rows[filled] = times[order]

numbers = sessions(rows, np.timedelta64(30, "m"))
per_visitor = numbers.max(axis=1) + 1

# %%
# Whole arrays find the same first requests of sessions.

is_first = np.diff(numbers, axis=1, prepend=-1) > 0
later = np.diff(times[order]) > np.timedelta64(30, "m")
expected = np.append(True, later | (np.diff(visitors[order]) > 0))
assert np.array_equal(is_first[filled], expected)
assert np.array_equal(per_visitor, np.bincount(visitors[order][expected], minlength=n_visitors))
assert np.array_equal(numbers == -1, ~filled)

# %%
# A column of gaps gives the sessions by each of them. If it is longer than the pauses within a
# visit, the gap hardly matters.

gaps = np.arange(2, 91, 2).astype("m8[m]")
by_gap = sessions(rows, gaps[:, np.newaxis]).max(axis=2) + 1
assert np.array_equal(by_gap[gaps == np.timedelta64(30, "m")][0], per_visitor)

# %%
figure = plt.figure(figsize=(10, 7.5), layout="constrained")
panels = figure.subplot_mosaic([["visits"] * 2, ["begins"] * 2, ["count", "gap"]])
shown = numbers[:14] >= 0
who, _ = shown.nonzero()
panels["visits"].scatter(rows[:14][shown], who, 8, numbers[:14][shown] % 10, cmap="tab10")
panels["visits"].set(ylabel="visitor", title="requests, each session in a colour")
panels["visits"].set(xlim=(start, start + np.timedelta64(14, "D")), yticks=range(0, 14, 2))
hours = np.arange(start, start + np.timedelta64(15, "D"), np.timedelta64(1, "h"))
per_hour = np.histogram(rows[is_first].astype(np.int64), hours.astype(np.int64))[0]
panels["begins"].stairs(per_hour, hours, fill=True)
panels["begins"].set(ylabel="sessions", title=f"{per_visitor.sum():,} sessions by their first hour")
panels["begins"].sharex(panels["visits"])
panels["count"].bar(*np.unique(per_visitor, return_counts=True))
panels["count"].set(xlabel="sessions of a visitor", ylabel="visitors", xticks=range(0, 18, 2))
panels["gap"].plot(gaps.astype(np.int64), by_gap.sum(axis=1))
panels["gap"].axvline(30, color="gray", linestyle="--")
panels["gap"].set(xlabel="gap in minutes", ylabel="sessions", ylim=0)
plt.show()
