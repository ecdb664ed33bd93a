"""Operations of float16 and bfloat16 in lane blocks: all values, with the bits of one by one."""

import math

import ml_dtypes
import numpy as np
import pytest
from flag_kinds import collected_kinds
from lane_kernels import one_by_one
from long_runs import in_long_runs

import numpy_plugin as npp

DTYPES = {"float16": np.dtype("float16"), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
BESIDE = [0.0, -0.0, 1.5, -3e-5, 60000.0, np.inf, np.nan]


def arithmetic(x, y):
    return x + y, x - y, x * y, x / y


def rounding(x, y):
    return math.sqrt(x), np.floor(x) + np.ceil(y), np.rint(x), np.sign(x) * np.trunc(y)


def functions(x, y):
    return math.exp(x), math.log(x), math.tanh(x), x**y, math.sin(x) + y


def choosing(x, y):
    least, greatest = np.minimum(x, y), np.maximum(x, y)
    return least, greatest, np.fmin(x, y), np.fmax(x, y), min(x, y), max(x, y), x + y


def of_bits(x, y):
    return -x, abs(x), np.copysign(x, y), np.isnan(x), np.isinf(x), np.isfinite(x), x + y


def conditional(x, y):
    return x * y if x < y else x - y


RESULTS = {
    arithmetic: "TTTT",
    rounding: "TTTT",
    functions: "TTTTT",
    choosing: "TTTTTTT",
    of_bits: "TTT???T",
    conditional: "T",
}
CASES = [
    pytest.param(body, name, id=f"{body.__name__}-{name}") for body in RESULTS for name in DTYPES
]


def declared(body, name):
    """Return the kernel of a body, of functions whose bits are the same everywhere."""
    results = ", ".join({"T": name, "?": "bool"}[letter] for letter in RESULTS[body])
    signature = f"({results})({name}, {name})" if "," in results else f"{results}({name}, {name})"
    return npp.vectorize([signature], target="cpu", math="reproducible")(body)


def in_scalar_form(monkeypatch, body, name):
    monkeypatch.setenv("NUMPY_PLUGIN_CXX", "g++ -DNPP_SCALAR_LOOPS")
    scalar = declared(body, name)
    scalar(*np.ones((2, 1), DTYPES[name]))  # compiles
    monkeypatch.undo()
    return scalar


def operands(name):
    """Return all numbers of a type, and a number for each call."""
    with np.errstate(all="ignore"):
        beside = np.array(BESIDE).astype(DTYPES[name])
    return np.arange(2**16, dtype=np.uint16).view(DTYPES[name]), beside


def bits(result, *, keeps_nan):
    """Return the bits of an array, those of any nan as one unless it is a bit operation's."""
    if result.dtype == bool:
        return result
    is_any = np.isnan(result.astype("f4")) & (not keeps_nan)
    return np.where(is_any, np.uint16(0xFFFF), result.view(np.uint16))


FIRST = [*((body, "float16") for body in RESULTS), (arithmetic, "bfloat16")]
FIRST += [(functions, "bfloat16")]
OTHERS = [(body, "bfloat16") for body in RESULTS if (body, "bfloat16") not in FIRST]


@pytest.mark.parametrize(("body", "name"), [*FIRST, *in_long_runs(*OTHERS)])
def test_all_values(monkeypatch, body, name):
    lanes, scalar = declared(body, name), in_scalar_form(monkeypatch, body, name)
    assert "lane blocks" in npp.inspect(lanes).host_form()
    x, beside = operands(name)
    with np.errstate(all="ignore"):
        for y in beside:
            found, expected = lanes(x, y), scalar(x, y)
            if lanes.nout == 1:
                found, expected = (found,), (expected,)
            for i, pair in enumerate(zip(found, expected, strict=True)):
                keeps_nan = body in (choosing, of_bits) and i < lanes.nout - 1
                ours, theirs = (bits(each, keeps_nan=keeps_nan) for each in pair)
                assert np.array_equal(ours, theirs), (i, y, x[ours != theirs])


def kinds_of(f, x, y):
    with collected_kinds() as kinds:
        f(x, y)
    return kinds - {"underflow"}


@pytest.mark.parametrize(("body", "name"), CASES)
def test_flags(body, name):
    lanes = declared(body, name)
    x, beside = operands(name)
    for part in (x[:0x7C00:999], x[0x7F00:0x7F80:10], x[0x0001:0x0400:50], x[0xFB00:0xFB90:9]):
        for y in beside:
            one_at_a_time = (kinds_of(lanes, part[i : i + 1], y) for i in range(len(part)))
            assert kinds_of(lanes, part, y) == set().union(*one_at_a_time), (part[0], y)


@pytest.mark.parametrize(("body", "name"), CASES)
def test_lengths_and_strides(body, name):
    lanes = declared(body, name)
    x, beside = operands(name)
    x, y = np.random.default_rng(3).permutation(x)[:200], np.resize(beside, 200)
    get = (lambda result: result[0]) if lanes.nout > 1 else (lambda result: result)
    ones = bits(one_by_one(lambda *pair: get(lanes(*pair)), [x, y]), keeps_nan=False)
    with np.errstate(all="ignore"):
        for n in range(1, 71):
            assert np.array_equal(bits(get(lanes(x[-n:], y[-n:])), keeps_nan=False), ones[-n:])
        for step in (2, -1, -3):
            found = bits(get(lanes(x[::step], y[::step])), keeps_nan=False)
            assert np.array_equal(found, ones[::step])


FORMS = [
    (
        lambda x, y: x + y,
        "float16(float16, float16)",
        "lane blocks, on processors with AVX2 or NEON",
    ),
    (lambda x, y: np.sin(x) * y, "bfloat16(bfloat16, bfloat16)", "lane blocks, on processors with"),
    (lambda x, y: abs(x), "float16(float16, float16)", "element by element (nothing that lanes"),
    (
        lambda x, y: x * np.float16(y),
        "float16(float16, float64)",
        "element by element (nothing that",
    ),
    (lambda x, y: x < y, "bool(float16, float16)", "element by element (nothing that lanes"),
]


@pytest.mark.parametrize(
    ("body", "signature", "form"), FORMS, ids=["sum", "sin", "abs", "cast", "less"]
)
def test_forms(body, signature, form):
    f = npp.vectorize([signature], target="cpu")(body)
    assert form in npp.inspect(f).host_form()
