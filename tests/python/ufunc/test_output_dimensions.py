"""Core dimensions that only outputs have: their sizes come with `out`, as NumPy has it."""

import re

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

TABLE = """
def f(x, out):
    for i in range(len(out)):
        out[i] = 0.0
        for j in range(len(x)):
            out[i] += x[j] * (i + 1)
"""
UNSIZED = "f: Output operand 0 has core dimension 0 unspecified, with gufunc signature (n)->(m)"
HINT = (
    "  hint: pass out=, whose shape has the size of 'm', or declare a fixed size "
    "or an input with (m)"
)


@pytest.fixture(scope="module", params=["cpu", "parallel", "cuda", "lazy"])
def table(request):
    kernel = function(TABLE)
    if request.param == "lazy":
        return npp.guvectorize("(n)->(m)")(kernel)
    types = ["void(float64[:], float64[:])"]
    return npp.guvectorize(types, "(n)->(m)", target=request.param)(kernel)


@pytest.fixture(scope="module")
def on_device():
    return npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(m)")(function(TABLE))


def expected(x, n_outputs):
    return x.sum(axis=-1)[..., np.newaxis] * np.arange(1.0, n_outputs + 1)


@pytest.mark.parametrize("n_outputs", [0, 1, 4])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (5, 1, 0)])
def test_the_size_is_that_of_out(table, shape, n_outputs):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape) * 0.5
    out = np.full((*shape[:-1], n_outputs), np.nan)
    assert table(x, out=out) is out
    np.testing.assert_array_equal(out, expected(x, n_outputs))
    np.testing.assert_array_equal(table(x, out.copy()), out)


def test_axes_and_a_cast(table):
    x = np.arange(6.0).reshape(3, 2)
    out = np.zeros((4, 2), np.float32)
    table(x, out=out, axes=[0, 0])
    np.testing.assert_array_equal(out, expected(x.T, 4).T)


@pytest.mark.parametrize("out", [{}, {"out": None}, {"out": (None,)}])
def test_without_out_the_error_says_what_to_pass(table, out):
    with pytest.raises(ValueError, match=re.escape(UNSIZED)) as caught:
        table(np.ones(3), **out)
    assert caught.value.__notes__ == [HINT]
    np.testing.assert_array_equal(table(np.ones(3), np.empty(2)), [3.0, 6.0])


def test_other_errors_have_no_such_hint(table):
    with pytest.raises(ValueError, match="does not have enough dimensions") as caught:
        table(np.ones(3), out=np.float64(1)[...])
    assert not hasattr(caught.value, "__notes__")


def test_device_arrays(on_device):
    with cuda.simulator(memory="16 MiB"):
        check_on_device(on_device)


def check_on_device(on_device):
    x = np.arange(6.0).reshape(2, 3)
    out = cuda.to_device(np.zeros((2, 5)))
    assert on_device(cuda.to_device(x), out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), expected(x, 5))
    with pytest.raises(ValueError, match=re.escape(UNSIZED)) as caught:
        on_device(cuda.to_device(x))
    assert caught.value.__notes__ == [HINT]


def test_one_of_two_outputs_tells_the_size():
    source = """
def f(x, first, second):
    for i in range(len(first)):
        first[i] = x + i
        second[i] = x - i
"""
    types = ["void(float64, float64[:], float64[:])"]
    f = npp.guvectorize(types, "()->(m),(m)")(function(source))
    first = np.empty((2, 3))
    result = f([1.0, 10.0], out=(first, None))
    assert result[0] is first
    np.testing.assert_array_equal(result[1], [[1, 0, -1], [10, 9, 8]])
    with pytest.raises(ValueError, match="core dimension 0 unspecified"):
        f(1.0)


def test_a_numba_kernel_that_fills_a_histogram():
    source = """
def f(values, edges, counts):
    for i in range(len(counts)):
        counts[i] = 0
    for k in range(len(values)):
        for i in range(len(counts)):
            if edges[i] <= values[k] < edges[i + 1]:
                counts[i] += 1
"""
    types = ["void(float64[:], float64[:], int64[:])"]
    f = npp.guvectorize(types, "(n),(k)->(m)")(function(source))
    values, edges = np.array([0.5, 1.5, 1.7, 2.5]), np.array([0.0, 1.0, 2.0, 3.0])
    counts = np.empty(3, int)
    f(values, edges, out=counts)
    np.testing.assert_array_equal(counts, np.histogram(values, edges)[0])
