"""Ctrl-C in a loop that never ends, for one element or for one lane of a block."""

import signal

import numpy as np
import pytest

import numpy_plugin as npp


@npp.vectorize(["float64(float64, float64)"], target="cpu")
def endless(x, y):
    while x > 0:
        x = x + y
    return x


@npp.vectorize(["float64(float64, float64)"], target="parallel")
def endless_parallel(x, y):
    while x > 0:
        x = x + y
    return x


@pytest.fixture
def interrupted_soon():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("f", [endless, endless_parallel])
@pytest.mark.parametrize("n", [1, 5, 40, 100_000])
@pytest.mark.usefixtures("interrupted_soon")
def test_an_element_that_never_ends(f, n):
    y = np.full(n, -1.0)
    y[n // 2] = 0
    with pytest.raises(KeyboardInterrupt):
        f(np.ones(n), y)
    assert np.array_equal(f(np.ones(40), -np.ones(40)), np.zeros(40))
