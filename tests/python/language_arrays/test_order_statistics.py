"""Sorts, sorted indices and order statistics in kernels: rows for which selections are hard."""

from __future__ import annotations

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore")

OTHERS = ["float16", "bool", "int8", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES = ["float64", *in_long_runs("float32", *OTHERS)]
# Around the sizes at which another algorithm takes over.
SIZES = (0, 1, 2, 3, 8, 9, 16, 17, 33, 96, 97, 365, 1200)
DEVICE_SIZES = (2, 9, 17, 100)


def median(x, out):
    out[0] = np.median(x)


def nanmedian(x, out):
    out[0] = np.nanmedian(x)


def percentiles(x, q, out):
    for i in range(q.shape[0]):
        out[i] = np.percentile(x, q[i])


def percentiles_at_once(x, q, out):
    out[:] = np.percentile(x, q)


def nanpercentiles(x, q, out):
    for i in range(q.shape[0]):
        out[i] = np.nanpercentile(x, q[i])


def ordered(x, out):
    out[:] = np.sort(x)


def ordered_in_place(x, out):
    out[::-1] = x
    out.sort()


def indices(x, out):
    out[:] = np.argsort(x)


PERCENTAGES = np.array([0.0, 100.0, 37.5, 50.0, 99.9])
NUMPYS = {
    median: lambda x: np.median(x),
    nanmedian: lambda x: np.nanmedian(x),
    percentiles: lambda x: np.percentile(x, PERCENTAGES),
    percentiles_at_once: lambda x: np.percentile(x, PERCENTAGES),
    nanpercentiles: lambda x: np.nanpercentile(x, PERCENTAGES),
    ordered: np.sort,
    ordered_in_place: np.sort,
    indices: lambda x: np.argsort(x, kind="stable"),
}
ORDERS = (ordered, ordered_in_place, indices)
DEVICES = (*ORDERS, nanmedian, percentiles)


def takes(kernel, dtype):
    """Whether NumPy has the function for a dtype: it subtracts no bools."""
    return dtype != "bool" or "percentile" not in kernel.__name__


def declared(kernel, dtype):
    """Return a kernel's generalized ufunc."""
    mean = np.median(np.zeros(1, dtype)).dtype
    signature, layout = {
        ordered: (f"void({dtype}[:], {dtype}[:])", "(n)->(n)"),
        ordered_in_place: (f"void({dtype}[:], {dtype}[:])", "(n)->(n)"),
        indices: (f"void({dtype}[:], int64[:])", "(n)->(n)"),
        median: (f"void({dtype}[:], {mean}[:])", "(n)->()"),
        nanmedian: (f"void({dtype}[:], {mean}[:])", "(n)->()"),
    }.get(kernel, (f"void({dtype}[:], float64[:], float64[:])", "(n),(k)->(k)"))
    return npp.guvectorize([signature], layout)(kernel)


def rows(dtype, n):
    """Return rows of a size: random, monotonic, periodic, of few values, of special ones."""
    rng = np.random.default_rng(n)
    normal, places = rng.normal(size=n) * 50, np.arange(n)
    few = [np.full(n, 3), rng.integers(0, 2, n), rng.integers(0, 5, n), places % 7]
    pipes = [np.minimum(places, n - 1 - places), np.maximum(places, n - 1 - places)]
    found = [row.astype(dtype) for row in [normal, np.sort(normal), *few, *pipes]]
    found.append(found[1][::-1])
    if found[0].dtype.kind == "f":
        found += [row.astype(dtype) for row in [np.full(n, np.nan), *_special(rng, normal)]]
    elif dtype != "bool":
        limits = np.iinfo(dtype)
        found.append(rng.integers(limits.min, limits.max, n, dtype, endpoint=True))
        found.append(rng.choice([limits.min, limits.max], n).astype(dtype))
    return found


def _special(rng, normal):
    yield rng.choice([0.0, -0.0, 1.0, -1.0], normal.size)
    for share in (0.01, 0.2, 0.9):
        row = normal.copy()
        for value in (np.inf, -np.inf, -0.0, 0.0, -np.nan):
            row[rng.random(row.size) < share] = value
        yield row


def check(kernel, f, row):
    """Compare one row with NumPy."""
    operands = [row, PERCENTAGES] if "percentile" in kernel.__name__ else [row]
    if row.size == 0 and "percentile" in kernel.__name__:
        return
    known, found = NUMPYS[kernel](row), f(*operands)
    if kernel in ORDERS:
        np.testing.assert_array_equal(found, known, err_msg=repr(row))
    else:
        # The same elements, and NumPy's rounding but for types that it computes in others.
        tolerance = {"float16": 1e-2, "float32": 1e-6}.get(str(row.dtype), 1e-12)
        np.testing.assert_allclose(found, known, tolerance, tolerance, err_msg=repr(row))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kernel", NUMPYS)
def test_rows_are_ordered_as_by_numpy(kernel, dtype):
    if not takes(kernel, dtype):
        return
    f = declared(kernel, dtype)
    for n in SIZES:
        for row in rows(dtype, n):
            for strided in (row, row[::-1], np.repeat(row, 2)[::2]):
                check(kernel, f, strided)


@pytest.mark.parametrize("dtype", ["float32", *in_long_runs("float64", *OTHERS)])
def test_devices_have_the_same_bits(dtype):
    kernels = {kernel: declared(kernel, dtype) for kernel in DEVICES if takes(kernel, dtype)}
    with cuda.simulator(memory="64 MiB"):
        for n in DEVICE_SIZES:
            batch = np.array(rows(dtype, n))
            for kernel, f in kernels.items():
                others = [PERCENTAGES] if "percentile" in kernel.__name__ else []
                known = np.asarray(f(batch, *others))
                found = f(*map(cuda.to_device, [batch, *others])).copy_to_host()
                np.testing.assert_array_equal(found, known)
                numbers = known == known
                assert (np.signbit(found) == np.signbit(known))[numbers].all(), kernel


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [3, 16, 40, 365])
def test_negative_zeros_come_before_positive_ones(dtype, n):
    """And nan comes last, without its sign: the bits do not depend on the algorithm."""
    rng = np.random.default_rng(n)
    row = rng.choice([0.0, -0.0, -0.0, 1.0, -1.0], n).astype(dtype)
    with_nan = np.where(rng.random(n) < 0.3, -np.asarray(np.nan, dtype), row)
    for numbers in (row, with_nan):
        expected = np.concatenate(
            [
                numbers[numbers < 0],
                numbers[(numbers == 0) & np.signbit(numbers)],
                numbers[(numbers == 0) & ~np.signbit(numbers)],
                numbers[numbers > 0],
                np.abs(numbers[numbers != numbers]),
            ]
        )
        for kernel in (ordered, ordered_in_place):
            f = declared(kernel, dtype)
            assert f(numbers).tobytes() == expected.tobytes()
            out = np.empty(2 * n, dtype)[::2]
            assert f(numbers, out=out).tobytes() == expected.tobytes()


def test_arrays_of_a_kernel_are_not_changed():
    """But for `a.sort()`; the elements of an output are read as well."""

    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n)->(n),()")
    def f(x, out, middle):
        local = x * 2
        middle[0] = np.median(local) + np.percentile(local, 10) + np.quantile(local, 1)
        out[:] = local

    x = np.random.default_rng(1).normal(size=101)
    out, middle = f(x)
    np.testing.assert_array_equal(out, 2 * x)
    known = np.median(2 * x) + np.percentile(2 * x, 10) + np.max(2 * x)
    np.testing.assert_allclose(middle, known, 1e-12)


def test_a_sorted_output_is_read():
    @npp.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
    def f(x, out):
        out[0] = x[0]
        out.sort()

    for dtype in ("float64", "float32"):
        out = np.array([3.0, 9.0, -1.0, 5.0], dtype)
        f(np.full(4, 7.0), out=out, casting="unsafe")
        np.testing.assert_array_equal(out, [-1.0, 5.0, 7.0, 9.0])


def test_percentages_are_evaluated_once():
    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(k)->()")
    def f(x, q, out):
        count = np.zeros(1)
        out[0] = np.percentile(x, next_of(q, count)) + 1000 * count[0]

    x = np.arange(101.0)
    assert f(x, np.array([10.0, 20.0, 30.0])) == 10.0 + 1000


@npp.device
def next_of(q, count):
    count[0] += 1
    return q[int(count[0]) - 1]


def test_no_flags_are_raised():
    row = np.where(np.arange(40) % 3 == 0, np.nan, np.arange(40.0))
    for kernel in ORDERS:
        f = declared(kernel, "float64")
        with np.errstate(all="raise"):
            f(row)
