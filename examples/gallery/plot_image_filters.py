"""
Image filters
=============

Filters of an image whose result is no weighted sum: a median removes single wrong pixels, a
bilateral filter smooths areas and keeps edges. Both are generalized ufuncs of a matrix.
"""

import math

import matplotlib.pyplot as plt
import numpy as np
from scipy import ndimage

import numpy_plugin as npp

# %%
# An image of circles and a gradient, with noise, and some pixels that are black or white.

y, x = np.mgrid[0:192, 0:256]
clean = 0.2 + 0.4 * x / 256
clean[(x - 80) ** 2 + (y - 70) ** 2 < 45**2] = 0.85
clean[(x - 170) ** 2 + (y - 120) ** 2 < 55**2] = 0.1
clean[(x - 170) ** 2 + (y - 120) ** 2 < 20**2] = 0.6
rng = np.random.default_rng(5)
image = clean + rng.normal(0, 0.06, clean.shape)
wrong = rng.random(clean.shape) < 0.04
image[wrong] = rng.choice([0.0, 1.0], wrong.sum())

# %%
# The median of 3 x 3 pixels: a local array and an insertion sort for each pixel.


@npp.guvectorize(["void(float64[:,:], float64[:,:])"], "(m,n)->(m,n)")
def median(image, out):  # type: ignore[no-untyped-def]
    """Median of each pixel and its eight neighbours; edges are repeated."""
    m, n = image.shape
    for i in range(m):
        for j in range(n):
            window = npp.local_array(9, np.float64)
            for k in range(9):
                row = min(max(i + k // 3 - 1, 0), m - 1)
                column = min(max(j + k % 3 - 1, 0), n - 1)
                value = image[row, column]
                place = k
                while place > 0 and window[place - 1] > value:
                    window[place] = window[place - 1]
                    place -= 1
                window[place] = value
            out[i, j] = window[4]


without_spots = median(image)
assert np.array_equal(without_spots, ndimage.median_filter(image, size=3, mode="nearest"))

# %%
# The bilateral filter: neighbours count less the farther they are, and the more they differ.


@npp.guvectorize(["void(float64[:,:], float64, float64, float64[:,:])"], "(m,n),(),()->(m,n)")
def bilateral(image, distance, difference, out):  # type: ignore[no-untyped-def]
    """Mean of 9 x 9 pixels with Gaussian weights of distance and difference."""
    m, n = image.shape
    for i in range(m):
        for j in range(n):
            total = weights = 0.0
            for row in range(max(i - 4, 0), min(i + 5, m)):
                for column in range(max(j - 4, 0), min(j + 5, n)):
                    away = ((row - i) ** 2 + (column - j) ** 2) / distance**2
                    unlike = (image[row, column] - image[i, j]) / difference
                    weight = math.exp(-0.5 * (away + unlike * unlike))
                    weights += weight
                    total += weight * image[row, column]
            out[i, j] = total / weights


smooth = bilateral(without_spots, 2.0, 0.15)

# %%
# Checked at some pixels with whole arrays.

for i, j in [(60, 50), (100, 128), (150, 200)]:
    rows, columns = slice(i - 4, i + 5), slice(j - 4, j + 5)
    away = ((y[rows, columns] - i) ** 2 + (x[rows, columns] - j) ** 2) / 4.0
    unlike = (without_spots[rows, columns] - without_spots[i, j]) / 0.15
    weight = np.exp(-0.5 * (away + unlike**2))
    expected = np.average(without_spots[rows, columns], weights=weight)
    np.testing.assert_allclose(smooth[i, j], expected, rtol=1e-12)

# %%
figure, panels = plt.subplots(2, 2, figsize=(9, 7), layout="constrained", sharex=True, sharey=True)
shown = {
    "without noise": clean,
    "noise and wrong pixels": image,
    "median": without_spots,
    "median, then bilateral": smooth,
}
for axes, (title, values) in zip(panels.flat, shown.items(), strict=True):
    axes.imshow(values, cmap="gray", vmin=0, vmax=1)
    error = np.sqrt(np.mean((values - clean) ** 2))
    axes.set_title(f"{title}: error {error:.3f}")
    axes.set_axis_off()
plt.show()
