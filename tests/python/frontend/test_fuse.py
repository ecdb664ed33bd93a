"""Functions over whole arrays, fused: NumPy's dtype and bits, errors for what needs them whole."""

import itertools

import numpy as np
import pytest
from kernel_source import error_of, function

import numpy_plugin as npp
from numpy_plugin import cuda

# Operations that are exact to the last bit, on every target.
EXACT = [
    "np.where(x > y, x, y)",
    "np.clip(x, 0, 100)",
    "np.clip(x, a_min=1, a_max=None) + x.clip(max=y)",
    "(x > 0) & ~(y > 0) | (x == y)",
    "x.astype(np.float32) * y",
    "x.astype(float) - y.astype(x.dtype, copy=False)",
    "x.astype(int)",
    "y.astype(npp.complex64)",
    "x.astype(bool)",
    "x.real - y.imag",
    "x.conj() + y.copy()",
    "x**2 + 2 * y - 1",
    "np.minimum(x, y) / 2",
    "np.sqrt(np.abs(x)) * np.sqrt(np.abs(y))",
    "x // 2 + x % 3",
    "np.where((x > 0) & (y > 0), x, np.nan)",
    "np.zeros_like(x) - np.ones_like(y)",
    "np.full_like(x, 3) * y",
    "np.logical_and(x > 0, y > 0) ^ (x < y)",
    "x.round() + np.round(y, 2)",
    "np.isnan(x / y)",
    "abs(x) + np.square(y)",
]
BODY = "def f(x, y):\n" + "".join(f"    v{i} = {text}\n" for i, text in enumerate(EXACT))
BODY += f"    return {', '.join(f'v{i}' for i in range(len(EXACT)))}\n"


@pytest.fixture(scope="module")
def plain():
    return function(BODY)


@pytest.fixture(scope="module")
def fused(plain):
    return npp.fuse(plain)


def operands(left: str, right: str) -> tuple[np.ndarray, np.ndarray]:
    values = {"u": [0, 1, 7, 100], "i": [0, 1, 7, 100, -1, -100], "f": [0, 1, 2.5, -1.5, 1e3]}
    pairs = list(itertools.product(values[left[0]], values[right[0]]))
    return np.array([a for a, _ in pairs], left), np.array([b for _, b in pairs], right)


def check(results, expected):
    for text, result, wanted in zip(EXACT, results, expected, strict=True):
        assert result.dtype == wanted.dtype, text
        np.testing.assert_array_equal(result, wanted, err_msg=text)


@pytest.mark.parametrize(
    ("left", "right"), [("i1", "f4"), ("i4", "u4"), ("f4", "f4"), ("i8", "f8")]
)
def test_the_same_text_has_numpys_dtype_and_bits(plain, fused, left, right):
    x, y = operands(left, right)
    with np.errstate(all="ignore"):
        check(fused(x, y), plain(x, y))


@pytest.mark.parametrize("number", [2, 0.25, True])
def test_plain_numbers_of_a_call_are_numpys(number):
    scale = function("def f(x, y):\n    return x * y + 1\n")
    fused = npp.fuse(scale)
    for dtype in ["i1", "i8", "f4", "f8"]:
        x = np.array([1, 2, 100], dtype)
        assert fused(x, number).dtype == scale(x, number).dtype
        np.testing.assert_array_equal(fused(x, number), scale(x, number))


def test_device_arrays_give_the_same_bits(plain, fused):
    x, y = operands("f4", "f4")
    with np.errstate(all="ignore"), cuda.simulator():
        results = fused(cuda.to_device(x), cuda.to_device(y))
        check([item.copy_to_host() for item in results], plain(x, y))


def test_a_decorator_and_a_function():
    @npp.fuse
    def bare(x):
        """Add one."""
        return x + 1

    @npp.fuse(signatures=["float32(float32)"], name="named", doc="Text.")
    def with_options(x):
        return x + 1

    assert type(bare) is np.ufunc
    assert (bare.__name__, bare.__doc__.splitlines()[-1]) == ("bare", "Add one.")
    assert (with_options.__name__, with_options.__doc__.splitlines()[-1]) == ("named", "Text.")
    assert with_options.types == ["f->f"]
    assert bare(np.int8(1)).dtype == np.int8


def test_the_source_holds_one_loop_and_no_temporary():
    wave = npp.fuse(function("def f(a, x, y):\n    return np.exp(a * np.sin(x) + np.cos(y))\n"))
    rng = np.random.default_rng(1)
    a, x, y = rng.uniform(-3, 3, (3, 1000)).astype(np.float32)
    expected = np.exp(a * np.sin(x) + np.cos(y))
    np.testing.assert_allclose(wave(a, x, y), expected, rtol=2e-6)
    source = npp.inspect(wave).source("cpu", "float32(float32, float32, float32)")
    assert "return npp::exp(" in source


def test_operands_are_not_written():
    step = npp.fuse(function("def f(x):\n    x += 1\n    return x\n"))
    x = np.zeros(3)
    assert step(x).tolist() == [1, 1, 1]
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("x - x.sum()", "x.sum needs the whole array", "call np.sum on the result of f"),
        ("(x * y).mean()", "(x * y).mean needs the whole array", "call np.mean on the result of f"),
        ("x.max(axis=0)", "x.max needs the whole array", "call np.max on the result of f"),
        (
            "x.reshape(2, 3)",
            "x.reshape needs the whole array",
            "take x.reshape outside, and pass it",
        ),
        ("x.T + y", "x.T needs the whole array", "take x.T outside, and pass it"),
        ("x / x.size", "x.size needs the whole array", "take x.size outside, and pass it"),
        ("np.sum(x * y)", "np.sum works on whole arrays", "call np.sum on the result of f"),
        (
            "np.dot(x, y)",
            "np.dot works on whole arrays",
            "call np.dot outside, and pass its result",
        ),
        (
            "x / np.linalg.norm(x)",
            "np.linalg.norm works on whole arrays",
            "call np.linalg.norm outside, and pass its result",
        ),
        ("x[0] + y", "x[0] is part of an array", "take it outside, and pass it"),
        ("x[1:] - x[:-1]", "x[1:] is part of an array", "take it outside, and pass it"),
        ("y / len(x)", "len works on whole arrays", "call len outside, and pass its result"),
        ("x @ y", "'@' works on whole arrays", "call np.matmul outside, and pass its result"),
        ("sum(x)", "sum works on whole arrays", "call sum on the result of f"),
    ],
)
def test_what_needs_more_than_an_element_is_an_error(text, message, hint):
    first = error_of(npp.fuse, f"def f(x, y):\n    return {text}\n").diagnostics[0]
    assert first.message == f"{message}; a fused function sees one element"
    assert (first.hint, first.line) == (hint, 2)


def test_all_such_places_are_shown_and_the_next_declaration_works():
    source = "def f(x, y):\n    return x.mean() + y[0] * {}\n"
    assert len(error_of(npp.fuse, source.format("np.cumsum(x)")).diagnostics) == 3
    assert npp.fuse(function("def f(x, y):\n    return divmod(x, y)[0]\n"))(7.0, 2.0) == 3.0


def test_wrong_options():
    with pytest.raises(TypeError, match="fuse has no argument 'signature'") as caught:
        npp.fuse(signature=["float32(float32)"])(lambda x: x)
    assert "did you mean 'signatures'?" in str(caught.value)
    with pytest.raises(npp.KernelError, match="a function is needed, found int"):
        npp.fuse(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x.astype('f5')", "'f5' is not a kernel type"),
        ("x.astype(str)", "'str' is not a kernel type"),
        ("x.astype()", "astype takes 1 argument, 0 given"),
        ("x.astype(np.int8, order='C')", "astype in a kernel has no 'order'"),
        ("x.clip()", "x.clip takes 2 arguments, 0 given"),
        ("np.clip(x, 0, 1, 2)", "np.clip takes 3 arguments, 4 given"),
        ("np.clip(x, 0, 1, out=x)", "'out' cannot be passed in a kernel"),
        ("x.astype(np.complex64).clip(0, 1)", "x.astype(np.complex64).clip needs a real number"),
        ("(x, y).astype(int)", "a tuple of 2 has no 'astype'"),
        ("x.sqrt()", "float32 has no 'sqrt'"),
    ],
)
def test_wrong_methods(text, message):
    declare = npp.vectorize(["float32(float32, float32)"])
    error = error_of(declare, f"def f(x, y):\n    return {text}\n")
    assert error.diagnostics[0].message.startswith(message)
