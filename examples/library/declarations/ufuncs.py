"""Ufuncs for orbits."""

import math
from typing import Any

import numpy as np

import numpy_plugin as npp


@npp.vectorize([npp.float32, npp.float64])
def angular_separation(lon1: float, lat1: float, lon2: float, lat2: float) -> Any:
    """Angle between two points on a sphere, in radians (the formula of Vincenty)."""
    difference = lon2 - lon1
    east = math.cos(lat2) * math.sin(difference)
    north = math.cos(lat1) * math.sin(lat2) - math.sin(lat1) * math.cos(lat2) * math.cos(difference)
    along = math.sin(lat1) * math.sin(lat2) + math.cos(lat1) * math.cos(lat2) * math.cos(difference)
    return math.atan2(math.sqrt(east * east + north * north), along)


@npp.vectorize(["float64(float64, float64)"])
def eccentric_anomaly(mean: float, eccentricity: float) -> Any:
    """Solution E of Kepler's equation, mean = E - eccentricity * sin(E), by Newton's method."""
    if not 0 <= eccentricity < 1:
        raise ValueError(f"an ellipse has an eccentricity from 0 to 1, found {eccentricity}")
    anomaly = mean + eccentricity * math.sin(mean)
    for _ in range(50):
        error = anomaly - eccentricity * math.sin(anomaly) - mean
        step = error / (1 - eccentricity * math.cos(anomaly))
        anomaly -= step
        if abs(step) < 1e-15 * (1 + abs(anomaly)):
            break
    return anomaly


@npp.guvectorize(["void(float64[:,:], float64[:], float64[:])"], "(3,3),(3)->(3)")
def rotated(matrix: Any, vector: Any, out: Any) -> None:
    """Product of a rotation matrix and a vector."""
    for row in range(3):
        total = 0.0
        for column in range(3):
            total += matrix[row, column] * vector[column]
        out[row] = total


@npp.vectorize(["float64(float64, float64)"], identity=np.inf)
def nearest(first: float, second: float) -> Any:
    """The smaller of two distances, of which nan is none."""
    return np.fmin(first, second)
