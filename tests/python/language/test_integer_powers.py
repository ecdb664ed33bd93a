"""Integers to negative powers: NumPy's error on every target, where an exponent may be negative."""

import operator

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

TEXT = r"^Integers to negative integer powers are not allowed\."
BASES = np.arange(-3, 61, dtype=np.int64)


@npp.device
def scaled(x, k):
    return x * 10**k


FORMS = {
    "operator": lambda x, k: x**k,
    "scale": lambda x, k: x * 10**k,
    "np.power": lambda x, k: np.power(x, k),
    "pow": lambda x, k: pow(x, k),
    "operator.pow": lambda x, k: operator.pow(x, k),
    "device function": lambda x, k: scaled(x, k) + 1,
}


def exponents(at):
    k = np.arange(BASES.size) % 4
    k[at] = -1
    return k


def element_of(call, *args):
    with pytest.raises(ValueError, match=TEXT) as caught:
        call(*args)
    return caught.value.element


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("signatures", [["int64(int64, int64)"], None], ids=["declared", "lazy"])
def test_a_negative_exponent_is_numpys_error(form, signatures):
    f = npp.vectorize(signatures)(FORMS[form])
    k = np.arange(BASES.size) % 4
    np.testing.assert_array_equal(f(BASES, k), FORMS[form](BASES, k))
    assert element_of(f, BASES, exponents(37)) == (37,)
    with cuda.simulator(memory="64 MiB"):
        on_device = [cuda.to_device(BASES), cuda.to_device(exponents(5))]
        assert element_of(f, *on_device) == (5,)


def test_steps_that_a_kernel_does_not_take_raise_nothing():
    @npp.vectorize(["float64(int64, int64)"])
    def power(x, k):
        return x**k if k >= 0 else 1.0 / x**-k

    x, k = np.array([2, 3, 5]), np.array([-1, 2, -3])
    np.testing.assert_allclose(power(x, k), [0.5, 9, 0.008])
    assert power(2, -3, where=False, out=np.ones(())) == 1.0


def test_elements_of_arrays_and_augmented_assignments():
    @npp.guvectorize(["void(int64[:], int64[:], int64[:])"], "(n),(n)->(n)")
    def powers(x, k, out):
        out[:] = x**k
        out[0] **= k[0]

    x = np.array([[2, 3], [4, 5]])
    np.testing.assert_array_equal(powers(x, [2, 3]), [[16, 27], [256, 125]])
    assert element_of(powers, x, [[2, 3], [1, -2]]) == (1,)


def test_operators_of_device_arrays():
    with cuda.simulator(memory="64 MiB"):
        x = cuda.to_device(BASES)
        for call in (operator.pow, np.power):
            with pytest.raises(ValueError, match=TEXT):
                call(x, cuda.to_device(exponents(3)))
            with pytest.raises(ValueError, match=TEXT):
                call(x, -1)
        np.testing.assert_array_equal((x**3).copy_to_host(), BASES**3)


@npp.guvectorize(["void(int64[:], int64, int64[:])"], "(n),()->(n)")
def never_negative(x, n, out):
    for k in range(n):
        out[k] = x[k] ** k + 2 ** (k // 2)
    for k in range(3, -1, -1):
        out[k] += x[k] ** (2 * k) + 3 ** (x.shape[0] % 2) + x[k] ** np.uint8(k)


def test_exponents_that_are_never_negative_cost_nothing():
    checked = npp.vectorize(["int64(int64, int64)"])(FORMS["pow"])
    assert "NPP_RAISING" in npp.inspect(checked).source("cuda")
    assert "NPP_RAISING" not in npp.inspect(never_negative).source("cuda")
    x = np.array([2, 3, 4, 5])
    expected = [v**k + 2 ** (k // 2) + v ** (2 * k) + 1 + v**k for k, v in enumerate(x.tolist())]
    np.testing.assert_array_equal(never_negative(x, 4), expected)
