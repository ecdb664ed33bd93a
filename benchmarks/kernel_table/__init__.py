"""Kernels on the CPU beside NumPy, numexpr, Numba and JAX: tables and plots of `make bench`."""
