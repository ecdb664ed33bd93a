"""NumPy's own tests of ufuncs, run with ufuncs of this package in the place of NumPy's."""
