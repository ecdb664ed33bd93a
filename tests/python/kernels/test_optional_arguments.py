"""None and defaults as arguments of kernels in Python; what is None is known when they compile."""

from collections import namedtuple

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda, numba

pytestmark = pytest.mark.usefixtures("device")


@npp.device
def weighted(x, weight=None):
    if weight is None:
        weight = 2.5
    return x * weight


@cuda.kernel
def scale(out, x, mask=None, factor=3):
    i = cuda.grid(1)
    if i >= out.size:
        return
    if mask is not None and not mask[i]:
        out[i] = -1
    elif factor is None or x is None:
        out[i] = 0
    else:
        out[i] = factor * (x[i] if mask is None else x[i] + mask.shape[0])


X = np.arange(4.0)
MASK = np.array([True, False, True, True])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((X,), 3 * X),
        ((X, None, 2.5), 2.5 * X),
        ((X, MASK), np.where(MASK, 3 * (X + 4), -1)),
        ((None,), 0 * X),
        ((X, None, None), 0 * X),
    ],
)
def test_none_and_defaults(arguments, expected):
    out = np.full(4, np.nan)
    scale[1, 32](out, *arguments)
    np.testing.assert_array_equal(out, expected)


def test_none_in_tuples_and_in_device_functions():
    @cuda.kernel
    def k(out, p):
        out[0] = weighted(3, p.weight) + weighted(1)
        out[1] = len(p.sizes) if p.sizes[0] is None else p.sizes[0]

    Pair = namedtuple("Pair", "weight sizes")
    out = np.zeros(2)
    k[1, 1](out, Pair(None, (None, 7)))
    assert out.tolist() == [10.0, 2.0]
    k[1, 1](out, Pair(4, (5, None)))
    assert out.tolist() == [14.5, 5.0]


def test_a_name_that_is_none_gets_an_array():
    @cuda.kernel
    def k(out, weights):
        if weights is None:
            weights = np.ones(3)
        out[:] = out + weights

    out = np.zeros(3)
    k[1, 1](out, None)
    assert out.tolist() == [1.0, 1.0, 1.0]
    k[1, 1](out, X[:3])
    assert out.tolist() == [1.0, 2.0, 3.0]


def test_none_is_false_and_joins_conditions():
    @cuda.kernel
    def k(out, p):
        out[0] = p is None or out[0] > 3
        out[1] = (p is not None and out[1]) + 5
        if p:
            out[2] = 1
        elif not p and out[0] == 1:
            out[2] = 2
        while p is None:
            out[3] += 1
            if out[3] > 3:
                break
        for w in (None, out):
            if w is not None:
                w[3] += 10

    out = np.zeros(4)
    k[1, 1](out, None)
    assert out.tolist() == [1.0, 5.0, 2.0, 14.0]


def test_defaults_of_kernels_with_a_signature_and_of_numbas():
    @cuda.kernel("void(float64[:], float64)")
    def typed(out, n=4):
        out[0] = n

    @numba.cuda.jit
    def jitted(out, shape=(2, 3), fill=None):
        if fill is None:
            out[1] = shape[1]

    out = np.zeros(2)
    typed[1, 1](out)
    jitted[1, 1](cuda.to_device(out))
    jitted.specialize(out)[1, 1](out)
    assert out.tolist() == [4.0, 3.0]


def test_mistakes_are_named():
    @cuda.kernel("void(float64[:], float64)")
    def typed(out, n):
        out[0] = n

    @cuda.kernel
    def added(out, p):
        out[0] = p + 1

    out = np.zeros(2)
    with pytest.raises(TypeError, match="tuples and None are for kernels without a signature"):
        typed[1, 1](out, None)
    with pytest.raises(TypeError, match="'scale' takes 2 to 4 arguments, found 1"):
        scale[1, 1](out)
    with pytest.raises(TypeError, match="'added' takes 2 arguments, found 3"):
        added[1, 1](out, None, 1)
    with pytest.raises(npp.KernelError, match="'p' is None here") as caught:
        added[1, 1](out, None)
    assert caught.value.diagnostics[0].hint == "if p is not None:"


OFFSET = None


@pytest.mark.parametrize("target", ["cpu", "parallel", "cuda"])
def test_captured_values_may_be_none(target):
    factor = 3.0

    @npp.vectorize(["float64(float64)"], target=target)
    def f(x):
        y = x if OFFSET is None else x + OFFSET
        return weighted(y, factor if factor is not None else None) + weighted(y, OFFSET)

    assert f(np.arange(3.0)).tolist() == [0.0, 5.5, 11.0]
