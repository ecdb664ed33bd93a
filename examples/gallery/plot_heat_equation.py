"""
Heat equation
=============

Heat spreads through a plate with a hot wire and cold edges. A step in time is a stencil, written as
a generalized ufunc of a matrix; ``out=`` alternates between two arrays.
"""

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp
from numpy_plugin import float64

# %%
# The kernel sees the whole plate: its edges keep their temperature, and every other cell moves
# towards the mean of its neighbours. A Laplacian of four neighbours is stable for
# ``rate`` of at most 1/4.


@npp.guvectorize([(float64[:, :], float64, float64[:, :])], "(m,n),()->(m,n)")
def heat_step(t, rate, out):  # type: ignore[no-untyped-def]
    """One step in time."""
    m, n = t.shape
    for i in range(m):
        for j in range(n):
            if i == 0 or j == 0 or i == m - 1 or j == n - 1:
                out[i, j] = t[i, j]
            else:
                neighbours = t[i - 1, j] + t[i + 1, j] + t[i, j - 1] + t[i, j + 1]
                out[i, j] = t[i, j] + rate * (neighbours - 4.0 * t[i, j])


# %%
# Loop dimensions are plates: three materials are computed in one call.

plate = np.zeros((160, 240))
plate[60:100, 40:44] = 100.0
plate[30:34, 60:200] = 100.0
rates = np.array([0.02, 0.08, 0.24])

now = np.repeat(plate[np.newaxis], 3, axis=0)
after = np.empty_like(now)
for _ in range(400):
    heat_step(now, rates, out=after)
    now, after = after, now

# %%
# The same steps with slices of whole arrays give the same bits.

expected = np.repeat(plate[np.newaxis], 3, axis=0)
for _ in range(400):
    inner = expected[:, 1:-1, 1:-1]
    neighbours = expected[:, :-2, 1:-1] + expected[:, 2:, 1:-1]
    neighbours = neighbours + expected[:, 1:-1, :-2] + expected[:, 1:-1, 2:]
    expected[:, 1:-1, 1:-1] = inner + rates[:, None, None] * (neighbours - 4.0 * inner)
assert np.array_equal(now, expected)

# %%
figure, panels = plt.subplots(
    2, 2, figsize=(9, 6.4), layout="constrained", sharex=True, sharey=True
)
titles = ["at the beginning", *(f"after 400 steps, rate {rate}" for rate in rates)]
for axes, values, title in zip(panels.flat, [plate, *now], titles, strict=True):
    axes.imshow(values, cmap="inferno", vmin=0, vmax=60)
    axes.set_title(title)
figure.colorbar(panels[0, 0].images[0], ax=panels, label="temperature")
plt.show()
