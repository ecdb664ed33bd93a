"""Times and rates of this package on a GPU, beside CuPy and torch."""
