"""Constants that kernels ask NumPy and Python for: limits of types, infinities, texts of dtypes."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from kernel_source import define, function

import numpy_plugin as npp
from numpy_plugin import cuda

FINFO = np.finfo(np.float32)
limits_of = np.iinfo


@npp.vectorize(["float64(float64)"])
def above_one(x):
    """The next number after 1, x times."""
    return 1 + x * np.finfo(np.float64).eps


def test_a_limit_is_a_constant():
    assert above_one(2.0) == 1 + 2 * np.finfo(np.float64).eps
    with cuda.simulator():
        assert above_one(cuda.to_device(np.ones(1))).copy_to_host()[0] == np.nextafter(1, 2)
    assert pickle.loads(pickle.dumps(above_one))(1.0) == np.nextafter(1, 2)


LIMITS = [
    *(f"np.finfo(np.float64).{name}" for name in ("eps", "max", "min", "tiny", "smallest_normal")),
    *(f"np.finfo(float).{name}" for name in ("resolution", "smallest_subnormal", "epsneg")),
    *(
        f"np.finfo({kind}).{name}"
        for kind in ("np.float32", "'f4'", "'float32'")
        for name in ("max",)
    ),
    "np.finfo(np.float16).eps",
    "np.finfo(npp.float32).tiny",
    "FINFO.max",
    "FINFO.eps",
    *(
        f"np.iinfo({kind}).{name}"
        for kind in ("np.int8", "np.int64", "'u1'")
        for name in ("min", "max")
    ),
    "np.iinfo(np.int32).bits",
    "np.finfo(np.float64).nmant",
    "limits_of(npp.uint32).max",
    'float("inf")',
    "-float('-inf')",
    'float(" 1_000.5e-3 ")',
]


def test_limits_have_the_values_and_types_that_numpy_gives_them():
    f = npp.vectorize(function(f"def f(n):\n    return {', '.join(LIMITS)}\n", **globals()))
    for text, found in zip(LIMITS, f(0), strict=True):
        assert (found, found.dtype) == (eval(text), np.asarray(eval(text)).dtype), text


def test_a_plain_infinity_stays_plain():
    @npp.guvectorize("(n)->()")
    def least(a, out):
        found = float("inf")
        for i in range(len(a)):
            found = min(found, a[i])
        out[0] = found

    result = least(np.array([3, 2, 5], np.float32))
    assert (result.dtype, result) == (np.float32, 2)
    assert np.isinf(least(np.zeros(0, np.float32)))
    nan = npp.vectorize(["float32(float32)"])(function("def f(x):\n    return float('nan')\n"))
    assert math.isnan(nan(np.float32(1)))


def test_dtypes_as_texts():
    source = (
        "def f(x):\n"
        "    t = npp.local_array(2, 'u1')\n"
        "    t[0] = x.astype('int16')\n"
        "    return x.astype('f4'), x.astype(np.float32), np.float32(x), x.astype('<i8'), t[0]\n"
    )
    f = npp.vectorize(["float32, float32, float32, int64, uint8(float64)"])(define(source)["f"])
    x = np.array([0.1, 300.7, -1.0])
    expected = x.astype("f4"), x.astype("f4"), x.astype("f4"), x.astype("i8"), x.astype("u1")
    for found, values in zip(f(x), expected, strict=True):
        np.testing.assert_array_equal(found, values)


MISTAKES = {
    "np.finfo(np.int32).max": (
        "np.finfo(np.int32) needs a floating-point dtype and an attribute",
        "eps",
    ),
    "np.finfo(x).eps": (
        "np.finfo(x) needs a floating-point dtype and an attribute",
        "finfo(np.float64).eps",
    ),
    "np.finfo(np.float64).epsilon": (
        "np.finfo(np.float64) needs a floating-point dtype and an attribute",
        "np.finfo(np.float64).eps",
    ),
    "np.iinfo(np.float32).max": (
        "np.iinfo(np.float32) needs an integer dtype and an attribute",
        "np.iinfo(np.int64).max",
    ),
    "float('one')": ("a string in a kernel", ""),
    "float('inf', x)": ("a string in a kernel", ""),
    "int('1')": ("a string in a kernel", ""),
    "x.astype('f5')": ("'f5' is not a kernel type", "npp.float32"),
    "x.astype('S3')": ("'S3' is not a kernel type", ""),
    "x[0]": ("x is a float64, not an array", "arrays are operands of npp.guvectorize"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(["float64(float64)"])(function(f"def f(x):\n    return {text} + x\n"))
    message, hint = MISTAKES[text]
    assert caught.value.diagnostics[0].message == message
    assert hint in caught.value.diagnostics[0].hint


def test_a_local_name_is_no_module():
    source = "def f(x):\n    np = x\n    return np.finfo(x)\n"
    with pytest.raises(npp.KernelError, match=r"float64 has no 'finfo'|not a function"):
        npp.vectorize(["float64(float64)"])(function(source))
    source = "def f(x):\n    float = x\n    return float('inf')\n"
    with pytest.raises(npp.KernelError, match="not a function"):
        npp.vectorize(["float64(float64)"])(function(source))


@pytest.mark.parametrize("line", ["x[0] = 1", "a[0] = x[1]"])
def test_a_number_where_a_device_kernel_needs_an_array(line):
    source = f"def k(a, x):\n    {line}\n"
    with pytest.raises(npp.KernelError) as caught:
        cuda.kernel(define(source, cuda=cuda)["k"], "void(float32[:], float32)")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.hint == "pass an array, float32[:]"
