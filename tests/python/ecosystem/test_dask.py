"""dask.array: lazy calls whose types are known without running the kernel, methods, tokens."""

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from sample_ufuncs import (
    SCALAR_UFUNCS,
    check_call,
    check_limit,
    halves,
    hypotenuse,
    lazy_hypotenuse,
    limits,
    plus,
    running,
    split,
    total,
)

import numpy_plugin as npp

da = pytest.importorskip("dask.array", reason="dask is not installed")
tokenize = pytest.importorskip("dask.base").tokenize


@npp.vectorize(["float64(float64)"])
def nonzero(x):
    """dask learns the types of unknown functions by calls on zeros."""
    if x == 0:
        raise ZeroDivisionError("x is 0")
    return 1 / x


@npp.guvectorize(["void(float64[:], float64[:])"], "(3)->()")
def triple_product(x, out):
    out[0] = x[0] * x[1] * x[2]


def left():
    return da.from_array(np.array([[3.0, 5.0, 8.0], [3.0, 5.0, 8.0]]), chunks=(1, 2))


def right():
    return da.from_array(np.array([4.0, 12.0, 15.0]), chunks=2)


def written(f):
    out = da.zeros((2, 3), chunks=(1, 2))
    assert f(left(), right(), out=out) is out
    return out


CALLS = {
    "two arrays": lambda f: f(left(), right()),
    "other chunks": lambda f: f(left(), right().rechunk(1)),
    "a number": lambda f: f(left(), 0),
    "a NumPy array": lambda f: f(left(), np.zeros(3)),
    "a list": lambda f: f([0.0, 0.0, 0.0], left()),
    "0-d": lambda f: f(left()[0, 0], right()),
    "float32 stays": lambda f: f(left().astype("float32"), 0.0),
    "promoted": lambda f: f(left().astype("float32"), right()),
    "dtype=": lambda f: f(left(), right(), dtype="float32"),
    "out=": written,
    "where=": lambda f: f(left(), right(), where=left() > 3, out=da.zeros((2, 3), chunks=(1, 2))),
    "unknown chunks": lambda f: f(right()[right() > 4], 0.0),
    "masked": lambda f: f(da.ma.masked_array(right(), [0, 1, 0]), 0.0),
    "outer": lambda f: f.outer(right()[:1], left()[:, :1]),
    "map_blocks": lambda f: da.map_blocks(f, left(), right()),
    "no elements": lambda f: f(left()[:0], right()),
}
LIMITS = {
    method: (call, TypeError, "all returned NotImplemented")
    for method, call in {
        "reduce": lambda f: f.reduce(right()),
        "accumulate": lambda f: f.accumulate(right()),
        "reduceat": lambda f: f.reduceat(right(), [0]),
        "at": lambda f: f.at(right(), [0], right()[0]),
    }.items()
}
LIMITS["casting="] = (
    lambda f: f(left(), right(), casting="no"),
    TypeError,
    r"does not take the following keyword arguments \['casting'\]",
)
LIMITS["shapes"] = (lambda f: f(left(), right()[:2]), ValueError, "could not be broadcast")
LIMITS["a NumPy array as out="] = (
    lambda f: f(left(), right(), out=np.zeros((2, 3))),
    NotImplementedError,
    "expected Dask Array",
)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls(call, ufunc):
    lazy, expected = call(ufunc), call(np.hypot)
    assert isinstance(lazy, da.Array)
    assert (lazy.dtype, type(lazy._meta)) == (expected.dtype, type(expected._meta))
    check_call(lambda f: call(f).compute(), ufunc, np.hypot)


@limits(LIMITS)
def test_limits_of_dask(call, error, message):
    check_limit(call, error, message, hypotenuse, np.hypot)


def test_chunks_stay():
    assert hypotenuse(left(), right()).chunks == left().chunks
    assert hypotenuse.outer(right(), right()).chunks == right().chunks * 2


# --- types without the kernel ---


def test_the_kernel_is_not_run_for_the_types():
    x = da.from_array(np.array([1.0, 2.0, 4.0]), chunks=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = nonzero(x)
        assert result.dtype == np.float64
        assert nonzero(da.zeros((0,), chunks=1)).compute().shape == (0,)
        da.map_blocks(nonzero, x, dtype=float)
        da.apply_gufunc(nonzero, "()->()", x, output_dtypes=float)
    assert result.compute().tolist() == [1.0, 0.5, 0.25]
    with pytest.raises(ZeroDivisionError, match="x is 0"):
        nonzero(da.zeros(3, chunks=1)).compute()
    with pytest.raises(ValueError, match="specify the dtype explicitly"):
        da.map_blocks(nonzero, x)


def test_nothing_divides_by_zero_for_the_types():
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for dtype in ("int64", "float32", "complex64"):
            assert halves(da.zeros((0, 2), dtype=dtype, chunks=1)).compute().shape == (0, 2)
            assert (
                halves(da.zeros(4, dtype=dtype, chunks=2)).dtype
                == halves(np.dtype(dtype).type(0)).dtype
            )


def test_a_graph_compiles_the_kernel_for_its_types_only(compiler_log, empty_cache):
    made = npp.vectorize(["float32(float32)", "float64(float64)"])(lambda x: x + 2)
    declared = len(compiler_log())
    lazily = npp.vectorize(lambda x: x + 3)
    made(da.ones(4, chunks=2))
    assert len(compiler_log()) == declared
    lazily(da.ones(4, chunks=2))
    lazily(da.ones((4, 3), chunks=2))
    da.map_blocks(lazily, da.ones(5, chunks=2))
    assert len(compiler_log()) == declared + 1


@pytest.mark.parametrize("dtype", ["U3", "complex128", "datetime64[s]", object])
@pytest.mark.parametrize("ufunc", [hypotenuse, total, split], ids=["scalar", "gufunc", "multiple"])
def test_chunks_of_other_types_are_refused_at_the_call(ufunc, dtype):
    operands = [da.from_array(np.zeros(3, dtype), chunks=3)] * ufunc.nin
    with pytest.raises(TypeError, match=f"ufunc '{ufunc.__name__}' not supported for the input"):
        ufunc(*operands)


def test_chunks_of_another_type_than_dask_was_told():
    wrong = da.map_blocks(lambda x: x.astype(complex), right(), dtype="float64")
    with pytest.raises(TypeError, match="ufunc 'hypotenuse' not supported for the input types"):
        hypotenuse(wrong, 0.0).compute()


# --- generalized ufuncs and multiple results ---


def test_generalized_ufuncs():
    rows = left().rechunk({1: -1})
    for result in (total(rows), da.apply_gufunc(total, "(n)->()", rows, output_dtypes=float)):
        assert (result.dtype, result.chunks) == (np.float64, ((1, 1),))
        assert result.compute().tolist() == [16.0, 16.0]
    np.testing.assert_array_equal(running(rows).compute(), left().compute().cumsum(axis=1))
    assert total(rows.rechunk(-1), axis=0).compute().tolist() == [6.0, 10.0, 16.0]
    assert total(rows, keepdims=True).compute().tolist() == [[16.0], [16.0]]


def test_core_dimensions_of_a_fixed_size():
    rows = left().rechunk({1: -1})
    assert triple_product(rows).compute().tolist() == [120.0, 120.0]


def test_core_dimensions_in_several_chunks():
    with pytest.raises(ValueError, match="consists of multiple chunks"):
        total(left())
    assert total(left(), allow_rechunk=True).compute().tolist() == [16.0, 16.0]


def test_multiple_results():
    fraction, integer = split(left() / 2)
    assert fraction.chunks == integer.chunks == left().chunks
    check_call(lambda f: tuple(part.compute() for part in f(left() / 2)), split, np.modf)


def test_integers():
    numbers = da.arange(6, chunks=4)
    check_call(lambda f: f(numbers, 1).compute(), plus, np.add)
    check_call(lambda f: f(numbers, 1.5).compute(), plus, np.add)
    assert plus(numbers, 1).dtype == np.int64


# --- tasks ---


def test_tokens_are_the_same_in_every_process():
    program = """
from dask.base import tokenize
from sample_ufuncs import hypotenuse, lazy_hypotenuse, split, total
import dask.array as da
print(*map(tokenize, (hypotenuse, lazy_hypotenuse, split, total)))
print(hypotenuse(da.ones(4, chunks=2), 1.0).name)
"""
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    (text,) = printed
    tokens = text.splitlines()[0].split()
    assert len(set(tokens)) == 4
    assert tokens == [tokenize(f) for f in (hypotenuse, lazy_hypotenuse, split, total)]


def test_tokens_survive_a_journey_and_follow_the_kernel():
    assert tokenize(pickle.loads(pickle.dumps(total))) == tokenize(total)
    one, other = npp.vectorize(lambda x: x * 2), npp.vectorize(lambda x: x * 3)
    assert tokenize(one) != tokenize(other)
    x = da.ones(4, chunks=2)
    assert one(x).name != other(x).name
    assert (one(x).sum().compute(), other(x).sum().compute()) == (8.0, 12.0)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_schedulers(scheduler):
    local = npp.vectorize(lambda x, y: x * 10 + y)
    result = total(hypotenuse(left(), local(0, right())).rechunk({1: -1}))
    expected = np.hypot(left().compute(), right().compute()).sum(axis=1)
    np.testing.assert_array_equal(result.compute(scheduler=scheduler), expected)


def test_ufuncs_in_functions_of_blocks():
    def block(x, y):
        return lazy_hypotenuse(x, y) + halves(x)

    result = da.map_blocks(block, left(), right())
    expected = np.hypot(left(), right()) + left() / 2
    np.testing.assert_array_equal(result.compute(scheduler="threads"), expected.compute())


def test_several_results_of_operands_in_other_chunks():
    both = npp.vectorize(["float64, float64(float64, float64)"])(lambda a, b: (a + b, a - b))
    values = np.arange(12.0).reshape(3, 4)
    chunked = da.from_array(values, chunks=(2, 3))
    for other in (chunked.rechunk(1), chunked[0].rechunk(1), np.arange(4.0), 1.0):
        expected = both(values, np.asarray(other))
        for lazy, result in zip(both(chunked, other), expected, strict=True):
            np.testing.assert_array_equal(lazy.compute(), result)
