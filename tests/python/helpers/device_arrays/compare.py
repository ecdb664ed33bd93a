"""Comparison of NumPy's functions on device arrays with those on host arrays."""

import warnings

import numpy as np

from numpy_plugin import cuda


def to_device(values):
    """Return the device arrays of host arrays, also inside of lists and tuples."""
    if isinstance(values, (list, tuple)):
        return type(values)(to_device(each) for each in values)
    return cuda.to_device(values) if isinstance(values, np.ndarray) else values


def to_host(values):
    """Return the host arrays of device arrays, also inside of lists and tuples."""
    if isinstance(values, (list, tuple)):
        return [to_host(each) for each in values]
    return values.copy_to_host() if isinstance(values, cuda.DeviceArray) else values


def assert_same(found, expected, ulp=0):
    """Check values, shapes and dtypes; the structure of sequences as well."""
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other, ulp)
        return
    assert isinstance(found, (cuda.DeviceArray, bool)), type(found)
    found = np.asarray(to_host(found))
    expected = np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if ulp and expected.dtype.kind in "fc":
        bound = ulp * np.finfo(expected.dtype).eps
        np.testing.assert_allclose(found, expected, rtol=bound, atol=bound)
    else:
        np.testing.assert_array_equal(found, expected)


def check(function, *arrays, ulp=0):
    """Check that a function of arrays gives the same on the device as on the host."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(function(*to_device(arrays)), function(*arrays), ulp)


def check_error(function, *arrays):
    """Check that a function raises the same exception with the same text on the device."""
    errors = []
    for values in (arrays, to_device(arrays)):
        try:
            function(*values)
        except Exception as error:
            errors.append((type(error), str(error)))
    assert len(errors) == 2, "one of the calls does not raise"
    assert errors[0] == errors[1]
