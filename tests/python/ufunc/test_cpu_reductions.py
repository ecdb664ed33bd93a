"""Reductions on the CPU: sums in NumPy's pairwise order, extrema with the bits of one by one."""

import numpy as np
import pytest

import numpy_plugin as npp

FLOATS = ["float32(float32, float32)", "float64(float64, float64)"]
COMPLEX = ["complex64(complex64, complex64)", "complex128(complex128, complex128)"]
LENGTHS = [*range(20), 127, 128, 129, 255, 256, 257, 300, 1000, 8193, 200_003]


@npp.vectorize([*FLOATS, *COMPLEX], identity=0)
def add(x, y):
    return x + y


@npp.vectorize(FLOATS)
def blend(x, y):
    return x * 0.5 + y


@npp.vectorize(FLOATS)
def lesser(x, y):
    return x if x < y else y


@npp.vectorize(FLOATS)
def greater_or_equal(x, y):
    return y if x <= y else x


@npp.vectorize(FLOATS)
def python_min(x, y):
    return min(x, y)


@npp.vectorize(FLOATS)
def fmax(x, y):
    return np.fmax(x, y)


EXTREMA = [lesser, greater_or_equal, python_min, fmax]


def random_numbers(n, dtype):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n) + (1j * rng.normal(size=n) if np.dtype(dtype).kind == "c" else 0)
    return x.astype(dtype)


def one_by_one(ufunc, x):
    total = x[:1]
    for i in range(1, len(x)):
        total = ufunc(total, x[i : i + 1])
    return total[0]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("step", [1, 3, -1])
def test_sums_have_the_bits_of_numpys(dtype, step):
    for n in LENGTHS:
        x = random_numbers(abs(step) * n, dtype)[::step]
        assert add.reduce(x) == np.add.reduce(x), n


@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_along_axes_have_the_bits_of_numpys(order):
    x = np.asarray(random_numbers(37 * 211 * 3, "f8").reshape(37, 211, 3), order=order)
    for axis in (0, 1, 2, (0, 1), (0, 2), None):
        np.testing.assert_array_equal(add.reduce(x, axis=axis), np.add.reduce(x, axis=axis))
    places = [0, 5, 5, 200, 100]
    np.testing.assert_array_equal(add.reduceat(x, places, 1), np.add.reduceat(x, places, 1))
    where = x > 0
    np.testing.assert_array_equal(
        add.reduce(x, axis=1, where=where), np.add.reduce(x, axis=1, where=where)
    )


def test_sums_of_zeros_keep_their_sign():
    zeros = np.full(50, -0.0)
    for n in (1, 7, 8, 50):
        assert np.signbit(add.reduce(zeros[:n], initial=-0.0))


def test_sums_of_elements_at_any_address():
    x = np.zeros(8 * 300 + 1, np.uint8)[1:].view("f8")
    x[:] = random_numbers(300, "f8")
    assert add.reduce(x) == np.add.reduce(x.copy())


def test_other_bodies_combine_one_by_one():
    x = random_numbers(1000, "f8")
    assert blend.reduce(x) == one_by_one(blend, x)


@pytest.mark.parametrize("ufunc", EXTREMA)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("step", [1, -2])
def test_extrema_are_those_of_all_elements(ufunc, dtype, step):
    numpys = np.minimum if ufunc in (lesser, python_min) else np.maximum
    for n in LENGTHS[1:]:
        x = random_numbers(abs(step) * n, dtype)[::step]
        assert ufunc.reduce(x) == numpys.reduce(x), n


@pytest.mark.parametrize("ufunc", EXTREMA)
def test_extrema_with_nan_and_zeros_are_those_of_one_by_one(ufunc):
    rng = np.random.default_rng(3)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    for among in (special, special[1:], np.array([0.0, -0.0]), np.array([0.0, 5.0]), special[:1]):
        for n in (1, 9, 40, 700):
            x = rng.choice(among, size=n)
            with np.errstate(all="raise"):
                found, expected = ufunc.reduce(x), one_by_one(ufunc, x)
            assert np.array_equal(found, expected, equal_nan=True)
            assert np.signbit(found) == np.signbit(expected) or np.isnan(found)


@npp.vectorize(["int8(int8, int8)", "int32(int32, int32)", "uint64(uint64, uint64)"])
def integer_product(x, y):
    return x * y


@npp.vectorize(["int8(int8, int8)", "int32(int32, int32)", "uint64(uint64, uint64)"])
def integer_max(x, y):
    return x if x >= y else y


@pytest.mark.parametrize("ufunc", [integer_product, integer_max])
@pytest.mark.parametrize("dtype", ["i1", "i4", "u8"])
def test_integers_are_exact_in_any_order(ufunc, dtype):
    numpys = np.multiply if ufunc is integer_product else np.maximum
    for n in (1, 8, 31, 1000):
        x = np.random.default_rng(n).integers(1, 100, size=3 * n).astype(dtype) | 1
        for operand in (x, x[::3]):
            assert ufunc.reduce(operand) == numpys.reduce(operand, dtype=dtype)


def test_products_with_fastmath_are_close():
    multiply = npp.vectorize(["float64(float64, float64)"], fastmath=True)(lambda x, y: x * y)
    x = np.random.default_rng(0).uniform(0.9, 1.1, size=1000)
    assert multiply.reduce(x) == pytest.approx(np.multiply.reduce(x), rel=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_sums_on_threads_have_the_same_bits(dtype):
    shared = npp.vectorize([*FLOATS, *COMPLEX], identity=0, target="parallel")(lambda x, y: x + y)
    before = npp.get_num_threads()
    try:
        for n_threads in (2, 3):
            npp.set_num_threads(n_threads)
            for n in (400_003, 1_000_000):
                x = random_numbers(2 * n, dtype)
                for operand in (x[:n], x[::2], x[::-1]):
                    assert shared.reduce(operand) == np.add.reduce(operand)
    finally:
        npp.set_num_threads(before)
    tiny = np.full(1_000_000, np.finfo("f8").max)
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert shared.reduce(tiny) == np.inf
