"""Eight operands: the invariant mass of a pair of particles, from eight columns of a table."""

import math

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float64(" + ", ".join(["float64"] * 8) + ")"])
def pair_mass(
    e1: float,
    px1: float,
    py1: float,
    pz1: float,
    e2: float,
    px2: float,
    py2: float,
    pz2: float,
) -> float:
    """Invariant mass of two particles from their energies and momenta."""
    return math.sqrt((e1 + e2) ** 2 - (px1 + px2) ** 2 - (py1 + py2) ** 2 - (pz1 + pz2) ** 2)


def main() -> None:
    rng = np.random.default_rng(1)
    momenta = rng.normal(scale=30.0, size=(2, 3, 100_000))
    muon_mass = 0.1057
    energies = np.sqrt(muon_mass**2 + np.sum(momenta**2, axis=1))
    first, second = ((energies[k], *momenta[k]) for k in (0, 1))

    mass = pair_mass(*first, *second)
    e, px, py, pz = (one + two for one, two in zip(first, second, strict=True))
    expected = np.sqrt(e**2 - px**2 - py**2 - pz**2)
    worst = np.testing.assert_array_max_ulp(mass, expected, maxulp=4).max()
    print(f"{mass.size:,} pairs, at most {worst:.0f} ulp from the NumPy expression")

    near_z = int(np.sum(np.abs(mass - 91.2) < 5.0))
    assert near_z == int(np.sum(np.abs(expected - 91.2) < 5.0))
    print("pairs within 5 of 91.2:", near_z)

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = pair_mass(*map(cuda.to_device, (*first, *second)))
        assert np.array_equal(on_device.copy_to_host(), mass)
    print("eight device arrays, one launch: the same bits")


if __name__ == "__main__":
    main()
