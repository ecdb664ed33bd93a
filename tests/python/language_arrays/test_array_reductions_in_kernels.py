"""Reductions of core arrays, rows, slices and elementwise expressions in kernels, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from device_calls import assert_both
from kernel_source import define, error_of
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("simulator")]


REAL = [
    "a.min()", "np.max(a)", "np.amin(a[1:])", "a[::-1].argmax()", "np.argmin(a)",
    "np.any(a > 2)", "np.argmax(a == 3)",
]  # fmt: skip
ANY = [
    "a.sum()", "np.prod(a[:4])", "a.mean()", "np.any(a)", "a.all()", "np.count_nonzero(a)",
    "np.dot(a, b)", "a.dot(a)", "np.var(a)", "a.std()", "np.var(a, ddof=1)", "np.sum(a * b)",
    "np.sum(np.abs(a - b))", "np.mean(a[1:] * b[:-1])", "(a + b).sum()",
    "np.sum(a, dtype=np.complex128)", "np.count_nonzero(a == b)", "np.sum(a, axis=0)",
    "np.sum(np.where(a == b, a, 0))",
]  # fmt: skip


def of_vectors(texts: list[str]) -> np.ufunc:
    """Return a gufunc with an output for each expression of a and b, typed by what it stores."""
    names = [f"out{k}" for k in range(len(texts))]
    lines = "".join(f"    {name}[0] = {text}\n" for name, text in zip(names, texts, strict=True))
    source = f"def f(a, b, {', '.join(names)}):\n{lines}"
    return npp.guvectorize(f"(n),(n)->{','.join(['()'] * len(texts))}")(define(source)["f"])


# One kernel of more expressions takes long to compile.
MOST = 9


def check(texts: list[str], a: np.ndarray, b: np.ndarray) -> None:
    n_kernels = -(-len(texts) // MOST)
    for first in range(n_kernels):
        check_kernel(texts[first::n_kernels], a, b)


def check_kernel(texts: list[str], a: np.ndarray, b: np.ndarray) -> None:
    ufunc = of_vectors(texts)
    on_device = ufunc(cuda.to_device(a), cuda.to_device(b))
    for text, found, copy in zip(texts, ufunc(a, b), on_device, strict=True):
        expected = np.array(
            [eval(text, {"np": np, "a": x, "b": y}) for x, y in zip(a, b, strict=False)]
        )
        assert found.dtype == expected.dtype, text
        rtol = 2e-3 if a.dtype == np.float16 else 1e-6
        np.testing.assert_allclose(found, expected, rtol, err_msg=text)
        np.testing.assert_array_equal(copy.copy_to_host(), found, text)


@pytest.mark.parametrize(
    ("dtype", "texts"),
    [
        ("int8", REAL + ANY),
        ("float16", (REAL + ANY)[::2]),
        *in_long_runs(("float16", (REAL + ANY)[1::2])),
        *in_long_runs(*((dtype, REAL + ANY) for dtype in ("uint16", "float32", "float64"))),
    ],
    ids=lambda value: value if isinstance(value, str) else str(len(value)),
)
def test_results_and_their_types_are_those_of_numpy(dtype, texts):
    a = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3], [2, 2, 2, 2, 2]], dtype)
    b = np.array([[2, 1, 0, 1, 3], [9, 0, 0, 5, 3], [1, 0, 2, 0, 2]], dtype)
    check(texts, a, b)


@pytest.mark.parametrize("texts", [ANY[::2], *in_long_runs(ANY[1::2])], ids=["some", "others"])
def test_complex_numbers(texts):
    a = np.array([[3 + 1j, 1, 4j, 1 - 2j], [0, 1j, 1, 2]], np.complex64)
    check(texts, a, a.conj())


def test_booleans():
    texts = ["a.sum()", "a.mean()", "a.min()", "np.max(a)", "a.argmax()", "b.argmin()",
             "np.dot(a, b)", "np.any(a & b)", "np.all(a | b)", "a.prod()", "sum(a)"]  # fmt: skip
    a = np.array([[False, True, True], [False, False, False], [True, True, True]])
    check(texts, a, a[::-1].copy())


def test_functions_of_python():
    texts = ["sum(a)", "sum(a[1:], 0.5)", "min(a)", "max(a[::-1])", "any(a > 3)", "all(a != b)",
             "sum(a * b)", "max(a - b)"]  # fmt: skip
    a = np.array([[3, 1, 4], [-1, 5, 9]], np.int32)
    check(texts, a, a[:, ::-1].copy())


def test_nan_is_handled_as_in_numpy():
    texts = ["a.min()", "a.max()", "a.argmin()", "a.argmax()", "a.sum()", "min(a)", "max(a)",
             "np.any(a > 1)"]  # fmt: skip
    nan, inf = np.nan, np.inf
    a = np.array([[1, nan, 0], [nan, 1, nan], [2, 0, nan], [-inf] * 3, [inf] * 3, [0, -inf, inf]])
    check(texts, a, a)


def test_rows_and_matrices():
    texts = ["m.sum()", "m[1].max()", "m[0, :].argmin()", "m[:, 1].mean()", "np.argmax(m)",
             "np.min(m[1:, ::2])", "np.sum(m * m[0])", "m[i].dot(m[:, 0])", "np.var(m[:2])",
             "np.sum(m * m[:, 1:2])", "np.max(m[1][1:] - i)"]  # fmt: skip
    names = [f"out{k}" for k in range(len(texts))]
    lines = "".join(f"    {name}[0] = {text}\n" for name, text in zip(names, texts, strict=True))
    source = f"def f(m, i, {', '.join(names)}):\n{lines}"
    layout = f"(n,n),()->{','.join(['()'] * len(texts))}"
    f = npp.guvectorize(layout)(define(source)["f"])
    m = np.random.default_rng(5).integers(-9, 9, (4, 3, 3)).astype(float)
    i = np.array([0, 2, -1, 1])
    on_device = f(cuda.to_device(m), cuda.to_device(i))
    for text, found, copy in zip(texts, f(m, i), on_device, strict=True):
        expected = [eval(text, {"np": np, "m": x, "i": k}) for x, k in zip(m, i, strict=False)]
        np.testing.assert_allclose(found, expected, err_msg=text)
        np.testing.assert_array_equal(copy.copy_to_host(), found, text)


WITHOUT_ELEMENTS = {
    "a.min()": "zero-size array to reduction operation minimum which has no identity",
    "np.max(a * 2)": "zero-size array to reduction operation maximum which has no identity",
    "a.argmin()": "attempt to get argmin of an empty sequence",
    "np.argmax(a)": "attempt to get argmax of an empty sequence",
    "max(a)": "max() iterable argument is empty",
}


@pytest.mark.parametrize("text", WITHOUT_ELEMENTS)
def test_arrays_without_elements_raise(text):
    f = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")(
        define(f"def f(a, out):\n    out[0] = {text}\n")["f"]
    )
    if not text.startswith("max"):
        with pytest.raises(ValueError) as numpys:
            eval(text, {"np": np, "a": np.zeros(0)})
        assert str(numpys.value) == WITHOUT_ELEMENTS[text]
    for a in (np.zeros((2, 0)), cuda.to_device(np.zeros((2, 0)))):
        with pytest.raises(ValueError) as caught:
            f(a)
        assert str(caught.value) == WITHOUT_ELEMENTS[text]
    assert f(np.array([2.0])) == eval(text, {"np": np, "a": np.array([2.0])})


def test_arrays_without_elements_have_the_values_of_numpy():
    texts = ["a.sum()", "a.prod()", "a.any()", "a.all()", "a.mean()", "np.dot(a, b)",
             "np.count_nonzero(a)", "a.var()"]  # fmt: skip
    check(texts, np.zeros((2, 0)), np.zeros((2, 0)))


def test_sizes_that_differ_raise():
    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->()")
    def f(a, b, out):
        out[0] = np.dot(a, b)

    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->()")
    def g(a, b, out):
        out[0] = np.sum(a * b)

    a, b = np.arange(1.0, 4), np.arange(1.0, 3)
    for ufunc, expression in ((f, np.dot), (g, np.multiply)):
        with pytest.raises(ValueError) as numpys:
            expression(a, b)
        for operands in ((a, b), (cuda.to_device(a), cuda.to_device(b))):
            with pytest.raises(ValueError) as caught:
                ufunc(*operands)
            assert str(caught.value) == str(numpys.value)
    assert_both(g, [a.sum() * 2], a, np.array([[2.0]]))
    assert_both(g, [a.sum() * 2], np.array([[2.0]]), a)


def test_reductions_in_conditions_and_loops():
    @npp.guvectorize(["void(float64[:], int64[:])"], "(n)->()")
    def halvings(a, out):
        t = npp.local_array(4, a.dtype)
        t[:] = a
        out[0] = 0
        while np.any(t > a.dtype.type(1)) and out[0] < 9:
            t[:] = t / 2
            out[0] += 1
        if t.max() > 1 or (len(a) > 3 and np.sum(t) < 0):
            out[0] = -1

    a = np.array([[1.0, 0, 0, 0], [2, 8, 1, 0], [0, 0, 0, 1e9]])
    assert_both(halvings, [0, 3, -1], a)


MISTAKES = {
    "np.dot(m, a)": ("an element of 'out' is a float64, found a 1-dimensional array", ""),
    "a.dot(2)": ("a.dot needs arrays, 2 is int64", ""),
    "max(m)": ("max needs a 1-dimensional array, m has 2 dimensions", "np.max(m)"),
    "c.max()": ("c.max needs real numbers, c is complex128", "c.real"),
    "np.sum(a[1:] * a[2:])": ("a[2:] has size 3 where a[1:] has size 4", ""),
    "a.sum": ("a core array has no 'sum' without a call", "a.sum()"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text):
    declare = npp.guvectorize(
        ["void(float64[:], float64[:,:], complex128[:], float64[:])"], "(5),(n,n),(n)->()"
    )
    caught = error_of(declare, f"def f(a, m, c, out):\n    out[0] = {text}\n")
    (diagnostic,) = caught.diagnostics
    assert (diagnostic.message, diagnostic.hint) == MISTAKES[text]
