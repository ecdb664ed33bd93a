"""`reduce` of ufuncs on device arrays: NumPy's results and errors, and the bits of the tree."""

import numpy as np
import pytest
from foreign_arrays import CLASSES, Dlpack, Interface
from long_runs import in_long_runs
from references.reduction_tree import reduce_tree

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.arange(24.0).reshape(2, 3, 4)
MASK = np.arange(24).reshape(2, 3, 4) % 3 == 0

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["f4(f4, f4)", "f8(f8, f8)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


@npp.vectorize(["f8(f8, f8)"], target="cpu")
def halved(x, y):
    """Neither associative nor commutative."""
    return x * 0.5 + y


@npp.vectorize(target="cpu")
def lazy_largest(x, y):
    return np.maximum(x, y)


cpp_product = npp.vectorize(
    ["c16(c16, c16)"], args="x, y", body="return x * y;", target="cpu", identity=1
)


def on_both(call, **arrays):
    """The outcome of a call on host and on device arrays: an array, or an exception's text."""

    def outcome(arrays):
        try:
            result = call(**arrays)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return result.copy_to_host() if isinstance(result, cuda.DeviceArray) else result

    of_device = outcome({name: cuda.to_device(array) for name, array in arrays.items()})
    return outcome(arrays), of_device


def assert_same(call, **arrays):
    host, of_device = on_both(call, **arrays)
    if isinstance(host, str):
        assert of_device == host
        return
    np.testing.assert_array_equal(of_device, host, strict=True)


# --- NumPy's results ---

CALLS = {
    "the first axis": lambda f, x, m: f.reduce(x),
    "another axis": lambda f, x, m: f.reduce(x, 1),
    "a negative axis": lambda f, x, m: f.reduce(x, axis=-1),
    "keepdims": lambda f, x, m: f.reduce(x, axis=1, keepdims=True),
    "initial": lambda f, x, m: f.reduce(x, axis=1, initial=3),
    "no initial": lambda f, x, m: f.reduce(x, axis=1, initial=None),
    "no axes": lambda f, x, m: f.reduce(x, axis=(), initial=2),
    "where": lambda f, x, m: f.reduce(x, axis=1, where=m, initial=1),
    "a broadcast mask": lambda f, x, m: f.reduce(x, axis=0, where=m[0, :1], initial=1),
    "a mask of one bool": lambda f, x, m: f.reduce(x, where=False, initial=1),
    "another dtype": lambda f, x, m: f.reduce(x, axis=1, dtype="f8"),
    "no elements": lambda f, x, m: f.reduce(x[:, :0], axis=1, initial=7),
    "no results": lambda f, x, m: f.reduce(x[:, :0], axis=0),
    "without dimensions": lambda f, x, m: f.reduce(x[0, 0, 0], axis=None),
    "all arguments": lambda f, x, m: f.reduce(x, 0, None, None, True, 3, True),
    # errors
    "without an array": lambda f, x, m: f.reduce(),
    "an unknown keyword": lambda f, x, m: f.reduce(x, axes=1),
    "too many arguments": lambda f, x, m: f.reduce(x, 0, None, None, False, 3, True, 5),
    "an axis too many": lambda f, x, m: f.reduce(x, axis=3),
    "an axis twice": lambda f, x, m: f.reduce(x, axis=(0, 0)),
    "no axis": lambda f, x, m: f.reduce(x, axis=1.5),
    "a mask without initial": lambda f, x, m: f.reduce(x, where=m, initial=None),
    "a mask of numbers": lambda f, x, m: f.reduce(x, where=x, initial=0),
    "a wide mask": lambda f, x, m: f.reduce(x[:, :1], axis=1, where=m, initial=0),
    "no number": lambda f, x, m: f.reduce(x, initial="a"),
    "an output of another shape": lambda f, x, m: f.reduce(x, axis=1, out=x[0]),
    "an output of other dimensions": lambda f, x, m: f.reduce(x, axis=1, out=x),
    "no array for out": lambda f, x, m: f.reduce(x, out=3),
    "an output of another type": lambda f, x, m: f.reduce(x, axis=1, out=m[:, 0]),
    "empty": lambda f, x, m: f.reduce(x[:, :0], axis=1, initial=None),
    "no results of no elements": lambda f, x, m: f.reduce(x[:0, :0], axis=1, initial=None),
}
UFUNCS = {
    "declared": plus,
    "in order": halved,
    "lazy": lazy_largest,
    "NumPy's add": np.add,
    "NumPy's fmax": np.fmax,
    "NumPy's subtract": np.subtract,
}


@pytest.mark.parametrize("name", CALLS)
def test_reductions_are_numpys(name):
    for ufunc in UFUNCS.values():
        assert_same(lambda x, m, f=ufunc: CALLS[name](f, x, m), x=X, m=MASK)


@pytest.mark.parametrize(
    "named",
    [
        {"axis": True},
        {"axis": np.True_},
        {"axis": (0, True)},
        {"axis": [0]},
        {"axis": 3},
        {"axis": 1.0},
        {"keepdims": "x"},
        {"keepdims": 1.0},
        {"keepdims": None},
        {"keepdims": np.True_},
        {"keepdims": 2},
        {"keepdims": np.int8(1)},
        {"out": 3.0},
        {"where": 0.5},
        {"initial": "x"},
    ],
)
def test_keywords_of_other_types(named):
    for ufunc in (plus, np.add, np.less):
        assert_same(lambda x, f=ufunc: f.reduce(x, **named), x=X)


@pytest.mark.parametrize("axis", [None, (0, 1), (0, 2), (2, 1), (0, 1, 2)])
def test_several_axes_need_a_reorderable_kernel(axis):
    for ufunc in UFUNCS.values():
        for array in (X, np.asfortranarray(X)):
            assert_same(lambda x, f=ufunc: f.reduce(x, axis=axis), x=array)


@pytest.mark.parametrize(
    ("ufunc", "dtypes"),
    [
        (np.add, "?blHLf"),
        (np.multiply, "?h"),
        (np.logical_or, "?d"),
        (np.logical_xor, "d"),
        (np.bitwise_and, "bL"),
        (np.minimum, "He"),
        (np.gcd, "i"),
        (np.divide, "i"),
        (np.less, "d"),
        (np.ldexp, "d"),
        *in_long_runs(
            (np.add, "hiBd"),
            (np.multiply, "bBH"),
            (np.logical_or, "b"),
            (np.logical_xor, "?"),
            (np.bitwise_and, "?"),
            (np.minimum, "bd"),
            (np.gcd, "L"),
            (np.divide, "d"),
        ),
    ],
)
def test_numpys_ufuncs_reduce_in_numpys_dtypes(ufunc, dtypes):
    for dtype in dtypes:
        array = (np.arange(60).reshape(4, 15) % 7 + 1).astype(dtype)
        assert_same(lambda x: ufunc.reduce(x, axis=1), x=array)
        assert_same(lambda x: ufunc.reduce(x[:, :0], axis=1), x=array)


def test_kernels_of_cpp_bodies_with_an_identity():
    values = np.exp(1j * np.arange(12)).reshape(3, 4)
    found = cpp_product.reduce(cuda.to_device(values), axis=1).copy_to_host()
    np.testing.assert_allclose(found, values.prod(axis=1), rtol=1e-15)


# --- the tree ---


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17, 31, 127, 128, 131, 2047, 2049, 4099])
def test_sums_have_the_bits_of_the_tree(n):
    values = np.random.default_rng(n).normal(size=n).astype(np.float32)
    expected = np.float32(0) + reduce_tree(values, np.add)
    columns = np.repeat(values[:, np.newaxis], 33, axis=1)
    for array in (columns[:, 0].copy(), columns[:, 0], np.flip(np.flip(values).copy())):
        d = cuda.to_device(np.lib.stride_tricks.as_strided(array, array.shape, array.strides))
        assert plus.reduce(d).copy_to_host() == expected  # rows, contiguous or not
    assert (plus.reduce(cuda.to_device(columns)).copy_to_host() == expected).all()
    rows = cuda.to_device(columns).T
    assert (plus.reduce(rows, axis=1).copy_to_host() == expected).all()
    assert plus.reduce(rows[1], initial=None).copy_to_host() == reduce_tree(values, np.add)


@pytest.mark.parametrize("n", [3, 130, 2100])
def test_excluded_elements_are_left_out_of_the_tree(n):
    generator = np.random.default_rng(n)
    values = generator.normal(size=(n, 32)).astype(np.float32)
    mask = generator.random(values.shape) < 0.3
    found = plus.reduce(cuda.to_device(values), where=cuda.to_device(mask)).copy_to_host()
    for column in range(values.shape[1]):
        kept = [v if m else None for v, m in zip(values[:, column], mask[:, column], strict=True)]
        tree = reduce_tree(kept, np.add)
        expected = np.float32(0) if tree is None else np.float32(0) + tree
        assert found[column] == expected
        row, row_mask = (cuda.to_device(a).T[column] for a in (values, mask))
        if column < 2:
            assert plus.reduce(row, where=row_mask).copy_to_host() == expected


# --- operands ---


def test_outputs_are_returned_and_may_share_memory_with_the_array():
    d = cuda.to_device(X)
    out = cuda.zeros((2, 4), np.float32)
    assert plus.reduce(d, axis=1, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), X.sum(axis=1))
    assert plus.reduce(d, axis=1, out=(out,)) is out
    plus.reduce(d, axis=1, out=d[:, 0])
    np.testing.assert_array_equal(d.copy_to_host()[:, 0], X.sum(axis=1))
    np.testing.assert_array_equal(d.copy_to_host()[:, 1:], X[:, 1:])


def test_failed_calls_leave_their_operands():
    d, out = cuda.to_device(X), cuda.to_device(np.full((2, 4), 5.0))
    with pytest.raises(ValueError, match="shape"):
        plus.reduce(d, axis=0, out=out)
    np.testing.assert_array_equal(out.copy_to_host(), np.full((2, 4), 5.0))
    assert_same(lambda x: plus.reduce(x, axis=1), x=X)


@pytest.mark.parametrize("cls", CLASSES)
def test_arrays_of_other_libraries(cls):
    result = plus.reduce(cls(X), axis=1, where=Interface(MASK))
    np.testing.assert_array_equal(result.copy_to_host(), X.sum(axis=1, where=MASK))
    out = Dlpack(np.zeros((2, 4)))
    assert plus.reduce(cls(X), axis=1, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), X.sum(axis=1))


def test_a_stream_of_the_call():
    stream = cuda.stream()
    result = plus.reduce(cuda.to_device(X), axis=1, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(result.copy_to_host(), X.sum(axis=1))


def test_host_arrays_are_not_mixed_with_device_arrays():
    with pytest.raises(TypeError, match="output 1 of 'plus' is a host array"):
        plus.reduce(cuda.to_device(X), out=np.zeros((3, 4)))
    with pytest.raises(TypeError, match="host array"):
        plus.reduce(X, where=cuda.to_device(MASK))


# --- kernels that raise ---


@npp.vectorize(["f8(f8, f8)"], target="cpu", identity=0)
def checked_sum(x, y):
    if y < 0:
        raise ValueError("negative")
    return x + y


def test_exceptions_of_kernels():
    d = cuda.to_device(X)
    np.testing.assert_array_equal(checked_sum.reduce(d, axis=2).copy_to_host(), X.sum(axis=2))
    with pytest.raises(ValueError, match="negative"):
        checked_sum.reduce(cuda.to_device(-X), axis=2).copy_to_host()
    np.testing.assert_array_equal(checked_sum.reduce(d, axis=2).copy_to_host(), X.sum(axis=2))
