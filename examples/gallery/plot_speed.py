"""
Speed over size
===============

``npp.benchmark`` compares a ufunc with other functions of the same operands: their values first,
then their speed. Its result draws itself. The numbers are those of the machine that built this
page; the repository's ``docs/benchmarks`` has measurements of an idle one.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

# %%
# The logistic function, beside the same expression of whole arrays, and SciPy's ufunc.


@npp.vectorize(["float32(float32)", "float64(float64)"])
def logistic(x: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-x))


found = npp.benchmark(
    logistic,
    np.linspace(-10, 10, 1000),
    against={"SciPy": "scipy.special.expit", "NumPy": lambda x: 1 / (1 + np.exp(-x))},
    sizes=[100, 1_000, 10_000, 100_000],
    threads=[1],
    rounds=5,
)

# %%
# All of them give the same values.

for row in found:
    assert row.relative is not None and row.relative < 1e-15, row

# %%
figure = found.plot()
plt.figure(figure)
plt.show()
