"""What people stumble over: what a kernel says there, and what it computes on both targets."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from kernel_source import define, expressions, function
from numpy_versions import BEFORE_2_4

import numpy_plugin as npp
from numpy_plugin import cuda


def on_both(ufunc: np.ufunc, *operands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a ufunc's result on the CPU and on the device."""
    with cuda.simulator(memory="64 MiB"), np.errstate(all="ignore"):
        device_result = ufunc(*[cuda.to_device(operand) for operand in operands])
        return ufunc(*operands), device_result.copy_to_host()


def test_small_sum_warns():
    source = "def f(a, out):\n    s = 0\n    for i in range(a.shape[0]):\n        s += a[i]\n"
    source += "    out[0] = s\n"
    with pytest.warns(npp.KernelWarning, match="'s' adds up in int8 and wraps past 127"):
        f = npp.guvectorize(["void(int8[:], int64[:])"], "(n)->()")(function(source))
    for result in on_both(f, np.array([[100, 100, 100]], np.int8)):
        assert result.tolist() == [44]


@pytest.mark.parametrize(
    ("statement", "addend"),
    [
        ("r = r * 10 + (x - 48)", "x - 48"),
        ("r = x + r * 31", "x"),
        ("r = r + x", "x"),
    ],
)
def test_numbers_that_grow_from_a_plain_one_warn(statement, addend):
    source = f"def f(a, out):\n    r = 0\n    for x in a:\n        {statement}\n    out[0] = r\n"
    with pytest.warns(npp.KernelWarning) as caught:
        npp.guvectorize(["void(uint8[:], int64[:])"], "(n)->()")(function(source))
    message = str(caught[0].message)
    assert "'r' adds up in uint8 and wraps past 255" in message
    assert f"r starts as a plain number and takes the type of {addend}" in message
    wide = source.replace("r = 0", "r = np.int64(0)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = npp.guvectorize(["void(uint8[:], int64[:])"], "(n)->()")(function(wide, np=np))
    digits = np.frombuffer(b"93412", np.uint8)
    expected = 0
    for x in digits.tolist():
        expected = eval(statement.partition("=")[2], {"r": expected, "x": x})
    assert f(digits) == expected


@pytest.mark.parametrize(
    ("statement", "sum_text"),
    [
        ("out[0] += a[i]", "out[0]"),
        ("out[0] = out[0] + a[i]", "out[0]"),
        ("total[1] += a[i]", "total[1]"),
        ("for k in range(3):\n            out[i] += a[k]", "out[i]"),
    ],
)
def test_small_sum_in_an_element_warns(statement, sum_text):
    source = (
        "def f(a, out):\n    total = np.zeros(2, np.int16)\n"
        f"    for i in range(a.shape[0]):\n        {statement}\n    out[0] = total[0]\n"
    )
    hint = "declare out as int64[:]" if sum_text.startswith("out") else "np.int64(0)"
    with pytest.warns(npp.KernelWarning) as caught:
        npp.guvectorize(["void(int16[:], int16[:])"], "(n)->(n)")(function(source))
    message = str(caught[0].message)
    assert f"'{sum_text}' adds up in int16 and wraps past 32767" in message
    assert hint in message


@pytest.mark.parametrize(
    "statement", ["out[i] += a[i]", "out[a[i]] += a[0]", "out[0] += 1", "wide[0] += a[i]"]
)
def test_sums_that_do_not_add_up_in_a_small_element_do_not_warn(statement):
    source = (
        "def f(a, out):\n    wide = np.zeros(1, np.int64)\n"
        f"    for i in range(a.shape[0]):\n        {statement}\n    out[0] = 1\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* is read before it is written")
        npp.guvectorize(["void(int16[:], int16[:])"], "(n)->(n)")(function(source))


NARROW_SUMS = {
    "s = 0.0; for i in range(len(x)): s += x[i]": True,
    "s = 0; for i in range(len(x)): s = s + x[i] * x[i]": True,
    "s = 0.0; for v in x[1:]: s += v": True,
    "s = 0.0; for i in range(100): t = x[i]; s += t": True,
    "s = x.dtype.type(0); for v in x: s += v": False,
    "s = 0.0; for k in range(5): s += x[k]": False,
    "s = 0.0; for i in range(len(x)): s += 0.5 * (1 - s)": False,
    "s = 0.0; for i in range(len(x)): s -= x[i]; s = max(s, 0.0) + 1": False,
    "s = np.sum(x)": False,
}


@pytest.mark.parametrize("text", NARROW_SUMS)
def test_narrow_sums_of_elements_warn(text):
    first, _, rest = text.partition("; for ")
    head, _, body = rest.partition(": ") if rest else ("", "", "")
    loop = f"    for {head}:\n" + "".join(f"        {each}\n" for each in body.split("; "))
    f = function(f"def f(x, o):\n    {first}\n{loop if rest else ''}    o[0] = s\n")
    signatures = [f"void({dtype}[:], {dtype}[:])" for dtype in ("float16", "float32", "float64")]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        npp.guvectorize(signatures, "(n)->()")(f)
    narrow = ["float16", "float32"] if NARROW_SUMS[text] else []
    assert len(caught) == len(narrow)
    for each, dtype in zip(caught, narrow, strict=True):
        assert f"'s' adds up in {dtype}, one" in str(each.message)


def test_bool_plus_bool_warns():
    with pytest.warns(npp.KernelWarning, match=r"'\+' of two bools is a bool, never 2"):
        f = npp.vectorize(["int32(float32, float32)"])(
            function("def f(x, y):\n    return (x > 0) + (y > 0)\n")
        )
    ones = np.ones(2, np.float32)
    for result in on_both(f, ones, ones):
        assert result.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("dtype", "text", "said"),
    [
        ("uint8", "x + 300", "300 does not fit uint8"),
        ("uint8", "x * -1", "-1 does not fit uint8"),
        ("int8", "x | 0x80", "128 does not fit int8"),
        ("uint8", "x & -1", "-1 does not fit uint8"),
        ("int8", "x + (100 + 100)", "200 does not fit int8"),
        ("int8", "min(x, 300)", "300 does not fit int8"),
        ("int64", "x + 2**64", "18446744073709551616 does not fit int64"),
        ("uint64", "x + -1", "-1 does not fit uint64"),
    ],
)
def test_literal_out_of_range(dtype, text, said):
    with pytest.raises(npp.KernelError, match=f"^{said}".replace("*", "\\*")):
        expressions("x", [text])(np.ones(1, dtype))


def test_zero_trip_unassigned():
    source = "def f(n):\n    for i in range(n):\n        last = i\n    return {}\n"
    for name in ("i", "last"):
        with pytest.warns(npp.KernelWarning, match=f"^'{name}' may have no value here"):
            f = npp.vectorize(["int64(int64)"])(function(source.format(name)))
        for result in on_both(f, np.array([1, 5])):
            assert result.tolist() == [0, 4]
        with pytest.raises(UnboundLocalError, match=f"local variable '{name}'") as caught:
            f([3, 0, 2])
        assert caught.value.element == (1,)


def test_loop_variable_last_value():
    source = "def f(n):\n    i = -1\n    for i in range(n):\n        pass\n    return i\n"
    f = npp.vectorize(["int64(int64)"])(function(source))
    for result in on_both(f, np.array([0, 1, 5])):
        assert result.tolist() == [-1, 0, 4]


def test_a_loop_that_returns_in_its_first_trip():
    source = (
        "def f(x):\n    for i in range(2, 9):\n        x = x + i\n        if x > 0:\n"
        "            return x * i\n        else:\n            return -x\n"
    )
    f = npp.vectorize(["float64(float64)", "int8(int8)"])(function(source))
    for dtype in (np.float64, np.int8):
        for result in on_both(f, np.array([1, -5], dtype)):
            assert result.tolist() == [6, 3]


def test_range_step_zero():
    with pytest.raises(npp.KernelError, match=r"^range with step 0"):
        function_text = "def f(n):\n    for i in range(0, 9, 0):\n        n += i\n    return n\n"
        npp.vectorize(["int64(int64)"])(function(function_text))
    source = "def f(n, step):\n    s = 0\n    for i in range(0, n, step):\n        s += 1\n"
    f = npp.vectorize(["int64(int64, int64)"])(function(source + "    return s\n"))
    for result in on_both(f, np.array([9, 9, -9]), np.array([1, 2, -2])):
        assert result.tolist() == [9, 5, 5]
    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
        f(9, np.array([1, 0]))


def test_range_near_max_terminates():
    source = (
        "def f(n):\n    s = 0\n    for i in range(n - 5, n, 2):\n        s += 1\n    return s\n"
    )
    f = npp.vectorize(["int64(int64)"])(function(source))
    for result in on_both(f, np.array([2**63 - 1, 10])):
        assert result.tolist() == [3, 3]


def test_cast_nan_inf_all_targets():
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 300.0, -1.0])
    names = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    f = expressions("x", [f"npp.{name}(x)" for name in names])
    with cuda.simulator(memory="64 MiB"), np.errstate(all="ignore"):
        device_results = [result.copy_to_host() for result in f(cuda.to_device(x))]
        for name, result, device_result in zip(names, f(x), device_results, strict=True):
            wanted = np.concatenate([x[i : i + 1].astype(name) for i in range(len(x))])
            np.testing.assert_array_equal(result, wanted, err_msg=name)
            np.testing.assert_array_equal(device_result, wanted, err_msg=name)


def test_constants_are_folded_before_they_meet_a_type():
    f = expressions("x", ["x + 100 + 100", "(x + 100) * (3 - 2)"])
    first, second = f(np.array([1], np.int8))
    assert (first.tolist(), second.tolist()) == ([-55], [101])


def test_comparisons_with_a_number_that_cannot_be_are_settled_and_said():
    with pytest.warns(npp.KernelWarning, match="^always False: a uint8 is never below 0"):
        f = npp.vectorize(["bool(uint8)"])(function("def f(u):\n    return u < 0\n"))
    for result in on_both(f, np.array([0, 255], np.uint8)):
        assert result.tolist() == [False, False]


def test_a_warning_is_given_once_for_each_place():
    source = "def f(x, y):\n    return (x > 0) + (y > 0)\n"
    f = define(source)["f"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        npp.vectorize(["bool(float32, float32)", "bool(float64, float64)"])(f)
    assert len(caught) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [5, 20])  # the plain loop and the vectorized one
def test_the_integer_of_an_absolute_value_may_be_negative(dtype, size):
    x = np.resize(np.array([np.nan, 1e30, -np.inf, 2, 5], dtype), size)
    f = expressions("x", ["int(abs(x)) < 0", "np.int32(x * x) < 0", "int(np.sqrt(x)) < 0"])
    with np.errstate(all="ignore"):
        results = f(x)
        wanted = [abs(x).astype("i8") < 0, (x * x).astype("i4") < 0, np.sqrt(x).astype("i8") < 0]
        for result, negative in zip(results, wanted, strict=True):
            np.testing.assert_array_equal(result, negative)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [5, 20])
def test_back_to_floating_an_integer_is_what_it_was(dtype, size):
    x = np.resize(np.array([-0.5, 1e30, np.nan, -(2.0**63), -(2.0**31), 7.5], dtype), size)
    casts = [(npp.int32, "i4"), (npp.int64, "i8"), (npp.uint32, "u4"), (npp.uint64, "u8")]
    texts = [f"floating({cast.name}(x))" for cast, _ in casts]
    names = {cast.name: cast for cast, _ in casts}
    f = expressions("x", texts, floating=np.dtype(dtype), **names)
    with np.errstate(all="ignore"):
        for result, (_, integer) in zip(f(x), casts, strict=True):
            through = x.astype("i8").astype("u4") if integer == "u4" else x.astype(integer)
            np.testing.assert_array_equal(result, through.astype(dtype))
            assert not np.signbit(result[result == 0]).any()


def test_a_cast_of_a_whole_number_is_a_cast_of_its_floating_value():
    x = np.full(20, 2**32 - 1, np.uint32)
    f = expressions("x", ["npp.uint16(np.float64(x))", "npp.int32(np.float64(x))", "np.int32(x)"])
    with np.errstate(all="ignore"):
        assert [result[0] for result in f(x)] == [0, -(2**31), -1]


def test_casts_of_constants_that_the_compiler_finds_late():
    source = "def f(a):\n    b = a // a\n    return int(b / b), int((b - 1) / (b - b))\n"
    with np.errstate(all="ignore"):
        for result in npp.vectorize(function(source))(np.array([0, 5, 7], np.int16)):
            assert result[0] == -(2**63)


def test_the_smallest_integers_raise_no_flag():
    x = np.full(20, -(2.0**31))
    with np.errstate(all="raise"):
        for result in expressions("x", ["np.int32(x)", "int(x * 2.0**32)"])(x):
            assert result.tolist() == [np.iinfo(result.dtype).min] * 20


def test_powers_of_booleans():
    x = np.array([False, True])
    texts = ["x ** 2", "x ** 3", "x ** 1", "x ** x", "(x > 0) ** 2"]
    texts += [] if BEFORE_2_4 else ["x ** 2.0"]
    for text, result in zip(texts, expressions("x", texts)(x), strict=True):
        expected = eval(text, {"x": x})
        assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist()), text
    y = x * 1.0
    assert npp.vectorize(function("def f(x):\n    return (x > 0) ** 2\n"))(y).dtype == np.int8
