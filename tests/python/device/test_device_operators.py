"""NumPy's own ufuncs, operators, casts and assignments on device arrays: as on NumPy's arrays."""

import operator
import re
import warnings
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from device_calls import UFUNCS
from long_runs import in_long_runs, one_in

from numpy_plugin import cuda

ROOT = Path(__file__).resolve().parents[3]

INTEGERS = "bBhHiIlL"
REAL = "?" + INTEGERS + "efd"
ALL = REAL + "FD"

pytestmark = pytest.mark.usefixtures("device")


def values_of(dtype, seed=0):
    """Return a few values of a dtype: small ones, the ends of its range, and what is no number."""
    dtype = np.dtype(dtype)
    generator = np.random.default_rng(seed)
    if dtype.kind == "b":
        return np.array([True, False, True, True, False, False, True, False])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = np.array([0, 1, 2, 3, 5, info.max, info.min, 7], dtype)
        return generator.permutation(values)
    values = generator.permutation([0.0, -0.0, 0.5, -1.25, 3.0, np.inf, np.nan, -7.5])
    if dtype.kind == "c":
        values = np.where(np.isfinite(values), values, 0.25)
        values = values + 1j * generator.permutation(np.linspace(-2, 2, 8))
    return values.astype(dtype)


def loops_of(ufunc):
    """Return the input types of a ufunc's loops that kernels can have."""
    wanted = {loop.partition("->")[0] for loop in ufunc.types}
    return sorted(loop for loop in wanted if set(loop) <= set(ALL))


def assert_same(found, expected, ulp=0):
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is cuda.DeviceArray
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if ulp == 0 or other.dtype.kind not in "fc":
            # nan of ml_dtypes is not equal to itself even there
            wide = np.float32 if other.dtype == ml_dtypes.bfloat16 else other.dtype
            np.testing.assert_array_equal(one.copy_to_host().astype(wide), other.astype(wide))
        else:
            bound = ulp * np.finfo(other.dtype).eps
            np.testing.assert_allclose(one.copy_to_host(), other, rtol=bound, atol=bound)


def quietly(function, *args, **named):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **named)


# Functions computed by <cmath>, accurate to a few ulp; all others have NumPy's bits.
EXACT = UFUNCS - {
    *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos"),
    *("cosh", "deg2rad", "degrees", "exp", "exp2", "expm1", "float_power", "hypot", "log"),
    *("log10", "log1p", "log2", "logaddexp", "logaddexp2", "power", "rad2deg", "radians", "sin"),
    *("sinh", "tan", "tanh"),
}
# NumPy raises for negative exponents of integers, or has a loop that no kernel has.
NOT_COMPARED = {"power": INTEGERS}


def cases():
    """Return a case a ufunc, and the rest of its loops as slow ones."""
    found = []
    for name in sorted(UFUNCS):
        ufunc = getattr(np, name)
        loops = [x for x in loops_of(ufunc) if x[0] not in NOT_COMPARED.get(name, "")]
        first = next((x for x in loops if set(x) <= set("fh")), loops[0] if loops else "")
        for loop in loops:
            marks = () if loop == first else pytest.mark.slow
            found.append(pytest.param(ufunc, loop, id=f"{name}-{loop}", marks=marks))
    return found


@pytest.mark.parametrize(("ufunc", "loop"), cases())
def test_every_loop_of_every_ufunc(ufunc, loop):
    inputs = [values_of(dtype, seed) for seed, dtype in enumerate(loop)]
    if ufunc.__name__ in ("left_shift", "right_shift"):
        inputs[1] = np.arange(8).astype(loop[1])
    expected = quietly(ufunc, *inputs)
    devices = [cuda.to_device(x) for x in inputs]
    try:
        found = ufunc(*devices)
    except TypeError as error:
        assert "works on host arrays only" in str(error)
        assert set(loop) & set("FD")
        return
    is_exact = ufunc.__name__ in EXACT and not set(loop) & set("FD")
    assert_same(found, expected, 0 if is_exact else 32)


# --- how calls are made ---


def test_scalars_and_promotion_are_numpys():
    for dtype in ("int8", "float32", "float64"):
        x = np.arange(4).astype(dtype)
        for other in (2, 2.5, True, np.float32(2), np.int16(3), np.array(4)):
            for left, right in ((x, other), (other, x)):
                expected = np.add(left, right)
                on_device = [cuda.to_device(a) if a is x else a for a in (left, right)]
                assert_same(np.add(*on_device), expected)


def test_mixed_dtypes_take_numpys_loop():
    for left, right in (("int8", "uint8"), ("int64", "uint64"), ("int32", "float32")):
        x, y = values_of(left), values_of(right, 1)
        assert_same(quietly(np.less, cuda.to_device(x), cuda.to_device(y)), quietly(np.less, x, y))
        assert_same(quietly(np.add, cuda.to_device(x), cuda.to_device(y)), quietly(np.add, x, y))


# By default each ufunc and each pair of dtypes once.
TRUTHS = [
    (ufunc, *dtypes)
    for ufunc in (np.logical_and, np.logical_or, np.logical_xor)
    for dtypes in (("i1", "f4"), ("u8", "?"), ("f2", "f8"))
]


@pytest.mark.parametrize(
    ("ufunc", "one", "other"),
    [*TRUTHS[::4], *in_long_runs(*(case for case in TRUTHS if case not in TRUTHS[::4]))],
)
def test_truths_of_mixed_dtypes(ufunc, one, other):
    x = np.array([0, 1, 2, 0, 1]).astype(one)
    y = np.array([0, 0, 1, 3, 1]).astype(other)
    mine = cuda.to_device(x), cuda.to_device(y)
    assert_same(ufunc(*mine), ufunc(x, y))
    assert_same(ufunc(*mine, casting="no"), ufunc(x, y, casting="no"))
    assert_same(ufunc(*mine, dtype=bool), ufunc(x, y, dtype=bool))
    for number in (300, 0, np.nan, np.int16(-7)):
        assert_same(ufunc(mine[0], number), ufunc(x, number))


def test_keywords_of_calls():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    dx, dy = cuda.to_device(x), cuda.to_device(y)
    out = cuda.zeros((2, 3), np.float32)
    assert np.add(dx, dy, out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), x + y)
    mask = x > 2
    np.add(dx, 100, out=out, where=cuda.to_device(mask))
    np.testing.assert_array_equal(out.copy_to_host(), np.where(mask, x + 100, x + y))
    assert_same(np.add(dx, dy, dtype="f4"), np.add(x, y, dtype="f4"))
    assert_same(np.add(dx, dy, signature="ff->f", casting="same_kind"), np.add(x, y, dtype="f4"))
    assert_same(np.floor_divide(dx, 2, dtype="i8", casting="unsafe"), x.astype(int) // 2)
    first, second = np.divmod(dx, 4, out=(None, out))
    assert second is out
    assert_same((first, out), (x // 4, (x % 4).astype("f4")))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda x: np.add(x, cuda.zeros(3)), ValueError, r"shapes \(2,\) \(3,\)"),
        (lambda x: np.bitwise_and(x, x), TypeError, "'bitwise_and' not supported"),
        (lambda x: np.add(x, x, out=cuda.zeros(2, "i4")), TypeError, "casting rule 'same_kind'"),
        (lambda x: np.add(x, x, dtype="i4"), TypeError, "casting rule 'same_kind'"),
        (lambda x: np.add(x, x, dtype="f4", signature="ff->f"), TypeError, "both 'signature' and"),
        (lambda x: np.add(x), TypeError, "2 to 3 positional arguments"),
        (lambda x: np.add(x, np.zeros(2)), TypeError, r"cuda\.to_device"),
        (lambda x: np.add(x, [1, 2]), TypeError, r"cuda\.to_device"),
        (lambda x: np.add(x, "a"), TypeError, "did not contain a loop"),
        (lambda x: np.isnat(x), TypeError, "only defined for np.datetime64 and np.timedelta64"),
        (lambda x: np.less(x, 1j), TypeError, "'less' of complex128, complex128 works on"),
        (lambda x: np.add(x, cuda.zeros(2, "m8[s]")), TypeError, "cannot use operands with types"),
        (lambda x: cuda.zeros(2, "i1") + 300, OverflowError, "300"),
    ],
)
def test_calls_that_can_not_be_made(make, error, message):
    with pytest.raises(error, match=message):
        make(cuda.ones(2))


PRODUCTS = [
    ("matmul", (2, 3), (3, 4)),
    ("matmul", (3,), (3, 4)),
    ("matmul", (5, 2, 3), (3,)),
    ("matmul", (2, 0), (0, 3)),
    ("vecdot", (2, 3), (3,)),
    ("matvec", (2, 3), (3,)),
    ("vecmat", (3,), (3, 4)),
]


@pytest.mark.parametrize(("product", "dtype"), one_in(2, PRODUCTS, ["i1", "f8", "c16"]), ids=str)
def test_products_of_matrices(product, dtype):
    name, left, right = product
    ufunc = getattr(np, name, None)
    if ufunc is None:
        pytest.skip(f"this NumPy has no {name}")
    x, y = (np.arange(np.prod(shape)).reshape(shape) for shape in (left, right))
    x, y = (x * (2 - 1j), y + 1j) if dtype == "c16" else (x, y)
    x, y = x.astype(dtype), y.astype(dtype)
    assert_same(ufunc(cuda.to_device(x), cuda.to_device(y)), ufunc(x, y), 8)


def test_the_operator_of_matrices():
    x, y = np.arange(6.0).reshape(2, 3), np.eye(3)
    dx, dy = cuda.to_device(x), cuda.to_device(y)
    assert_same(dx @ dy, x)
    dx @= 2 * dy
    assert_same(dx, 2 * x)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        dx @ dx


# --- operators ---


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv]
BINARY += [operator.mod, operator.pow, divmod]
BITWISE = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("apply", BINARY + COMPARISONS + BITWISE)
def test_binary_operators(apply):
    dtype = np.int32 if apply in BITWISE else np.float32
    x, y = np.array([7, 2, 9], dtype), np.array([2, 5, 3], dtype)
    dx, dy = cuda.to_device(x), cuda.to_device(y)
    ulp = 4 if apply is operator.pow else 0
    assert_same(apply(dx, dy), apply(x, y), ulp)
    assert_same(apply(dx, 3), apply(x, 3), ulp)
    assert_same(apply(3, dx), apply(3, x), ulp)


@pytest.mark.parametrize("apply", [operator.neg, operator.pos, abs])
def test_unary_operators(apply):
    x = np.array([7, -2, 0], np.float32)
    assert_same(apply(cuda.to_device(x)), apply(x))


def test_inverted_bits():
    assert_same(~cuda.to_device(np.arange(3)), ~np.arange(3))
    assert_same(~cuda.to_device(np.array([True, False])), np.array([False, True]))


IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv]
IN_PLACE += [operator.imod, operator.ipow]
IN_PLACE_BITS = [operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift]


@pytest.mark.parametrize("apply", IN_PLACE + IN_PLACE_BITS)
def test_operators_in_place(apply):
    dtype = np.int32 if apply in IN_PLACE_BITS else np.float32
    x, y = np.array([7, 2, 9], dtype), np.array([2, 5, 3], dtype)
    dx = cuda.to_device(x)
    assert apply(dx, cuda.to_device(y)) is dx
    assert_same(dx, apply(x, y), 4 if apply is operator.ipow else 0)


def test_operators_that_do_not_fit():
    x = cuda.arange(3)
    with pytest.raises(TypeError, match="casting rule 'same_kind'"):
        x += 1.5
    with pytest.raises(TypeError, match="unsupported operand"):
        pow(x, 2, 5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(TypeError, match=r"cuda\.to_device"):
        x + np.arange(3)
    with pytest.raises(TypeError):
        x + "text"


def test_objects_with_operators_of_their_own_have_their_say():
    class Own:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

        def __lt__(self, other):
            return "less"

    assert cuda.arange(3) + Own() == "mine"
    assert (cuda.arange(3) > Own()) == "less"


# --- arange, astype, assignments ---


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        ((5,), {}),
        ((2, 9, 3), {}),
        ((1.5,), {}),
        ((0, 1, 0.25), {}),
        ((5,), {"dtype": "f4"}),
        ((), {}),
        ((5, 1), {}),
        ((9, -9.5, -0.3), {"dtype": "f4"}),
        ((0.1, 5000, 0.7), {"dtype": "f4"}),
        ((0.1, 5000, 0.7), {}),
        ((0, 3000), {"dtype": "f2"}),
        ((0.2, 90, 0.1), {"dtype": "f2"}),
        ((1000,), {"dtype": "i1"}),
        ((300, 900), {"dtype": "u1"}),
        ((5, 300, 7), {"dtype": "u2"}),
        ((0, 9.5), {"dtype": "i8"}),
        ((0.5, 9, 1.5), {"dtype": "i4"}),
        ((9,), {"dtype": "c8"}),
        ((9,), {"dtype": "?"}),
        ((0, 9, 0), {}),
        ((float("inf"),), {}),
        ((np.float32(9.5),), {}),
        ((-(2**62), -(2**62) + 4), {}),
    ],
    ids=str,
)
def test_arange(limits, named):
    try:
        expected = np.arange(*limits, **named)
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            cuda.arange(*limits, **named)
        assert str(caught.value) == str(error)
    else:
        assert_same(cuda.arange(*limits, **named), expected)


def test_arange_copies_nothing_from_the_host():
    with cuda.simulator() as device:
        before = device.counters.launches
        values = cuda.arange(100_000)
        device.synchronize()
        assert device.counters.launches - before == 1
        assert_same(values, np.arange(100_000))


def cast_cases():
    dtypes = [*ALL, ml_dtypes.bfloat16]
    pairs = [(one, other) for one in dtypes for other in dtypes]
    quick = [("l", "f"), ("d", "b"), ("f", "e"), ("D", "f"), ("d", "?"), ("b", "D"), ("L", "i")]
    return [
        pytest.param(one, other, marks=() if (one, other) in quick else pytest.mark.slow)
        for one, other in pairs
    ]


@pytest.mark.parametrize(("one", "other"), cast_cases())
def test_casts_are_numpys(one, other):
    x = values_of(np.float32 if one is ml_dtypes.bfloat16 else one).astype(one)
    if np.dtype(one).kind in "fcV" and np.dtype(other).kind in "iu":
        x[~np.isfinite(x)] = 1  # no integer value: depends on the processor
        x = np.abs(x)
    assert_same(cuda.to_device(x).astype(other), quietly(x.astype, other))


def test_arguments_of_astype():
    x = cuda.arange(6)[::2]
    address = x.__cuda_array_interface__["data"]
    assert x.astype(np.int64, copy=False).__cuda_array_interface__["data"] == address
    assert x.astype(np.int64).__cuda_array_interface__["data"] != address
    assert x.astype(np.int64).strides == (8,)
    with pytest.raises(TypeError, match=r"Cannot cast .* according to the rule 'safe'"):
        x.astype(np.int8, casting="safe")
    with pytest.raises(ValueError, match="casting must be one of"):
        x.astype(np.int8, casting="sometimes")
    with pytest.raises(TypeError, match=r"no kernel casts float128 to int64; call copy_to"):
        cuda.zeros(3, np.longdouble).astype(np.int64)
    assert cuda.zeros(3, "M8[s]").astype("M8[s]").dtype == np.dtype("M8[s]")


def test_assignments_are_broadcast_and_cast_on_the_device(device):
    x, expected = cuda.zeros((3, 4), np.float32), np.zeros((3, 4), np.float32)
    row, whole = np.arange(4), np.arange(12, dtype=np.int16).reshape(3, 4)
    for key, values in [
        (np.s_[:], row),
        (np.s_[1:], whole[1:]),
        (np.s_[:, 1], np.array(5, np.int8)),
        (np.s_[::-1, ::2], whole[:, ::2]),
        (np.s_[2], whole[None, None, 1]),
        (np.s_[:2, :2], whole[:2, :1]),
    ]:
        x[key] = cuda.to_device(values)
        expected[key] = values
        np.testing.assert_array_equal(x.copy_to_host(), expected)
    x[:] = x[::-1]
    expected[:] = expected[::-1].copy()
    np.testing.assert_array_equal(x.copy_to_host(), expected)


def test_assignments_that_can_not_be():
    x = cuda.zeros((2, 3), np.int32)
    for values, error, message in [
        (cuda.zeros(2, np.int32), ValueError, r"from shape \(2,\) into shape \(2,3\)"),
        (cuda.zeros((2, 2, 3), np.int32), ValueError, "could not broadcast"),
        (cuda.zeros(3), TypeError, "according to the rule 'same_kind'"),
    ]:
        with pytest.raises(error, match=message):
            x[:] = values
    np.testing.assert_array_equal(x.copy_to_host(), 0)


def test_many_pieces_are_copied_by_one_kernel():
    with cuda.simulator() as own:
        x = cuda.to_device(np.arange(600).reshape(20, 30))
        before = own.counters.launches
        turned = x.T.copy()
        cuda.synchronize()
        assert own.counters.launches == before + 1
        np.testing.assert_array_equal(turned.copy_to_host(), x.copy_to_host().T)
        assert turned.strides == (160, 8)


def test_every_ufunc_that_kernels_can_call_takes_device_arrays():
    table = (ROOT / "src/numpy_plugin/kernel/operations.def").read_text(encoding="utf-8")
    names = set(re.findall(r'^ *NPP_PYTHON_NAME\("numpy", "(\w+)"', table, re.MULTILINE))
    ufuncs = {name for name in names if type(getattr(np, name, None)) is np.ufunc}
    assert len(ufuncs) > 40
    assert {getattr(np, name).__name__ for name in ufuncs} - UFUNCS == set()
