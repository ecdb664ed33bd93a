"""Kernels that raise, in lane blocks: the first element of all decides."""

import numpy as np
import pytest
from lane_kernels import refusing


@pytest.mark.parametrize("n", [1, 7, 20, 32, 100, 1000])
def test_first_element_that_raises(n):
    x, y = np.zeros(n), np.ones(n)
    first = n * 2 // 3
    y[first:] = -np.arange(1, n - first + 1)
    x[first] = 0.25
    with pytest.raises(ValueError, match=r"y is -1.0 after 0") as caught:
        refusing(x, y)
    assert f"for element {first}," in caught.value.__notes__[0]


def test_no_element_raises():
    assert np.array_equal(refusing([200.0] * 50, [-1.0] * 50), [200.0] * 50)


def test_an_element_that_raises_late():
    x, y = np.zeros(64), np.ones(64)
    y[40] = -0.75
    with pytest.raises(ValueError, match=r"y is -0.75 after 0"):
        refusing(x, y)
