"""Declarations in the spellings of programs written for Numba: types of operands alone, layouts
without outputs, and functions inside of other objects."""

import functools

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda, float64, int64


def scaled(a, factor, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * factor


TYPES_OF_OPERANDS = [
    "float64[:], int64, float64[:]",
    "(float64[:], int64, float64[:])",
    "( float64[::1] , int64 , float64[:] , )",
    (float64[:], int64, float64[:]),
]


@pytest.mark.parametrize("types", TYPES_OF_OPERANDS)
def test_types_of_operands_alone(types):
    """A gufunc's signature lists inputs, then outputs, with or without `void`."""
    for signatures in ([types], types):
        ufunc = npp.guvectorize(signatures, "(n),()->(n)")(scaled)
        assert ufunc.types == ["dl->d"]
    assert ufunc([1.0, 2.0], 3).tolist() == [3.0, 6.0]


def test_results_left_out_are_inferred():
    halved = npp.vectorize(["(int64,)", "float64", "f4,"])(lambda x: x / 2)
    assert halved.types == ["l->d", "f->f", "d->d"]
    both = npp.vectorize(["(int64, int64)", "int64, int64(int64, int64)"])(
        lambda x, y: (x // y, x % y)
    )
    assert both.types == ["ll->ll"]
    assert [int(value) for value in both(7, 4)] == [1, 3]
    assert "int64" in npp.inspect(both).source("cpu", "(int64, int64)")


def test_a_body_needs_the_result():
    with pytest.raises(npp.SignatureError) as caught:
        npp.vectorize(["(float32, int64)"], args="x, y", body="return x;")
    assert "a signature for a C++ body names its result, found '(float32, int64)'" in str(
        caught.value
    )
    assert 'hint: "float32(float32, int64)"' in str(caught.value)


def test_results_of_two_counts():
    with pytest.raises(npp.SignatureError, match="signature 2 has 1 operand, signature 1 has 2"):
        npp.vectorize(["(int64, int64)", "(int64,)"])(lambda x, y: x)


@pytest.fixture(scope="module")
def shift():
    """A gufunc without outputs: it changes its first operand."""

    @npp.guvectorize(["(float64[:], int64)"], "(n),()", writable_args=("a",))
    def shift(a, offset):
        for i in range(a.shape[0]):
            a[i] += offset

    return shift


def test_a_layout_without_outputs(shift):
    assert (shift.nin, shift.nout, shift.signature) == (2, 0, "(n),()")
    values = np.zeros((2, 3))
    assert shift(values, [1, 2]) == ()
    assert values.tolist() == [[1.0] * 3, [2.0] * 3]


def test_a_layout_without_outputs_on_a_device(shift):
    with cuda.simulator():
        values = cuda.to_device(np.zeros((2, 3)))
        assert shift(values, cuda.to_device(np.array([1, 2]))) == ()
        assert values.copy_to_host().tolist() == [[1.0] * 3, [2.0] * 3]


@pytest.mark.parametrize("target", ["parallel", "cuda"])
def test_a_layout_without_outputs_for_a_target(target):
    def shift(a, offset):
        for i in range(a.shape[0]):
            a[i] += offset

    ufunc = npp.guvectorize("(n),()", writable_args=(0,), target=target)(shift)
    values = np.zeros((20_000, 3))
    with cuda.simulator():
        assert ufunc(values, 2.0) == ()
        assert (values == 2.0).all()
        narrow = values.astype(np.float32)
        assert ufunc(narrow, np.float32(1.0)) == ()
        assert (narrow == 3.0).all()


@npp.guvectorize("(x,y),(x,y),(x,y)")
def add_into(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i][j] = a[i, j] + b[i, j]


def test_inputs_that_a_kernel_assigns_are_changed():
    a = np.arange(10.0).reshape(2, 5)
    host = np.zeros((2, 5))
    assert add_into(a, a, host) == ()
    assert (host == 2 * a).all()
    with cuda.simulator():
        there = cuda.zeros((2, 5))
        add_into(cuda.to_device(a), cuda.to_device(a), there)
        assert (there.copy_to_host() == 2 * a).all()
    read_only = np.zeros((2, 5))
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        add_into(a, a, read_only)


def test_a_layout_without_outputs_changes_an_input():
    def unchanged(a, offset):
        del a, offset

    with pytest.raises(npp.SignatureError, match="the layout has no '->'"):
        npp.guvectorize(["(float64[:], int64)"], "(n),()")(unchanged)
    with pytest.raises(npp.SignatureError, match="the layout has no '->'"):
        npp.guvectorize(["(float64[:], int64)"], "(n),()", args="a, b", body="a(0) = b;")


class Compiled:
    """Stands for the objects that Numba's `jit` returns."""

    def __init__(self, function):
        self.py_func = function
        self.__name__ = function.__name__

    def __call__(self, *args):
        raise AssertionError("compiled by another library")


@Compiled
def doubled(x):
    return x * 2.0


@functools.lru_cache
def doubled_and_one(x):
    return doubled(x) + 1.0


def test_functions_inside_of_objects():
    """The kernel, and what it calls, may be kept as `py_func` or `__wrapped__`."""
    for kept in (Compiled(doubled_and_one), doubled_and_one, npp.device(doubled_and_one)):
        ufunc = npp.vectorize(["float64(float64)"])(kept)
        assert ufunc.__name__ == "doubled_and_one"
        assert ufunc(1.5) == 4.0


def test_static_methods():
    class Physics:
        @npp.vectorize
        @staticmethod
        def halved(x):
            return x / 2.0

    assert Physics().halved(3.0) == 1.5


def test_objects_around_other_things():
    for wrong in (classmethod(doubled_and_one), Compiled(abs)):
        with pytest.raises(npp.KernelError):
            npp.vectorize(["float64(float64)"])(wrong)
