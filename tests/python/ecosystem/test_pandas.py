"""pandas: Series, DataFrame, Index, nullable, Arrow and sparse dtypes, as with NumPy's ufuncs."""

import numpy as np
import pytest
from sample_ufuncs import (
    SCALAR_UFUNCS,
    check_call,
    check_limit,
    hypotenuse,
    limits,
    plus,
    running,
    split,
    total,
)

pd = pytest.importorskip("pandas", reason="pandas is not installed")


def left():
    return pd.Series([3.0, 5.0, np.nan], index=list("abc"), name="left")


def right():
    return pd.Series([12.0, 4.0, 8.0], index=list("bad"), name="right")


def frame():
    return pd.DataFrame({"p": [3.0, 5.0], "q": [4.0, 12.0]}, index=["u", "v"])


def nullable(dtype):
    return pd.array([3, None, 5], dtype=dtype), pd.array([4, 1, 12], dtype=dtype)


def written_to(f):
    out = np.zeros(3)
    f(left(), 4.0, out=out)
    return out


def updated(f):
    series = left()
    f.at(series, [label == "a" for label in series.index], 4.0)
    return series


CALLS = {
    "aligned by labels": lambda f: f(left(), right()),
    "a number": lambda f: f(left(), 4.0),
    "a number first": lambda f: f(4, left()),
    "float32 stays": lambda f: f(left().astype("float32"), np.float32(4)),
    "an array": lambda f: f(left(), np.array([4.0, 12.0, 1.0])),
    "a list": lambda f: f(left(), [4.0, 12.0, 1.0]),
    "no elements": lambda f: f(pd.Series([], dtype="float64"), 1.0),
    "a frame": lambda f: f(frame(), 4.0),
    "frames, aligned": lambda f: f(frame(), frame()[["q"]]),
    "an index": lambda f: f(pd.Index([3, 5, 8], name="i"), pd.Index([4, 12, 15])),
    "a range index": lambda f: f(pd.RangeIndex(1), 1),
    "Int64": lambda f: f(*nullable("Int64")),
    "Int64 in a series": lambda f: f(pd.Series(nullable("Int64")[0], name="n"), 4),
    "Float64": lambda f: f(*nullable("Float64")),
    "Float32": lambda f: f(*nullable("Float32")),
    "Int64 with Float64": lambda f: f(nullable("Int64")[0], nullable("Float64")[1]),
    "sparse": lambda f: f(pd.arrays.SparseArray([3.0, 0, 0], fill_value=0.0), 4.0),
    "out=": lambda f: f(left(), 4.0, out=np.zeros(3)),
    "out= holds the values": written_to,
    "where=": lambda f: f(left(), 4.0, where=[True, False, True], out=np.zeros(3)),
    "dtype=": lambda f: f(left(), 4.0, dtype="float32"),
    "reduce": lambda f: f.reduce(left()[:2]),
    "reduce Float64": lambda f: f.reduce(nullable("Float64")[0]),
    "reduce a frame": lambda f: f.reduce(frame()),
    "accumulate": lambda f: f.accumulate(left()),
    "at": updated,
}
ARROW_CALLS = {
    "missing": lambda f: f(pd.Series(nullable("float64[pyarrow]")[0], index=list("abc")), 4.0),
    "two arrays": lambda f: f(*nullable("float64[pyarrow]")),
    "integers": lambda f: f(pd.Series(pd.array([3, 5], dtype="int64[pyarrow]")), [4, 12]),
    "with Int64": lambda f: f(pd.Series(nullable("float64[pyarrow]")[0]), nullable("Int64")[1]),
}
LIMITS = {
    "a frame with a series": (
        lambda f: f(frame(), left()),
        NotImplementedError,
        "to mixed DataFrame and Series",
    ),
    "outer": (lambda f: f.outer(left(), left()), NotImplementedError, "^$"),
    "reduceat": (lambda f: f.reduceat(left(), [0, 1]), ValueError, "Length of values"),
    "categories": (
        lambda f: f(pd.Series(pd.Categorical([1, 2])), 1),
        TypeError,
        "dtype category cannot perform the numpy op",
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls_and_methods(call, ufunc):
    check_call(call, ufunc, np.hypot)


@pytest.mark.parametrize("call", ARROW_CALLS.values(), ids=ARROW_CALLS.keys())
def test_arrow_types(call):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    check_call(call, hypotenuse, np.hypot)


@limits(LIMITS)
def test_limits_of_pandas(call, error, message):
    check_limit(call, error, message, hypotenuse, np.hypot)


@pytest.mark.parametrize("dtype", [object, "str", "datetime64[ns]"])
def test_other_types_are_refused_as_by_numpy(dtype):
    with pytest.raises(TypeError, match="hypotenuse"):
        hypotenuse(pd.Series(["2020-01-01"], dtype=dtype), 1.0)


MULTIPLE = {
    "a series": lambda f: f(left()),
    "a frame": lambda f: f(frame() / 2),
    "Float64": lambda f: f(nullable("Float64")[0]),
    "an index": lambda f: f(pd.Index([1.5, 2.25])),
}


@pytest.mark.parametrize("call", MULTIPLE.values(), ids=MULTIPLE.keys())
def test_multiple_results(call):
    check_call(call, split, np.modf)


INTEGERS = {
    "Int64": lambda f: f(nullable("Int64")[0], 1),
    "Int64 with a float": lambda f: f(nullable("Int64")[0], 1.5),
    "reduce Int64": lambda f: f.reduce(nullable("Int64")[1]),
    "reduce with missing values": lambda f: f.reduce(nullable("Int64")[0]),
    "accumulate Int64": lambda f: f.accumulate(pd.Series(nullable("Int64")[1])),
}


@pytest.mark.parametrize("call", INTEGERS.values(), ids=INTEGERS.keys())
def test_integers(call):
    check_call(call, plus, np.add)


def test_reductions_that_pandas_has_itself_give_values_without_labels():
    np.testing.assert_array_equal(plus.reduce(frame()), np.add.reduce(frame()).to_numpy())


def test_generalized_ufuncs_of_one_size():
    pd.testing.assert_series_equal(running(left()), left().cumsum(skipna=False))
    pd.testing.assert_series_equal(running(right()), right().cumsum())
    assert total(right()) == 24.0
    assert total(frame().to_numpy()).tolist() == [7.0, 17.0]


def test_functions_of_users():
    assert frame().apply(lambda column: hypotenuse(column, 4.0))["p"].tolist()[0] == 5.0
    by_key = frame().assign(key=["a", "a"]).groupby("key")
    assert by_key.transform(lambda column: running(column))["q"].tolist() == [4.0, 16.0]
    assert left().pipe(hypotenuse, 4.0).name == "left"
    assert right().transform(lambda column: hypotenuse(column, 0.0)).equals(right())
