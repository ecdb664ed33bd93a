"""Places of arrays: CuPy's and PyCUDA's kernels take those of the host as well."""

import numpy as np
import pytest

from numpy_plugin import cuda


@pytest.fixture(params=["host", "device"])
def place(request):
    """Return functions that bring an array to a place, and back."""
    if request.param == "host":
        yield np.array, np.asarray
        return
    with cuda.simulator():
        yield cuda.to_device, lambda array: array.copy_to_host()
