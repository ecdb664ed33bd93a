"""Arrays that device functions make and return: of constant sizes, and of those of arguments."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.device
def vector(x):
    return np.full(3, x, dtype=np.float32)


@npp.device
def multiples(x):
    if x < 0:
        return np.zeros(3)
    v = np.empty(3)
    for i in range(3):
        v[i] = x * i
    return v


@npp.device
def twice(x):
    return x * 2


@npp.device
def scaled(x, factor=2.0):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        out[i] = x[i] * factor
    return out


@npp.device
def outer(x, y):
    out = np.empty((x.shape[0], y.shape[0]))
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i, j] = x[i] * y[j]
    return out


@npp.device
def scaled_twice(x):
    return scaled(scaled(x), factor=3.0)


@npp.device
def sums_of_rows(m):
    sums = np.empty(m.shape[0])
    for i in range(m.shape[0]):
        sums[i] = np.sum(m[i])
    return sums


@npp.device
def of_argument_or_constant(x):
    if x[0] > 5:
        return np.array([1.0, 2.0, 3.0])
    return scaled(x)


def in_expressions(x, out):
    c = scaled(x)
    out[:] = twice(x) + c - scaled_twice(x) * vector(x[1])[2]


def in_loops(x, out):
    out[:] = 0
    for i in range(x.shape[0]):
        b = multiples(x[i] - 2)
        last = scaled(x, factor=x[i])
        out[i] = b[1] + b.sum() + last[0] + vector(i)[1]


def of_two_dimensions(x, out):
    d = outer(x, scaled(x))
    out[:] = d[1] + outer(x, x)[:, 2]


def of_a_closure(x, out):
    def pair(y):
        r = np.zeros(2)
        r[0] = y
        r[1] = x[0]
        return r

    for i in range(x.shape[0]):
        out[i] = pair(x[i]).sum() + pair(1.0)[0]


@npp.device
def difference(x, y):
    return x - y


def of_two_arguments(x, out):
    out[:] = 1
    out[:] = difference(x, difference(x, out))
    out[:] = difference(out, x[0] * x)


def of_views(x, out):
    out[:] = sums_of_rows(outer(x, x[1:]).T)[0] + sums_of_rows(outer(x, x))[::-1]


KERNELS = [of_views, of_two_arguments, in_expressions, in_loops, of_two_dimensions, of_a_closure]


def declared(kernel, dtype="float64"):
    return npp.guvectorize([f"void({dtype}[:], {dtype}[:])"], "(n)->(n)")(kernel)


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_pythons(kernel):
    x = np.arange(1.0, 13.0).reshape(3, 4)
    expected = np.zeros_like(x)
    for row, out in zip(x, expected, strict=True):
        kernel(row, out)
    f = declared(kernel)
    assert np.array_equal(f(x), expected)
    with cuda.simulator(memory="64 MiB"):
        assert np.array_equal(f(cuda.to_device(x)).copy_to_host(), expected)


def test_kernels_of_numbers_call_them_too():
    f = npp.vectorize(["float64(float64)"])(lambda x: multiples(x).sum() + vector(x)[0])
    x = np.array([1.0, -1.0, 2.5])
    assert np.array_equal(f(x), [multiples(each).sum() + each for each in x])


def test_a_constant_size_beside_that_of_an_argument_is_checked():
    def kernel(x, out):
        out[:] = of_argument_or_constant(x)

    f = declared(kernel)
    x = np.array([[1.0, 2.0, 4.0], [9.0, 2.0, 4.0]])
    assert np.array_equal(f(x), [[2.0, 4.0, 8.0], [1.0, 2.0, 3.0]])
    assert np.array_equal(f(x[:1, :2]), [[2.0, 4.0]])
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\)"):
        f(x[:, :2])


def test_arrays_are_new_ones():
    def kernel(x, out):
        a = multiples(x[0])
        b = multiples(x[1])
        a[0] = 100
        out[:] = a[0] + b[0]

    assert np.array_equal(declared(kernel)(np.array([1.0, 2.0])), [100.0, 100.0])


@npp.device
def of_a_number(n):
    return np.zeros(n)


@npp.device
def of_two_sizes(x):
    if x[0] > 0:
        return np.zeros(3)
    return np.zeros(4)


@npp.device
def later_ones(x, y):
    return x[1:]


@npp.device
def of_two_types(x):
    if x[0] > 0:
        return np.zeros(3)
    return np.zeros(3, np.int64)


@npp.device
def array_or_number(x):
    if x[0] > 0:
        return np.zeros(3)
    return 1.0


@npp.device
def array_or_argument(x):
    if x[0] > 0:
        return x
    return x * 2


CASES = [
    ("of_a_number(3)[0]", "an array cannot be returned"),
    ("later_ones(x, x)[0]", "an array cannot be returned"),
    ("later_ones(x, x.copy())[0]", "an array cannot be returned"),
    ("of_two_sizes(x)[0]", "an array cannot be returned"),
    ("of_two_types(x)[0]", "an array cannot be returned"),
    ("array_or_number(x)[0]", "an array cannot be returned"),
    ("array_or_argument(x)[0]", "'x [*] 2' and another value are returned"),
    ("of_a_number(x.shape[0])[0]", "an array cannot be returned"),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_others_are_errors(call, message, tmp_path):
    names = dict(globals())
    path = tmp_path / "kernel.py"
    path.write_text(f"def kernel(x, out):\n    out[0] = {call}\n")
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(npp.KernelError, match=message):
        declared(names["kernel"])
