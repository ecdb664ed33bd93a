"""guvectorize without signatures: compiled for each call's types, outputs typed by the body."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda


@pytest.fixture(scope="module")
def shifted():
    source = "def f(x, step, out):\n    for i in range(x.shape[0]):\n        out[i] = x[i] + step\n"
    return npp.guvectorize("(n),()->(n)")(function(source))


@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8", "c8"])
def test_the_output_has_the_type_of_what_is_stored(shifted, dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    result = shifted(x, np.ones(2, dtype))
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, x + 1)
    assert shifted(x, 2).dtype == (x + 2).dtype
    assert shifted.signature == "(n),()->(n)"


def test_a_call_with_out_as_numba_wants_it(shifted):
    x, out = np.arange(3.0), np.zeros(3, np.float32)
    assert shifted(x, 10, out) is out
    assert out.tolist() == [10, 11, 12]
    assert shifted(x, 10, out=out) is out
    with pytest.raises(TypeError, match="Cannot cast"):
        shifted(x, 10, np.zeros(3, np.int64))
    assert shifted(x, 10).dtype == np.float64


@pytest.mark.parametrize(
    ("body", "layout", "dtypes"),
    [
        ("out[0] = len(x)", "(n)->()", {"f4": "i8", "i1": "i8"}),
        ("out[0] = 0.5", "(n)->()", {"f4": "f8", "i1": "f8"}),
        ("out[0] = x[0] > 1", "(n)->()", {"f4": "?", "i8": "?"}),
        ("out[0] = x[0] / 2", "(n)->()", {"f4": "f4", "i4": "f8"}),
        ("out[0] = 0\n    out[0] += x[0]", "(n)->()", {"f4": "f4", "u1": "u1"}),
        ("out[0] = 0\n    out[0] += x[0] * 0.5", "(n)->()", {"f4": "f4", "i4": "f8"}),
        ("out[0] = x[0]\n    if x[0] > 1:\n        out[0] = 1j", "(n)->()", {"f4": "c8"}),
        ("out[0] = False\n    out[0] |= x[0] > 1", "(n)->()", {"f4": "?", "i8": "?"}),
        ("out[0] = False\n    out[0] = out[0] or x[0] > 1", "(n)->()", {"f4": "?", "u1": "?"}),
        ("out[0] = x[0] > 1\n    out[0] += x[0]", "(n)->()", {"f4": "f4", "?": "?"}),
    ],
)
def test_types_of_outputs(body, layout, dtypes):
    f = npp.guvectorize(layout)(function(f"def f(x, out):\n    {body}\n"))
    for given, expected in dtypes.items():
        assert f(np.ones(2, given)).dtype == expected


def test_two_outputs_of_two_types():
    source = "def f(x, total, n):\n    total[0] = 0.0\n    for i in range(len(x)):\n"
    source += "        total[0] += x[i]\n    n[0] = len(x)\n"
    total, n = npp.guvectorize(None, "(n)->(),()")(function(source))(np.ones((2, 3), np.float32))
    assert (total.dtype, n.dtype) == (np.float32, np.int64)
    assert (total.tolist(), n.tolist()) == ([3, 3], [3, 3])


def test_device_arrays(shifted):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    with cuda.simulator():
        result = shifted(cuda.to_device(x), np.float32(1))
        assert result.dtype == np.float32
        np.testing.assert_array_equal(result.copy_to_host(), x + 1)


def test_a_cpp_body_has_the_common_type():
    f = npp.guvectorize("(n)->()", body="out(0) = x(0) + x(1);", args="x", outs="out")
    assert f(np.array([1, 2], np.int8)) == 3
    assert f(np.array([1.5, 2], np.float32)).dtype == np.float32


def test_empty_signatures_are_none():
    f = npp.guvectorize([], "(n)->(n)")(function("def f(x, out):\n    out[0] = x[0]\n"))
    assert f(np.zeros(1, np.int16)).dtype == np.int16


def test_an_error_of_the_kernel_comes_with_the_call_and_the_next_call_works():
    f = npp.guvectorize("(n)->()")(function("def f(x, out):\n    out[0] = x[0] << 1\n"))
    with pytest.raises(npp.KernelError, match="'<<' needs integers"):
        f(np.ones(2))
    assert f(np.ones(2, np.int32)) == 2


def test_wrong_declarations():
    with pytest.raises(TypeError, match="guvectorize needs a layout"):
        npp.guvectorize(["void(float64[:], float64[:])"])
    with pytest.raises(npp.SignatureError, match="the layout has no '->'"):
        npp.guvectorize("(n)")(lambda x, out: None)
    message = "'f' takes 1 argument, the layout has 2\n"
    with pytest.raises(npp.SignatureError, match=message):
        npp.guvectorize("(n)->()")(function("def f(x):\n    x[0] = 1\n"))


def test_what_is_wrong_for_all_types_is_an_error_of_the_declaration():
    def f(x, n, out):
        out[0] = (x[0] << n[0]) + missing  # noqa: F821

    with pytest.raises(npp.KernelError) as caught:
        npp.guvectorize("(n),(n)->()")(f)
    assert [item.message for item in caught.value.diagnostics] == ["unknown name 'missing'"]


def test_a_kernel_that_only_different_types_fit_is_no_error_of_the_declaration():
    @npp.guvectorize("(n),(m),(n)->(n)")
    def f(x, index, mask, out):
        out[:] = -x * 0.5
        out[mask] = x[index[0]]

    mask = np.array([True, False, True])
    assert f(np.array([1.0, 2.0, 4.0]), np.array([2]), mask).tolist() == [4, -1, 4]
    with pytest.raises(npp.KernelError, match="an index must be an integer"):
        f(np.ones(3), np.ones(1), mask)
