"""`outer` of ufuncs on device arrays: NumPy's results and errors, in the caller's library."""

import warnings

import numpy as np
import pytest
from device_calls import UFUNCS, assert_same, assert_same_error, on_device
from foreign_arrays import CLASSES, Both, Interface
from long_runs import one_in

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["i8(i8, i8)", "f8(f8, f8)"], name="subtract")
def twice_subtracted(x, y):
    return x - 2 * y


@npp.vectorize(["f8(f8, f8)"], target="cuda")
def offloaded(x, y):
    return x - 2 * y


@npp.vectorize
def lazy(x, y):
    return x - y


TABLE = np.arange(6.0).reshape(2, 3)
ROW = np.array([4, -1, 2])
OPERANDS = [(TABLE, ROW), (ROW, TABLE[:, ::2]), (np.array(2.5), ROW), (ROW, np.array(3))]


@pytest.mark.parametrize("ufunc", [twice_subtracted, lazy, np.subtract, np.divmod, np.less])
def test_results_are_numpys(ufunc):
    for x, y in [*OPERANDS, (ROW[:0], TABLE)]:
        assert_same(lambda x, y: ufunc.outer(x, y), x=x, y=y)
    for number in (3, 1.5, np.float32(2), True, np.True_):
        assert_same(lambda x, n=number: ufunc.outer(x, n), x=TABLE)
        assert_same(lambda x, n=number: ufunc.outer(n, x), x=TABLE)


# With other operands each of them is called in test_device_operators.py.
@pytest.mark.parametrize(
    "name", one_in(4, sorted(name for name in UFUNCS if getattr(np, name).nin == 2))
)
def test_every_ufunc_of_numpy_with_two_inputs(name):
    ufunc = getattr(np, name)
    x, y = (
        np.array(values, ufunc.types[-1 if name == "ldexp" else 0][0]) for values in ([1, 0], [1])
    )
    if name == "ldexp":
        x, y = np.array([1.5, 2]), np.array([3])
    expected = np.atleast_1d(ufunc.outer(x, y))
    found = ufunc.outer(cuda.to_device(x), cuda.to_device(y))
    found = found if isinstance(found, tuple) else (found,)
    for one, other in zip(found, ufunc.outer(x, y) if ufunc.nout > 1 else (expected,), strict=True):
        np.testing.assert_allclose(one.copy_to_host(), other, rtol=1e-14)


def test_keywords():
    for ufunc in (twice_subtracted, np.subtract):
        assert_same(lambda x, y, f=ufunc: f.outer(x, y, dtype="f8"), x=ROW, y=ROW)
        assert_same(lambda x, y, f=ufunc: f.outer(x, y, signature="dd->d"), x=ROW, y=ROW)
        assert_same(lambda x, y, o, f=ufunc: f.outer(x, y, out=o), x=ROW, y=ROW, o=np.ones((3, 3)))
        assert_same(
            lambda x, y, o, m, f=ufunc: f.outer(x, y, out=o, where=m),
            **{"x": ROW, "y": ROW, "o": np.ones((3, 3)), "m": ROW > 0},
        )


WRONG = [
    lambda f, x, o: f.outer(x),
    lambda f, x, o: f.outer(x, x, x),
    lambda f, x, o: f.outer(x, x, out=o),
    lambda f, x, o: f.outer(x, x, out=[o]),
    lambda f, x, o: f.outer(x, x, axis=0),
    lambda f, x, o: f.outer(x, x, bogus=1),
    lambda f, x, o: f.outer(x, x, order="Q"),
    lambda f, x, o: f.outer(x, x, dtype="nothing"),
    lambda f, x, o: f.outer(x, x.astype("c16"), casting="no"),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_calls(call):
    for ufunc in (twice_subtracted, np.subtract):
        assert_same_error(lambda x, o, f=ufunc: call(f, x, o), x=ROW, o=np.ones((3, 2)))


def test_ufuncs_that_have_no_outer():
    one = npp.vectorize(["f8(f8)"])(lambda x: -x)
    dot = npp.guvectorize(["(f8[:], f8[:], f8[:])"], "(n),(n)->()")(_dot)
    for ufunc in (one, dot, np.negative, np.matmul):
        assert_same_error(lambda x, f=ufunc: f.outer(x, x), x=TABLE)


def _dot(x, y, out):
    out[0] = x[0] * y[0]


@pytest.mark.parametrize("cls", CLASSES)
def test_arrays_of_other_libraries(cls):
    expected = twice_subtracted.outer(TABLE, ROW)
    for x, y in (
        (cls(TABLE), cls(ROW)),
        (cls(TABLE), on_device(ROW)),
        (on_device(TABLE), cls(ROW)),
    ):
        np.testing.assert_array_equal(twice_subtracted.outer(x, y).copy_to_host(), expected)
    out = cls(np.zeros((2, 3, 3)))
    mask = TABLE[..., np.newaxis] > 2
    found = twice_subtracted.outer(cls(TABLE), cls(ROW), out=out, where=Interface(mask))
    assert found is out
    np.testing.assert_array_equal(out.copy_to_host(), np.where(mask, expected, 0))


def test_results_are_arrays_of_the_callers_library():
    assert type(twice_subtracted.outer(Both(TABLE), Both(ROW))) is Both
    assert type(twice_subtracted.outer(2.0, Both(ROW))) is Both
    assert type(twice_subtracted.outer(on_device(TABLE), Both(ROW))) is cuda.DeviceArray
    assert type(twice_subtracted.outer(Interface(TABLE), Interface(ROW))) is cuda.DeviceArray


def test_host_arrays_beside_device_arrays():
    expected = offloaded.outer(ROW, TABLE)
    for x, y in ((ROW, on_device(TABLE)), (on_device(ROW), TABLE)):
        np.testing.assert_array_equal(offloaded.outer(x, y).copy_to_host(), expected)
        with pytest.raises(TypeError, match="is a host array and others are on a device"):
            lazy.outer(x, y)


def test_no_warning_beside_numpys():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.add.outer(on_device(ROW), on_device(ROW))
