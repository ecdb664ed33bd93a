"""polars: Series, expressions, map_batches and to_numpy, as with NumPy's ufuncs."""

import numpy as np
import pytest
from sample_ufuncs import (
    SCALAR_UFUNCS,
    check_call,
    check_limit,
    hypotenuse,
    lazy_hypotenuse,
    limits,
    plus,
    running,
    split,
    total,
)

pl = pytest.importorskip("polars", reason="polars is not installed")


def left():
    return pl.Series("left", [3.0, 5.0, None])


def right():
    return pl.Series("right", [4.0, 12.0, 1.0])


def frame():
    return pl.DataFrame({"p": [3.0, 5.0, 8.0], "q": [4.0, 12.0, 15.0], "group": ["a", "a", "b"]})


def grouped(f):
    groups = frame().group_by("group", maintain_order=True)
    return groups.agg(f(pl.col("p"), pl.col("q")))


CALLS = {
    "two series": lambda f: f(left(), right()),
    "a number": lambda f: f(left(), 4.0),
    "an array": lambda f: f(right(), np.array([3.0, 5.0, 0.0])),
    "Float32": lambda f: f(left().cast(pl.Float32), right().cast(pl.Float32)),
    "chunks": lambda f: f(pl.concat([left(), left()], rechunk=False), 4.0),
    "no elements": lambda f: f(pl.Series([], dtype=pl.Float64), 1.0),
    "dtype=": lambda f: f(pl.Series([3, 5]), 4, dtype=np.float32),
    "expressions": lambda f: frame().select(f(pl.col("p"), pl.col("q"))),
    "an expression and a number": lambda f: frame().select(f(pl.col("p"), 0.0)),
    "lazily": lambda f: frame().lazy().select(f(pl.col("p"), pl.col("q"))).collect(),
    "the schema": lambda f: frame().lazy().select(f(pl.col("p"), 1.0)).collect_schema(),
    "groups": grouped,
    "map_batches": lambda f: frame().select(pl.col("p").map_batches(lambda s: f(s, 0.0))),
    "map_batches of two": lambda f: frame().select(
        pl.map_batches(["p", "q"], lambda columns: f(*columns))
    ),
    "to_numpy": lambda f: f(left().to_numpy(), right().to_numpy()),
    "a data frame": lambda f: f(frame().select("p"), frame().select("q")),
}
LIMITS = {
    "reduce": (lambda f: f.reduce(right()), NotImplementedError, "only `__call__` is impl"),
    "accumulate": (lambda f: f.accumulate(right()), NotImplementedError, "only `__call__`"),
    "outer": (lambda f: f.outer(right(), right()), NotImplementedError, "only `__call__`"),
    "out=": (lambda f: f(right(), 1.0, out=np.zeros(3)), TypeError, "argument 'out'"),
    "text": (lambda f: f(pl.Series(["a"]), 1.0), TypeError, "Cannot cast ufunc"),
    "booleans": (lambda f: f(pl.Series([True]), 1.0), TypeError, "Cannot cast ufunc"),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls(call, ufunc):
    check_call(call, ufunc, np.hypot)


@limits(LIMITS)
def test_limits_of_polars(call, error, message):
    check_limit(call, error, message, hypotenuse, np.hypot)


def test_integers():
    numbers = pl.Series("n", [3, 5, 8])
    check_call(lambda f: f(numbers, numbers), plus, np.add)
    check_call(lambda f: f(numbers, right()), plus, np.add)
    check_call(lambda f: f(numbers, 4), hypotenuse, np.hypot)


def test_polars_takes_the_result_type_from_the_signatures():
    """Without any it expects the operands' type, which results of integers may not have."""
    with pytest.raises(TypeError, match="did not contain a loop"):
        lazy_hypotenuse(pl.Series([3]), 4)
    assert lazy_hypotenuse(pl.Series([3]).cast(pl.Float64), 4).to_list() == [5.0]
    assert lazy_hypotenuse(pl.Series([3]).to_numpy(), 4).tolist() == [5.0]


def test_one_result_only():
    for ufunc in (split, np.modf):
        with pytest.raises(NotImplementedError, match="only ufuncs that return one 1D array"):
            ufunc(right())
    assert split(right().to_numpy() / 2)[1].tolist() == [2.0, 6.0, 0.0]


def test_generalized_ufuncs_need_complete_series():
    assert running(right()).to_list() == [4.0, 16.0, 17.0]
    assert total(right()) == 17.0
    with pytest.raises(pl.exceptions.ComputeError, match="with missing data to a generalized"):
        running(left())
    sums = pl.col("p").map_batches(total, return_dtype=pl.Float64, returns_scalar=True)
    assert frame().select(sums).item() == 16.0
