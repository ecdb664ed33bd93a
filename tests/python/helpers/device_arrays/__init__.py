"""Comparisons of functions on device arrays with NumPy's."""
