"""Ufuncs for orbits."""

import numpy as np

__all__ = [
    "angular_separation",
    "eccentric_anomaly",
    "nearest",
    "rotated",
]

angular_separation: np.ufunc
eccentric_anomaly: np.ufunc
rotated: np.ufunc
nearest: np.ufunc
