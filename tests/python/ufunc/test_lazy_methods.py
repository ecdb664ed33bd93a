"""Methods of lazy ufuncs, first call included, beside those of the NumPy ufunc they are like."""

import itertools

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp


def add(x, y):
    return x + y


def multiply(x, y):
    return x * y


def divide(x, y):
    return x / y


def minimum(x, y):
    return np.minimum(x, y)


def left_shift(x, y):
    return x << y


# Per name in NumPy: the kernel. NumPy computes reductions of small integers in int64 for all ufuncs
# called "add" and "multiply".
KERNELS = {
    np.add: add,
    np.multiply: multiply,
    np.true_divide: divide,
    np.minimum: minimum,
    np.left_shift: left_shift,
}
ARRAYS = ["?", "i1", "i8", "f4"]


def make(numpys):
    return npp.vectorize(KERNELS[numpys], name=numpys.__name__)


def array(dtype):
    return np.array([3, 1, 2, 5]).astype(dtype)


def outcome(call):
    """What a call returns or fills, with its dtype; the type of what it raises.

    An operand that a kernel does not take is a KernelError, where NumPy finds no loop.
    """
    try:
        with np.errstate(all="ignore"):
            result = call()
    except (TypeError, npp.KernelError):
        return TypeError
    except Exception as error:
        return type(error)
    if isinstance(result, tuple):
        return result
    return np.asarray(result).dtype, np.asarray(result).tolist()


def check(numpys, call, *, note=""):
    """Compare a call with NumPy's: the first of a ufunc, the second, and one after plain calls."""
    expected = outcome(lambda: call(numpys))
    f = make(numpys)
    assert outcome(lambda: call(f)) == expected, f"first call {note}"
    assert outcome(lambda: call(f)) == expected, f"second call {note}"
    g = make(numpys)
    for first, second in itertools.product(["i8", "f8"], repeat=2):
        outcome(lambda: g(array(first), array(second)))  # noqa: B023
    assert outcome(lambda: call(g)) == expected, f"after other calls {note}"


METHODS = {
    "reduce": lambda f, x, **named: f.reduce(x, **named),
    "accumulate": lambda f, x, **named: f.accumulate(x, **named),
    "reduceat": lambda f, x, **named: f.reduceat(x, [0, 2, 1], **named),
}
OUT_SHAPES = {"reduce": (), "accumulate": (4,), "reduceat": (3,)}
# Products are resolved as sums are: they are in long runs.
CASES = [*in_long_runs(np.multiply), *(ufunc for ufunc in KERNELS if ufunc is not np.multiply)]
each_kernel = pytest.mark.parametrize("numpys", CASES, ids=lambda ufunc: ufunc.__name__)
each_method = pytest.mark.parametrize("method", METHODS)


@each_kernel
@each_method
def test_the_arrays_own_type(numpys, method):
    for dtype in ARRAYS:
        check(numpys, lambda f: METHODS[method](f, array(dtype)), note=dtype)  # noqa: B023


@each_kernel
@each_method
def test_dtype(numpys, method):
    for dtype, named in itertools.product(ARRAYS, ["f8", "f4", "q"]):

        def call(f, dtype=dtype, named=named):
            return METHODS[method](f, array(dtype), dtype=named)

        check(numpys, call, note=f"{dtype}, dtype={named}")


@each_kernel
@each_method
def test_out(numpys, method):
    for dtype, target in itertools.product(["i1", "i8", "f4"], ["f8", "f4", "i8"]):

        def call(f, dtype=dtype, target=target):
            return METHODS[method](f, array(dtype), out=np.zeros(OUT_SHAPES[method], target))

        check(numpys, call, note=f"{dtype}, out={target}")


@each_kernel
@each_method
def test_dtype_and_out(numpys, method):
    def call(f):
        out = np.zeros(OUT_SHAPES[method], "f8")
        return METHODS[method](f, array("i8"), 0, "f4", out)

    def call_reduceat(f):
        return f.reduceat(array("i8"), [0, 2, 1], 0, "f4", np.zeros(3, "f8"))

    check(numpys, call_reduceat if method == "reduceat" else call)


@each_kernel
def test_at(numpys):
    for dtype, second in itertools.product(["i8", "f4", "f8"], ["i8", "f4"]):

        def call(f, dtype=dtype, second=second):
            x = array(dtype)
            f.at(x, [0, 0, 3], array(second)[:3])
            return x

        check(numpys, call, note=f"{dtype}, {second}")


@each_kernel
def test_calls_with_dtype_and_signature(numpys):
    dtype = np.dtype
    for named in (
        {"dtype": "f8"},
        {"dtype": "f4"},
        {"dtype": "q"},
        {"signature": "dd->d"},
        {"signature": "ll->l"},
        {"signature": (None, None, "f8")},
        {"signature": ("f8", None, "f8")},
        {"signature": (dtype("f4"),) * 3},
        {"signature": ("i8", "i8", "f4")},
    ):
        check(numpys, lambda f: f(array("i8"), 2, casting="unsafe", **named), note=named)  # noqa: B023


@each_kernel
def test_resolve_dtypes(numpys):
    i1, i8, f4, f8 = (np.dtype(name) for name in ("i1", "i8", "f4", "f8"))
    for dtypes, named in (
        ((f8, f8, None), {}),
        ((i8, i8, None), {}),
        ((i8, i8, None), {"signature": (None, None, f8)}),
        ((f8, f8, None), {"signature": (f8, f8, f8)}),
        ((i8, int, None), {"signature": (i8, i8, i8)}),
        ((f4, float, None), {}),
        ((None, i1, None), {"reduction": True}),
        ((None, i8, None), {"reduction": True}),
        ((f4, f4, f4), {"reduction": True, "signature": (f8, None, f8)}),
        ((f8, f8, f8), {"reduction": True}),
    ):

        def call(f, dtypes=dtypes, named=named):
            resolved = f.resolve_dtypes(dtypes, **named)
            # Calls may have a separate loop for the operands.
            is_exact = "reduction" in named or None not in named.get("signature", (None,))
            return resolved if is_exact else resolved[-1:]

        check(numpys, call, note=(dtypes, named))


def test_comparisons_have_a_result_of_their_own():
    for call in (
        lambda f: f(array("f8"), 2.0, dtype=bool),
        lambda f: f(array("i8"), 2, signature=(None, None, "?")),
        lambda f: f.reduce(array("i8")),
        lambda f: f.accumulate(array("f8")),
        lambda f: f.reduce(array("?")),
        lambda f: f.accumulate(array("i8"), dtype=bool),
    ):
        f = npp.vectorize(lambda x, y: x > y)
        assert outcome(lambda: call(f)) == outcome(lambda: call(np.greater))  # noqa: B023


@pytest.mark.parametrize("name", ["add", "multiply", "plus"])
def test_a_declared_ufunc_reduces_in_its_own_type_whatever_its_name(name):
    f = npp.vectorize(["int8(int8, int8)"], name=name)(lambda x, y: x + y)
    x = np.array([3, 1, 2], np.int8)
    for array_ in (x, x.astype(bool)):
        expected = np.add.reduce(array_, dtype="i1")
        for result in (
            f.reduce(array_),
            f.reduce(array_, None),
            f.reduce(array=array_, dtype=None),
        ):
            assert (result.dtype, result) == (np.int8, expected)
        assert f.accumulate(array_).dtype == np.int8
        assert f.reduceat(array_, [0, 1]).dtype == np.int8
    with pytest.raises(TypeError):
        f.reduce(x.astype("i8"))
    wide = npp.vectorize(["int8(int8, int8)", "int64(int64, int64)"], name=name)(lambda x, y: x + y)
    assert wide.reduce(x).dtype == (np.int8 if name == "plus" else np.int64)


def test_a_mean_of_integers():
    for call, expected in (
        (lambda f: f.reduce([3, 1, 2]), 2.0),
        (lambda f: f.accumulate([3, 1, 2]), [3.0, 2.0, 2.0]),
        (lambda f: f.reduceat([3, 1, 2], [0, 1]), [3.0, 1.5]),
        (lambda f: f.accumulate([3, 1, 2], out=np.zeros(3, "f4")), [3.0, 2.0, 2.0]),
        (lambda f: f.accumulate([3, 1, 2], dtype="f4"), [3.0, 2.0, 2.0]),
    ):
        f = npp.vectorize(lambda x, y: (x + y) / 2)
        for _ in range(2):
            np.testing.assert_array_equal(call(f), expected)
            f(np.ones(2), np.ones(2, int))


def test_an_initial_number_lets_a_reduction_have_a_type_that_its_elements_have_not():
    f = npp.vectorize(None, identity=True)(lambda so_far, x: bool(so_far) and x > 0.5)
    for _ in range(2):
        assert f.reduce([0.75, 1.0]) is np.True_
        assert f.reduce([0.75, 0.25], dtype=bool) is np.False_


def test_arguments_that_are_wrong_are_numpys_error_and_leave_out_as_it_was():
    f = npp.vectorize(lambda x, y: x + y)
    out = np.zeros(3)
    for call in (
        lambda g: g.accumulate(array("i8"), out=out),
        lambda g: g.accumulate(array("i8"), dtype="nothing"),
        lambda g: g.accumulate(),
        lambda g: g.accumulate(array("i8"), ot=out),
        lambda g: g.reduceat(array("i8"), [9], out=out),
        lambda g: g.accumulate(np.array(["a"]), out=out),
    ):
        expected = outcome(lambda: call(np.add))  # noqa: B023
        assert isinstance(expected, type)
        assert outcome(lambda: call(f)) == expected  # noqa: B023
    assert out.tolist() == [0, 0, 0]
    assert f.accumulate(array("i8"), out=np.zeros(4)).tolist() == [3, 4, 6, 11]


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_elements_that_no_kernel_takes_are_cast_to_dtype(method):
    objects = np.array([3, 1, 2], object)
    f = make(np.add)
    found = getattr(f, method)(objects, dtype="f4")
    expected = getattr(np.add, method)(objects, dtype="f4")
    assert (found.dtype, found.tolist()) == (expected.dtype, expected.tolist())
    with pytest.raises(ValueError, match="invalid literal"):
        getattr(f, method)(np.array([1, "word"], object), dtype=int)
    assert f.reduce(objects, dtype=int) == 6


def test_an_identity_of_all_bits_is_one_of_unsigned_dtypes():
    f = npp.vectorize(identity=-1)(lambda x, y: x & y)
    for dtype in ("u1", "u8", "i4"):
        values = np.array([7, 13], dtype)
        assert f.reduce(values) == np.bitwise_and.reduce(values)
        assert f.reduce(values[:0]) == np.bitwise_and.reduce(values[:0])
