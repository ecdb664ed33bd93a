"""numpy.ma: masks of operands and results as with NumPy's ufuncs."""

import numpy as np
import pytest
from sample_ufuncs import SCALAR_UFUNCS, check_call, plus, running, split, total

import numpy_plugin as npp


def left():
    return np.ma.masked_array([3.0, 5.0, 8.0], mask=[0, 1, 0], fill_value=-1)


def right():
    return np.ma.masked_array([4.0, 12.0, 15.0], mask=[0, 0, 1])


def updated(f):
    array = left()
    f.at(array, [0], 4.0)
    return array


CALLS = {
    "two masked arrays": lambda f: f(left(), right()),
    "a number": lambda f: f(left(), 4.0),
    "a number first": lambda f: f(4, left()),
    "an array": lambda f: f(np.array([4.0, 12.0, 15.0]), left()),
    "data under the mask": lambda f: f(left(), right()).data[[0, 2]],
    "fill value": lambda f: f(left(), right()).fill_value,
    "the masked constant": lambda f: f(np.ma.masked, 1.0),
    "a hard mask": lambda f: f(np.ma.array([3.0, 5.0], mask=[1, 0], hard_mask=True), 12.0),
    "out= masked": lambda f: f(left(), right(), out=np.ma.zeros(3)),
    "out= plain": lambda f: f(left(), right(), out=np.zeros(3)),
    "where=": lambda f: f(left(), right(), where=[True, False, True], out=np.ma.zeros(3)),
    "dtype=": lambda f: f(left(), 4.0, dtype="float32"),
    "reduce": lambda f: f.reduce(np.ma.array([3.0, 4.0], mask=[0, 0])),
    "accumulate": lambda f: f.accumulate(np.ma.array([3.0, 4.0, 12.0])),
    "outer": lambda f: f.outer(left()[:1], right()[:1]),
    "at": updated,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls_and_methods(call, ufunc):
    check_call(call, ufunc, np.hypot)


def test_multiple_results():
    check_call(lambda f: f(left() / 2), split, np.modf)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_methods_compute_with_the_data_under_masks_as_numpys(method):
    check_call(lambda f: getattr(f, method)(left()), plus, np.add)


def test_generalized_ufuncs_of_one_size_keep_masks():
    assert running(left()).mask.tolist() == [False, True, False]
    for reducing in (total, lambda x: np.vecdot(x, x)):  # np.ma makes a mask of the inputs' shape
        with pytest.raises(ValueError, match="truth value"):
            reducing(left())


def test_domains_are_numpys_own():
    """np.ma masks what is outside the domain of NumPy's own functions; a ufunc has none."""

    @npp.vectorize(["float64(float64)"])
    def logarithm(x):
        return np.log(x)

    with np.errstate(invalid="ignore"):
        assert np.log(np.ma.array([-1.0, 1.0])).mask.tolist() == [True, False]
        result = logarithm(np.ma.array([-1.0, 1.0]))
    assert np.isnan(result.data[0]) and not np.any(result.mask)
    assert np.ma.masked_invalid(result).mask.tolist() == [True, False]
