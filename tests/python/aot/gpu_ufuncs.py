"""A ufunc whose device code is compiled for several architectures."""

import numpy_plugin as npp


@npp.vectorize(["float64(float64)"])
def doubled(x):
    return 2 * x
