"""xarray: DataArray, Dataset and Variable; apply_ufunc for generalized ufuncs and dask."""

import numpy as np
import pytest
from sample_ufuncs import (
    SCALAR_UFUNCS,
    check_call,
    check_limit,
    hypotenuse,
    lazy_hypotenuse,
    limits,
    split,
    total,
)

xr = pytest.importorskip("xarray", reason="xarray is not installed")


def left():
    coords = {"x": [1, 2, 3]}
    return xr.DataArray([3.0, 5.0, 8.0], coords, "x", name="left", attrs={"units": "m"})


def right():
    return xr.DataArray([12.0, 15.0], {"x": [2, 3]}, "x")


def data_set():
    return xr.Dataset({"p": left(), "q": 5 * left()}, attrs={"title": "triangles"})


CALLS = {
    "aligned by coordinates": lambda f: f(left(), right()),
    "broadcast by names": lambda f: f(left(), xr.DataArray([0.0, 0.0], dims="y")),
    "a number": lambda f: f(left(), 0.0),
    "attributes": lambda f: f(left(), 0.0).attrs,
    "float32 stays": lambda f: f(left().astype("float32"), 0),
    "a data set": lambda f: f(data_set(), 0.0),
    "a data set with an array": lambda f: f(data_set(), 0 * left()),
    "a variable": lambda f: f(xr.Variable("x", [3.0]), xr.Variable("y", [4.0])),
    "a coordinate": lambda f: f(left().x, 0.0),
    "out=": lambda f: f(left(), 0.0, out=np.zeros(3)),
    "where=": lambda f: f(left(), 0.0, where=[True, False, True], out=np.ones(3)),
    "dtype=": lambda f: f(left(), 0.0, dtype="float32"),
    "apply_ufunc": lambda f: xr.apply_ufunc(f, left(), right(), join="outer"),
}
LIMITS = {
    method: (call, NotImplementedError, f"{method} method .* not implemented on xarray objects")
    for method, call in {
        "reduce": lambda f: f.reduce(left()),
        "accumulate": lambda f: f.accumulate(left()),
        "outer": lambda f: f.outer(left(), left()),
    }.items()
}
LIMITS["at"] = (lambda f: f.at(left(), [0], 1.0), TypeError, "returned NotImplemented")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls(call, ufunc):
    check_call(call, ufunc, np.hypot)


@limits(LIMITS)
def test_limits_of_xarray(call, error, message):
    check_limit(call, error, message, hypotenuse, np.hypot)


def test_multiple_results():
    check_call(lambda f: f(left() / 2), split, np.modf)
    two = {"output_core_dims": [[], []]}
    check_call(lambda f: xr.apply_ufunc(f, left() / 2, **two), split, np.modf)


def test_generalized_ufuncs_go_through_apply_ufunc():
    with pytest.raises(NotImplementedError, match=r"Instead, use xarray\.apply_ufunc"):
        total(left())
    result = xr.apply_ufunc(total, left(), input_core_dims=[["x"]], keep_attrs=True)
    assert (result.item(), result.attrs) == (16.0, {"units": "m"})


# --- on dask ---


def chunked():
    pytest.importorskip("dask.array", reason="dask is not installed")
    return left().chunk({"x": 2})


@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_calls_on_chunks_are_lazy(ufunc):
    result = ufunc(chunked(), right())
    assert result.chunks == ((1, 1),)
    check_call(lambda f: f(chunked(), right()).compute(), ufunc, np.hypot)


def test_multiple_results_on_chunks_are_lazy():
    fraction, integer = split(chunked() / 2)
    assert fraction.chunks == integer.chunks == ((2, 1),)
    check_call(lambda f: tuple(part.compute() for part in f(chunked() / 2)), split, np.modf)


@pytest.mark.parametrize("ufunc", [hypotenuse, lazy_hypotenuse], ids=["declared", "lazy"])
def test_apply_ufunc_parallelized(ufunc):
    result = xr.apply_ufunc(ufunc, chunked(), 0.0, dask="parallelized")
    assert result.chunks == ((2, 1),)
    xr.testing.assert_equal(result.compute(), left())


def test_generalized_ufuncs_parallelized():
    rows = xr.concat([left(), 2 * left()], dim="row", join="exact").chunk({"row": 1})
    summed = {"input_core_dims": [["x"]], "dask": "parallelized"}
    result = xr.apply_ufunc(total, rows, **summed)
    assert result.chunks == ((1, 1),)
    assert result.values.tolist() == [16.0, 32.0]
    with pytest.raises(ValueError, match="consists of multiple chunks, but is also a core dim"):
        xr.apply_ufunc(total, chunked(), **summed)
