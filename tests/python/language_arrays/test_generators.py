"""Generators in sum, any, all, min, max and math.prod, as Python evaluates them."""

import numpy as np
import pytest
from kernel_source import define, error_of

import numpy_plugin as npp
from numpy_plugin import cuda

# Sums in the type of the elements are what is tested; their warnings are not.
pytestmark = [
    pytest.mark.usefixtures("simulator"),
    pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning"),
]

TEXTS = [
    "sum(v * v for v in a)",
    "sum([v + 1 for v in a])",
    "sum(a[i] * b[i] for i in range(len(a)))",
    "sum(u * v for u, v in zip(a, b))",
    "sum(i * v for i, v in enumerate(a, 1))",
    "sum(u - v for u in a for v in b if u != v)",
    "sum(sum(u * v for u in a) for v in b)",
    "sum((v for v in a), 10)",
    "sum((v for v in a if v > 2), start=b[0])",
    "sum(1 for v in a if v > 2)",
    "sum(v > 2 for v in a)",
    "sum(v for v in a[1:] + b[:-1])",
    "sum(v for v in reversed(a))",
    "sum(v * k for v in (1, 2.5, b[0]))",
    "sum(g(v) for v in a)",
    "sum((lambda w: w + v)(2) for v in a)",
    "math.prod(v for v in a[:4])",
    "any(v > 8 for v in a)",
    "any([v > 80 for v in a])",
    "all(v > 0 for v in a)",
    "all(v > 1 for v in a if v != 2)",
    "max(abs(v) for v in a if v < 3)",
    "min(v for v in a if v > 3 if v < 6)",
    "max((v for v in a if v > 100), default=-1)",
    "max(a for a in a)",
    "max(u - v for u, v in zip(a[1:], a[:-1]))",
    "3 if k > 0 and any(v > 100 for v in a) else 4",
]
DTYPES = ("float64", "float32", "int32", "int8")


@pytest.fixture(scope="module")
def python():
    """Return the kernel of all expressions as a function of Python."""
    outs = [f"o{i}" for i in range(len(TEXTS))]
    lines = [f"    {out}[0] = {text}\n" for out, text in zip(outs, TEXTS, strict=True)]
    head = f"def f(a, b, {', '.join(outs)}):\n    k = b[1]\n    g = lambda v: v * 2 + k\n"
    return define(head + "".join(lines))["f"]


@pytest.fixture(scope="module", params=DTYPES)
def typed(request, python):
    """Return a dtype and the ufunc for it."""
    results = ", ".join(["float64[:]"] * len(TEXTS))
    signature = f"void({request.param}[:], {request.param}[:], {results})"
    layout = f"(n),(n)->{','.join(['()'] * len(TEXTS))}"
    return request.param, npp.guvectorize([signature], layout)(python)


def test_results_are_those_of_python(typed, python):
    dtype, f = typed
    a = np.array([3, 1, 4, 1, 5, 9, 2, 6, 2], dtype)
    b = (a[::-1] // 2 + 1).astype(dtype)
    expected = [np.zeros(1) for _ in TEXTS]
    with np.errstate(over="ignore"):
        python(a, b, *expected)
    numbers = [out[0] for out in expected]
    for x, y in ((a, b), (np.repeat(a, 2)[::2], b[::-1].copy()[::-1])):
        for text, found, number in zip(TEXTS, f(x, y), numbers, strict=True):
            assert found == number, (text, dtype)
    on_device = f(cuda.to_device(a), cuda.to_device(b))
    for text, found, number in zip(TEXTS, on_device, numbers, strict=True):
        assert found.copy_to_host() == number, (text, dtype)


def gufunc(text: str, dtype: str = "float64"):
    f = define(f"def f(a, out):\n    out[0] = {text}\n")["f"]
    return npp.guvectorize([f"void({dtype}[:], float64[:])"], "(n)->()")(f), f


def test_types_are_those_of_the_items():
    @npp.guvectorize("(n)->(),(),()")
    def f(a, total, largest, product):
        total[0] = sum(v for v in a)
        largest[0] = max(v for v in a)
        product[0] = max(i for i in range(3)) * a[0]

    results = f(np.ones(3, np.float32))
    assert [result.dtype.name for result in results] == ["float32"] * 3


def test_nothing_after_the_deciding_item_is_evaluated():
    source = (
        "def f(a, out):\n"
        "    def checked(v):\n"
        "        if v < 0:\n"
        "            raise ValueError('negative')\n"
        "        return v > 5\n"
        "    out[0] = any({0})\n"
    )
    for items, a, is_raised in [
        ("checked(v) for v in a", [1, 9, -1], False),
        ("checked(v) for v in a", [1, -1, 9], True),
        ("[checked(v) for v in a]", [1, 9, -1], True),
    ]:
        python = define(source.format(items))["f"]
        f = npp.guvectorize(["void(float64[:], bool[:])"], "(n)->()")(python)
        for x in (np.array(a, float), cuda.to_device(np.array(a, float))):
            if is_raised:
                with pytest.raises(ValueError, match="negative"):
                    bool(f(x))
            else:
                assert bool(f(x))


def test_the_largest_of_nothing_raises():
    for name in ("min", "max"):
        f, python = gufunc(f"{name}(v for v in a if v > 5)")
        with pytest.raises(ValueError, match="empty"):
            python(np.ones(3), np.zeros(1))
        with pytest.raises(ValueError, match=rf"{name}\(\) iterable argument is empty"):
            f(np.ones(3))
        assert f(np.full(3, 7.0)) == 7


def test_nan_counts_as_in_python():
    for text in ("min(v for v in a)", "max(v for v in a)"):
        f, python = gufunc(text)
        for a in ([np.nan, 1, 2], [1, np.nan, 2], [2, 1, np.nan], [-0.0, 0.0], [0.0, -0.0]):
            expected = np.zeros(1)
            python(np.array(a), expected)
            found = f(np.array(a, float))
            np.testing.assert_array_equal(found, expected[0])
            assert np.signbit(found) == np.signbit(expected[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(v for v in a)", "a generator in a kernel"),
        ("len(v for v in a)", "a generator in a kernel"),
        ("sum(z for v in a)", "unknown name 'z'"),
        ("sum(v for v in a[0])", "must iterate over"),
        ("max((v for v in a), key=abs)", "has no 'key'"),
    ],
)
def test_messages(text, message):
    declare = npp.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    error = error_of(declare, f"def f(a, out):\n    out[0] = {text}\n")
    assert message in str(error)
    assert "called from here" not in str(error)
