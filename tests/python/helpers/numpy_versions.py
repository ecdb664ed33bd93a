"""Versions of NumPy whose functions differ where tests compare with them."""

from __future__ import annotations

import numpy as np

__all__ = ["BEFORE_2_4"]

# Kernels and devices follow NumPy 2.4 and newer in powers with constant exponents, `sinc` of
# float16, quantiles with integers and indices without elements.
BEFORE_2_4 = np.lib.NumpyVersion(np.__version__) < "2.4.0"
