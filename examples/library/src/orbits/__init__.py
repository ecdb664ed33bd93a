"""Ufuncs for orbits: their extension module was compiled from declarations/ufuncs.py."""

from orbits._ufuncs import angular_separation, eccentric_anomaly, nearest, rotated

__all__ = ["angular_separation", "eccentric_anomaly", "nearest", "rotated"]
