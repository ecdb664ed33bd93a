"""Tests of the installed library, which needs NumPy alone."""

import pickle
import sys

import numpy as np
import orbits
import pytest


def test_it_needs_numpy_alone() -> None:
    assert "numpy_plugin" not in sys.modules
    assert all(type(getattr(orbits, name)) is np.ufunc for name in orbits.__all__)


def test_separations() -> None:
    lon = np.linspace(0, np.pi, 7)
    np.testing.assert_allclose(orbits.angular_separation(0, 0, lon, 0), lon, atol=1e-15)
    assert orbits.angular_separation(np.float32(1), 0, 0, 0).dtype == np.float32
    assert orbits.angular_separation(0, np.pi / 2, 1, -np.pi / 2) == pytest.approx(np.pi)


def test_anomalies() -> None:
    mean, eccentricity = np.meshgrid(np.linspace(-3, 3, 101), np.linspace(0, 0.99, 12))
    anomaly = orbits.eccentric_anomaly(mean, eccentricity)
    np.testing.assert_allclose(anomaly - eccentricity * np.sin(anomaly), mean, atol=1e-13)


def test_hyperbolas_are_refused() -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1, found 1\.5") as raised:
        orbits.eccentric_anomaly([0.1, 0.2], [0.5, 1.5])
    assert raised.value.element == (1,)  # type: ignore[attr-defined]


def test_rotations() -> None:
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    vectors = np.random.default_rng(1).normal(size=(5, 3))
    np.testing.assert_array_equal(orbits.rotated(quarter, vectors), vectors @ quarter.T)


def test_reductions() -> None:
    assert orbits.nearest.reduce([3.0, np.nan, 2.0]) == 2.0
    assert orbits.nearest.reduce([]) == np.inf


def test_pickles() -> None:
    assert pickle.loads(pickle.dumps(orbits.rotated)) is orbits.rotated
