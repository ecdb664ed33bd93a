"""Generalized kernels that change inputs in place, on the CPU and on device arrays."""

import pickle

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin._frontend import pickle as ufunc_pickle

SOURCE = """
def f(a, b, out):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i]
        a[i] = a[i] * 2 + b[i]
    out[0] = total
"""


@pytest.fixture(scope="module")
def doubled():
    signatures = ["void(float64[:], float64[:], float64[:])"]
    return npp.guvectorize(signatures, "(n),(n)->()", writable_args=("a",))(function(SOURCE))


@pytest.fixture(params=["host", "device"])
def place(request):
    """Where arrays are: a function that puts them there, one that brings them back."""
    if request.param == "host":
        yield np.copy, np.asarray
        return
    with cuda.simulator(memory="16 MiB"):
        yield cuda.to_device, lambda array: array.copy_to_host()


def test_the_input_is_changed(doubled, place):
    there, back = place
    a, b = np.arange(6.0).reshape(2, 3), np.ones(3)
    changed = there(a)
    totals = doubled(changed, there(b))
    assert back(totals).tolist() == [3.0, 12.0]
    np.testing.assert_array_equal(back(changed), 2 * a + 1)


def test_a_cast_or_strided_input_is_changed_too(doubled, place):
    there, back = place
    base = np.arange(12, dtype=np.float32).reshape(2, 6)
    changed = there(base)
    doubled(changed[:, ::2], there(np.ones(3)))
    expected = base.copy()
    expected[:, ::2] = expected[:, ::2] * 2 + 1
    np.testing.assert_array_equal(back(changed), expected)


def test_what_else_reads_the_array_finds_it_as_it_was(doubled, place):
    there, back = place
    a = np.arange(5.0)
    changed = there(a)
    doubled(changed, changed[::-1])
    np.testing.assert_array_equal(back(changed), 2 * a + a[::-1])


def test_an_input_that_would_be_changed_twice_is_refused(doubled, place):
    there, back = place
    changed = there(np.arange(3.0))
    with pytest.raises(ValueError, match="operand"):
        doubled(changed, there(np.ones((2, 3))))
    assert back(changed).tolist() == [0.0, 1.0, 2.0]


def test_an_input_that_cannot_be_written_is_refused(doubled):
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        doubled(frozen, np.ones(3))


def test_a_scalar_operand_as_numba_has_it():
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "()->()", writable_args=(0,))
    init = declare(function("def f(invals, outvals):\n    invals[0] = 6.5\n    outvals[0] = 4.2\n"))
    invals = np.zeros((3, 3))
    assert (init(invals) == 4.2).all()
    assert (invals == 6.5).all()


def test_every_target_and_front_end():
    options = {"args": "a", "outs": "out", "writable_args": ["a"]}
    body = "out(0) = a(0); a(0) = 7;"
    for target in ["cpu", "parallel", "cuda"]:
        f = npp.guvectorize("(n)->()", body=body, target=target, **options)
        a = np.arange(4.0).reshape(2, 2)
        with cuda.simulator(memory="16 MiB"):
            assert f(a).tolist() == [0.0, 2.0]
        assert a.tolist() == [[7, 1], [7, 3]]


def test_it_travels(doubled):
    data = pickle.dumps(doubled)
    ufunc_pickle._recent.clear()
    a = np.ones(2)
    pickle.loads(data)(a, np.ones(2))
    assert a.tolist() == [3, 3]


def test_outputs_may_be_named_too():
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()", writable_args=("out",))
    assert declare(function("def f(x, out):\n    out[0] = x[0]\n"))(np.ones(2)) == 1


def test_wrong_names():
    declare = npp.guvectorize("(n)->()", writable_args=("vales",))
    with pytest.raises(npp.SignatureError, match="'f' has no argument 'vales'") as caught:
        declare(function("def f(values, out):\n    out[0] = values[0]\n"))
    assert "did you mean 'values'?" in str(caught.value)
    with pytest.raises(npp.SignatureError, match="'f' has no argument '2'"):
        npp.guvectorize("(n)->()", writable_args=(2,))(function("def f(x, out):\n    out[0] = 1\n"))
    with pytest.raises(TypeError, match="vectorize has no argument 'writable_args'"):
        npp.vectorize(["float64(float64)"], writable_args=(0,))(lambda x: x)
