"""Builds the extension module; everything else is in pyproject.toml."""

from setuptools import setup

from numpy_plugin import build

setup(ext_modules=build.extensions([("orbits._ufuncs", "declarations/ufuncs.py")]))
