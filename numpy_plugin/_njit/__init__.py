"""Ufuncs in functions that Numba compiles with `njit`."""
