"""Outputs of generalized ufuncs that share memory with inputs: as if all were read beforehand."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

REVERSED = """
def f(x, out):
    n = len(x)
    for i in range(n):
        out[i] = x[n - 1 - i]
"""
MATVEC = """
def f(a, x, out):
    for i in range(a.shape[0]):
        out[i] = 0.0
        for j in range(a.shape[1]):
            out[i] += a[i, j] * x[j]
"""
DIFFERENCES = """
def f(x, forward, backward):
    n = len(x)
    for i in range(n):
        forward[i] = x[(i + 1) % n] - x[i]
        backward[i] = x[i] - x[i - 1]
"""
WAYS = ["declared", "lazy", "parallel"]


def declare(source, layout, types, way):
    if way == "lazy":
        return npp.guvectorize(layout)(function(source))
    target = "parallel" if way == "parallel" else "cpu"
    return npp.guvectorize([types], layout, target=target)(function(source))


@pytest.fixture(scope="module", params=WAYS)
def rev(request):
    return declare(REVERSED, "(n)->(n)", "void(float64[:], float64[:])", request.param)


@pytest.fixture(scope="module", params=WAYS)
def matvec(request):
    types = "void(float64[:,:], float64[:], float64[:])"
    return declare(MATVEC, "(m,n),(n)->(m)", types, request.param)


@pytest.fixture(scope="module", params=WAYS)
def differences(request):
    types = "void(float64[:], float64[:], float64[:])"
    return declare(DIFFERENCES, "(n)->(n),(n)", types, request.param)


# Position of the input in a (6, 4) array, and of the output.
VIEWS = {
    "in place": (np.s_[:], np.s_[:]),
    "one row": (np.s_[2], np.s_[2]),
    "no elements between": (np.s_[:, ::2], np.s_[:, ::2]),
    "shifted rows": (np.s_[:-1], np.s_[1:]),
    "rows shifted back": (np.s_[1:], np.s_[:-1]),
    "shifted elements": (np.s_[:, :-1], np.s_[:, 1:]),
    "rows in reverse": (np.s_[:], np.s_[::-1]),
    "elements in reverse": (np.s_[:], np.s_[:, ::-1]),
    "one row for all": (np.s_[0], np.s_[:]),
}


@pytest.mark.parametrize("view", VIEWS)
def test_reversed(rev, view):
    source, target = VIEWS[view]
    x = np.arange(24.0).reshape(6, 4)
    expected = x.copy()
    expected[target] = x[source][..., ::-1].copy()
    host = x.copy()
    rev(host[source], out=host[target])
    np.testing.assert_array_equal(host, expected)
    with cuda.simulator():
        device = cuda.to_device(x)
        rev(device[source], out=device[target])
        np.testing.assert_array_equal(device.copy_to_host(), expected)


def test_an_output_by_position_and_a_cast_one(rev):
    x = np.arange(4.0)
    assert rev(x, x) is x
    assert x.tolist() == [3, 2, 1, 0]
    narrow = np.arange(4, dtype=np.float32)
    rev(narrow, out=narrow)
    assert narrow.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("operand", ["matrix", "vector"])
def test_matvec_into_an_operand(matvec, operand):
    a, x = np.arange(9.0).reshape(3, 3), np.arange(1.0, 4)
    expected = a @ x
    host = (a.copy(), x.copy())
    out = host[1] if operand == "vector" else host[0][1]
    matvec(*host, out=out)
    np.testing.assert_array_equal(out, expected)
    with cuda.simulator():
        device = (cuda.to_device(a), cuda.to_device(x))
        out = device[1] if operand == "vector" else device[0][1]
        matvec(*device, out=out)
        np.testing.assert_array_equal(out.copy_to_host(), expected)


def test_each_of_two_outputs_in_place(differences):
    x = np.arange(5.0) ** 2
    forward, backward = differences(x)
    for place in (0, 1):
        y = x.copy()
        out = [None, None]
        out[place] = y
        results = differences(y, out=tuple(out))
        assert results[place] is y
        np.testing.assert_array_equal(results, [forward, backward])


def test_an_input_that_is_changed_and_an_output_beside_it():
    source = """
def f(x, out):
    for i in range(len(x)):
        out[i] = x[len(x) - 1 - i]
        x[i] = 0.0
"""
    types = "void(float64[:], float64[:])"
    f = npp.guvectorize([types], "(n)->(n)", writable_args=("x",))(function(source))
    x, out = np.arange(1.0, 5), np.empty(4)
    f(x, out=out)
    assert (x.tolist(), out.tolist()) == ([0, 0, 0, 0], [4, 3, 0, 0])
    with cuda.simulator():
        d, out = cuda.to_device(np.arange(1.0, 5)), cuda.device_array(4)
        f(d, out=out)
        assert (d.copy_to_host().tolist(), out.copy_to_host().tolist()) == (
            [0, 0, 0, 0],
            [4, 3, 0, 0],
        )


def test_a_layout_without_core_dimensions_is_elementwise():
    f = npp.guvectorize(["void(float64, float64[:])"], "()->()")(
        function("def f(x, out):\n    out[0] = x + 1\n")
    )
    x = np.arange(4.0)
    f(x, out=x, where=[True, False, True, False])
    assert x.tolist() == [1, 1, 3, 3]
