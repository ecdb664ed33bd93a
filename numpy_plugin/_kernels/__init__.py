"""Kernels as programs written for CuPy and PyCUDA declare them."""
