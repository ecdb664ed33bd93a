"""The device of the tests of kernels: each has its own."""

import pytest

from numpy_plugin import cuda


@pytest.fixture
def device():
    with cuda.simulator() as made:
        yield made
