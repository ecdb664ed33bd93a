"""`...` among indices, the real and imaginary parts of arrays, and the truth of one element."""

import numpy as np
import pytest
from kernel_source import error_of, function

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("simulator")


def kernel(arguments: str, body: str):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return function(f"def f({arguments}):\n{lines}")


ELLIPSES = {
    "last": "out[:] = a[..., 1]",
    "last of a row": "out[0] = a[0][..., 1]\nout[1] = a[1, ..., 2]",
    "first": "out[:] = a[0, ...][:2]",
    "slice": "out[:] = a[..., 1:3].sum() + a[..., ::2].max()",
    "all": "out[...] = a[..., 0]",
    "stored": "out[...] = 3\nout[..., 0] = a[1, ..., 0]\nout[..., 1:] += 2",
    "no dimension": "out[0] = a[0, ..., 1]\nout[1] = a[..., 1, 1]",
    "whole": "out[...] = a[...][1, :2]",
}


@pytest.mark.parametrize("name", ELLIPSES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex64"])
def test_ellipsis(name, dtype):
    if dtype == "complex64" and name == "slice":
        pytest.skip("complex numbers have no order")
    python = kernel("a, out", ELLIPSES[name])
    f = npp.guvectorize([f"void({dtype}[:,:], {dtype}[:])"], "(m,n)->(m)")(python)
    rng = np.random.default_rng(1)
    a = rng.integers(0, 9, (3, 2, 4)).astype(dtype)
    expected = np.zeros((3, 2), dtype)
    for x, out in zip(a, expected, strict=True):
        python(x, out)
    for x in (a, np.repeat(a, 2, axis=2)[..., ::2], a[:, :, ::-1][:, :, ::-1]):
        np.testing.assert_array_equal(f(x), expected)
    np.testing.assert_array_equal(f(cuda.to_device(a)).copy_to_host(), expected)


PARTS = {
    "sums": "out[0] = a.real.sum() + 1j * a.imag.sum()",
    "elements": "out[0] = a.real[1] - a.imag[-1] + np.real(a[0])",
    "slices": "out[0] = a.real[1:].max() + a[::2].imag.min()",
    "views": "x = a.real\nout[0] = 0\nfor v in x:\n    out[0] += v",
    "stores": "out[:] = a\nout.real[0] = 7\nout.imag[1:] = a.real[1:]\nout.imag[0] += 2",
    "parts as a whole": "out.real = a.imag\nout.imag = 2\nout.real += 1\nout.imag -= a.real",
    "of an array of the kernel": "b = a * 2\nb.real[:] = 1\nb[1:].imag[0] = 5\nout[:] = b",
    "captured": "g = lambda i: a.imag[i]\nout[0] = g(0) + g(1)",
    "expressions": "out[:] = a.real * a.imag - (a * a).real",
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_parts_of_complex_arrays(name, dtype):
    python = kernel("a, out", PARTS[name])
    f = npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], "(n)->(n)")(python)
    a = np.array([[1 + 2j, 3 - 4j, -5 + 6j], [0.5j, 2, np.inf]], dtype)
    if name in ("of an array of the kernel", "expressions"):
        a[1, 2] = 9
    for x in (a, np.repeat(a, 2, axis=1)[:, ::2], a[:, ::-1]):
        expected = np.zeros_like(x)
        for row, out in zip(x, expected, strict=True):
            python(row, out)
        found = np.zeros_like(x)
        f(x, out=found)
        np.testing.assert_array_equal(found, expected)
    on_device = cuda.to_device(np.zeros_like(a))
    f(cuda.to_device(a), out=on_device)
    expected = np.zeros_like(a)
    for row, out in zip(a, expected, strict=True):
        python(row, out)
    np.testing.assert_array_equal(on_device.copy_to_host(), expected)


def test_parts_of_real_arrays():
    python = kernel("a, out", "out.real[0] = a.real[1]")
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(python)
    assert f(np.array([1.0, 2.0])) == 2


def test_atomic_operations_on_parts():
    @cuda.kernel
    def add(values, total):
        i = cuda.grid(1)
        if i < len(values):
            cuda.atomic.add(total.real, 0, values.real[i])
            cuda.atomic.add(total.imag, 0, values[i].imag)

    values = np.arange(40) * (1 + 2j)
    total = cuda.to_device(np.zeros(1, complex))
    add[2, 32](cuda.to_device(values), total)
    assert total.copy_to_host()[0] == values.sum()


TRUTHS = {
    "if": "out[0] = 1\nif a:\n    out[0] = 2",
    "not": "out[0] = not a",
    "and": "out[0] = 1 if a and b > 1 else 0",
    "conditional": "out[0] = 3 if a else 4",
    "while": "out[0] = 5\nwhile a and out[0] < 9:\n    out[0] += 1",
    "view": "out[0] = 1 if a[:1] else 0",
}


@pytest.mark.parametrize("name", TRUTHS)
def test_truth_of_one_element(name):
    python = kernel("a, b, out", TRUTHS[name])
    for dtype in ("float64", "int8", "bool", "complex64"):
        signature = f"void({dtype}[:], float64, float64[:])"
        f = npp.guvectorize([signature], "(n),()->()")(python)
        for number in (0, 1):
            a = np.array([number], dtype)
            expected = np.zeros(1)
            python(a, 2.0, expected)
            assert f(a, 2.0) == expected[0]
            assert f(cuda.to_device(a), 2.0).copy_to_host() == expected[0]
        if name == "view":
            continue
        for n, message in ((2, "more than one element"), (0, "an empty array is ambiguous")):
            with pytest.raises(ValueError, match=message):
                f(np.ones(n, dtype), 2.0)
        with pytest.raises(ValueError, match="more than one element"):
            f(cuda.to_device(np.ones(2, dtype)), 2.0).copy_to_host()


def test_messages():
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, "def f(a, out):\n    out[0] = a[..., 0, 0]\n")
    assert "a has 1 dimension, 2 indices given" in str(error)
    error = error_of(declare, "def f(a, out):\n    out[0] = a.imag[0]\n")
    assert "no 'imag'" in str(error)
    error = error_of(declare, "def f(a, out):\n    out.imag = a[0]\n")
    assert "out does not have imaginary part to set" in str(error)
