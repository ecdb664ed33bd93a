"""
Mass of the Z boson
===================

Pairs of muons from decays of Z bosons: the invariant mass of each pair, from eight columns of a
table of events. One ufunc takes all eight and passes over the memory once.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import numpy_plugin as npp

MUON_MASS = 0.1057  # GeV
Z_MASS, Z_WIDTH = 91.19, 2.50

# %%
# Simulated events: masses follow the resonance, the directions of the decay are uniform on a
# sphere, and the Z moves along the beam. The boost is a ufunc with two results.


@npp.vectorize(["float64, float64(float64, float64, float64)"])
def boosted(energy: float, momentum: float, rapidity: float) -> tuple[float, float]:
    """Energy and momentum along the beam, seen from a frame with the given rapidity."""
    cosh, sinh = math.cosh(rapidity), math.sinh(rapidity)
    return cosh * energy + sinh * momentum, sinh * energy + cosh * momentum


rng = np.random.default_rng(91)
n_events = 200_000
masses = Z_MASS + 0.5 * Z_WIDTH * np.tan(rng.uniform(-1.45, 1.45, n_events))
masses = np.clip(masses, 40.0, 150.0)
energy = masses / 2
momentum = np.sqrt(energy**2 - MUON_MASS**2)
cosine, phi = rng.uniform(-1, 1, n_events), rng.uniform(0, 2 * np.pi, n_events)
px = momentum * np.sqrt(1 - cosine**2) * np.cos(phi)
py = momentum * np.sqrt(1 - cosine**2) * np.sin(phi)
rapidity = rng.normal(0, 1.2, n_events)
first = (*boosted(energy, momentum * cosine, rapidity), px, py)
second = (*boosted(energy, -momentum * cosine, rapidity), -px, -py)

# %%
# The mass of a pair. The type signature has one result and eight operands.


@npp.vectorize(["dddddddd->d"])
def pair_mass(
    e1: float,
    z1: float,
    x1: float,
    y1: float,
    e2: float,
    z2: float,
    x2: float,
    y2: float,
) -> float:
    """Invariant mass of two particles in GeV."""
    return math.sqrt((e1 + e2) ** 2 - (x1 + x2) ** 2 - (y1 + y2) ** 2 - (z1 + z2) ** 2)


found = pair_mass(*first, *second)
np.testing.assert_allclose(found, masses, rtol=1e-9)

# %%
# A detector measures energies within 1.5 %. The histogram of measured masses is wider than the
# resonance.


@npp.vectorize(["float64(float64, float64)"])
def breit_wigner(mass: float, width: float) -> float:
    """Density of the resonance."""
    return 2 / (math.pi * width) / (1 + (2 * (mass - Z_MASS) / width) ** 2)


smeared = found * (1 + rng.normal(0, 0.015, n_events) / math.sqrt(2))
n_bins, limits = 126, (70.0, 112.0)
grid = np.linspace(70, 112, 600)

figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
axes.hist(smeared, n_bins, range=limits, histtype="stepfilled", alpha=0.4, label="measured")
axes.hist(found, n_bins, range=limits, histtype="step", linewidth=1.4, color="C3", label="true")
events_per_bin = n_events * (limits[1] - limits[0]) / n_bins * math.pi / 2.9
axes.plot(grid, events_per_bin * breit_wigner(grid, Z_WIDTH), "k--", label="resonance")
axes.set(xlabel="mass of the pair in GeV", ylabel="events", title=f"{n_events:,} pairs of muons")
axes.legend()
plt.show()
