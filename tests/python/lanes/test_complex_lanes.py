"""Kernels of complex numbers in lanes, as kernels of real and imaginary parts: the same values."""

from __future__ import annotations

import math

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]


def escape(c, n):
    z = 0j
    for i in range(n):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
        z = z * z + c
    return n


def julia(z, c):
    n = 0
    while n < 50 and z.real**2 + z.imag**2 <= 4:
        z = z**2 + c
        n += 1
    return n


def newton(z, n):
    for _ in range(n):
        w = z * z
        if abs(w.real) + abs(w.imag) > 100.0:
            break
        z = w * z - 1 if w.real > 0 else z.conjugate() * w + z
    return -z


def found_root(z, c):
    for i in range(20):
        if z == c or z != z or not z:
            return complex(i, z.imag), i
        z = (z + c) * 0.5
    return z, -1


def of_real_numbers(x, y):
    if x != 0.0 and y > 0.0:
        imag = x * y
    elif x != 0.0:
        imag = x if abs(y) > 1e-2 else 0.0
    else:
        imag = 0.0
    return x * y + 1j * imag


def of_joined_numbers(x, y):
    c = complex(x, y)
    z = 0j
    for i in range(20):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return i
        z = z * z + c
    return -1


def raises(z, n):
    for i in range(n):
        if z.real > 3:
            raise ValueError(f"{i} trips")
        z = z * 1.5
    return z


COMPLEX = ("complex128", "complex64")
KERNELS = {
    escape: ("int64({0}, int64)", COMPLEX),
    julia: ("int32({0}, {0})", COMPLEX),
    newton: ("{0}({0}, int64)", COMPLEX),
    found_root: ("({0}, int64)({0}, {0})", COMPLEX),
    of_real_numbers: ("complex128({0}, {0})", ("float64",)),
    of_joined_numbers: ("int8({0}, {0})", ("float64",)),
}
CASES = [(kernel, dtype) for kernel, (_, dtypes) in KERNELS.items() for dtype in dtypes]


def declared(kernel, dtype):
    return npp.vectorize([KERNELS[kernel][0].format(dtype)])(kernel)


def operands(kernel, dtype, n):
    rng = np.random.default_rng(11)
    parts = rng.normal(size=(4, n)) * rng.integers(-1, 2, (4, n))
    special = [0.0, -0.0, math.nan, math.inf, -math.inf, 1e-310, 1e300]
    parts[:, : 2 * len(special)] = rng.choice(special, (4, min(n, 2 * len(special))))
    if dtype == "float64":
        return parts[0], parts[1]
    first, second = parts[0] + 1j * parts[1], parts[2] + 1j * parts[3]
    if kernel in (escape, newton):
        return first.astype(dtype), np.int64(30)
    return first.astype(dtype), second.astype(dtype)


def one_by_one(f, *arrays):
    """The results of calls with one element each, which have no lanes."""
    rows = np.broadcast_arrays(*arrays)
    calls = [f(*(row[i] for row in rows)) for i in range(len(rows[0]))]
    return [np.array(each) for each in (zip(*calls, strict=True) if f.nout > 1 else [calls])]


def all_of(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(("kernel", "dtype"), CASES)
def test_lanes_have_the_values_of_single_calls(kernel, dtype):
    f = declared(kernel, dtype)
    assert "lane blocks" in npp.inspect(f).host_form()
    for n in (1, 2, 7, 15, 200):
        arrays = operands(kernel, dtype, max(n, 14))
        arrays = tuple(each[-n:] if np.ndim(each) else each for each in arrays)
        expected = one_by_one(f, *arrays)
        for found, known in zip(all_of(f(*arrays)), expected, strict=True):
            np.testing.assert_array_equal(found, known)
        strided = tuple(np.repeat(each, 3)[1::3] if np.ndim(each) else each for each in arrays)
        for found, known in zip(all_of(f(*strided)), expected, strict=True):
            np.testing.assert_array_equal(found, known)


@pytest.mark.parametrize("kernel", KERNELS)
def test_values_are_pythons(kernel):
    dtype = KERNELS[kernel][1][0]
    f = declared(kernel, dtype)
    arrays = operands(kernel, dtype, 300)
    rows = np.broadcast_arrays(*arrays)
    with np.errstate(all="ignore"):
        expected = [kernel(*(row[i] for row in rows)) for i in range(14, 300)]
    columns = zip(*expected, strict=True) if f.nout > 1 else [expected]
    for found, known in zip(all_of(f(*arrays)), columns, strict=True):
        np.testing.assert_array_equal(found[14:], np.array(list(known)))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_devices_have_the_same_values(dtype):
    for kernel in (escape, newton, found_root):
        f = declared(kernel, dtype)
        arrays = operands(kernel, dtype, 100)
        with cuda.simulator(memory="64 MiB"):
            device = f(*(cuda.to_device(each) for each in arrays))
            for found, known in zip(all_of(device), all_of(f(*arrays)), strict=True):
                np.testing.assert_array_equal(found.copy_to_host(), known)


@pytest.mark.parametrize("shift", [0, 1, -1])
def test_outputs_may_overlap_operands(shift):
    f = declared(newton, "complex128")
    z = operands(newton, "complex128", 120)[0]
    memory = np.concatenate([z, z])
    expected = f(memory[1:101].copy(), 9)
    f(memory[1:101], 9, out=memory[1 + shift : 101 + shift])
    np.testing.assert_array_equal(memory[1 + shift : 101 + shift], expected)


def test_methods_of_the_ufunc():
    @npp.vectorize(["complex128(complex128, complex128)"])
    def f(z, c):
        for _ in range(3):
            if z.real > 2:
                break
            z = z * 0.5 + c
        return z

    x = operands(julia, "complex128", 60)[0][14:]
    total = x[0]
    for each in x[1:]:
        total = f(total, each)
    assert f.reduce(x) == total
    assert f.accumulate(x)[-1] == total
    kept = np.full(len(x), 5j)
    f(x, 1.0, out=kept, where=x.real > 0)
    np.testing.assert_array_equal(kept, np.where(x.real > 0, f(x, 1.0), 5j))


def test_exceptions_name_the_element():
    f = npp.vectorize(["complex128(complex128, int64)"])(raises)
    z = np.full(40, 0.5j)
    z[33] = 2.5
    with pytest.raises(ValueError, match="1 trips") as caught:
        f(z, 8)
    assert caught.value.element == (33,)
    np.testing.assert_array_equal(f(z[:33], 3), z[:33] * 1.5**3)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("    for i in range(3):\n        z = z / (z + i)\n", "operands of types other than bool"),
        ("    z = z if z.real > 0 else -z\n", "complex operands without a loop"),
    ],
)
def test_others_run_element_by_element(body, reason, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(f"def kernel(z):\n{body}    return z\n")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    f = npp.vectorize(["complex128(complex128)"])(names["kernel"])
    assert reason in npp.inspect(f).host_form()
    z = operands(escape, "complex128", 50)[0][14:]
    np.testing.assert_allclose(f(z), [names["kernel"](each) for each in z])
