"""Random kernels, run in plain Python over NumPy's arrays of length 1 and on every target."""
