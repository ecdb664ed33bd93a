"""Ufuncs of records: NumPy's own calls on the host, and the same on device arrays."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

ALIGNED = np.dtype([("x", "f4"), ("y", "f8")], align=True)
PACKED = np.dtype([("tag", "i1"), ("x", "f4"), ("y", "f8")])
POLAR = np.dtype([("r", "f8"), ("angle", "f8")], align=True)


def points(dtype, n=1000) -> np.ndarray:
    array = np.zeros(n, dtype)
    array["x"] = np.arange(n) % 7
    array["y"] = np.arange(n) / 8
    return array


@pytest.fixture(scope="module", params=[ALIGNED, PACKED], ids=["aligned", "packed"])
def weighted(request):
    record = npp.from_dtype(request.param)

    @npp.vectorize([npp.float64(record, npp.float64)])
    def weighted(point, weight):
        """Return the weighted sum."""
        return point.x + point["y"] * weight

    return weighted, points(request.param)


@pytest.fixture(scope="module")
def polar():
    result = npp.from_dtype(POLAR)

    @npp.vectorize([result(npp.from_dtype(ALIGNED))])
    def polar(point):
        return np.hypot(point.x, point.y), np.arctan2(point.y, point.x)

    return polar


@pytest.fixture(scope="module")
def scaled():
    record, result = npp.from_dtype(ALIGNED), npp.from_dtype(POLAR)
    signature = npp.void(record[:], npp.float64, result[:], result[:])

    @npp.guvectorize([signature], "(n),()->(n),()")
    def scaled(rows, factor, out, total):
        total[0].r = 0
        for i, row in enumerate(rows):
            out[i].r = row.x * factor
            out.angle[i] = row.y
            total[0].r += row.x
        total[0].angle = len(rows)

    return scaled


def test_calls(weighted):
    f, a = weighted
    assert type(f) is np.ufunc
    assert (f.nin, f.nout, f.signature) == (2, 1, None)
    known = a["x"].astype("f8") + a["y"] * 2
    for weight in (2, 2.0, np.full(1000, 2.0), np.full(1000, 2, "i4")):
        np.testing.assert_array_equal(f(a, weight), known)
    np.testing.assert_array_equal(f(a[::-3], 2), known[::-3])
    np.testing.assert_array_equal(f(a[:, None], [2, 2]), known[:, None].repeat(2, 1))
    assert f(a[5], 2) == known[5]
    assert f(a[:0], 2).shape == (0,)
    out = np.full(1000, -1.0)
    assert f(a, 2, out=out, where=a["x"] > 3) is out
    np.testing.assert_array_equal(out, np.where(a["x"] > 3, known, -1))
    np.testing.assert_array_equal(f.outer(a[:3], [2.0, 2.0])[:, 1], known[:3])


def test_description(weighted):
    f, a = weighted
    assert f.__name__ == "weighted"
    assert "weighted(point, weight, /, out=None" in f.__doc__
    assert list(inspect.signature(f).parameters)[:2] == ["point", "weight"]
    again = pickle.loads(pickle.dumps(f))
    np.testing.assert_array_equal(again(a, 3), f(a, 3))
    assert again.__doc__ == f.__doc__
    assert npp.inspect(f).signatures[0].startswith("float64(")


def test_other_operands(weighted):
    f, a = weighted
    for wrong in (np.zeros(3), np.zeros(3, [("s", "S3"), ("x", "f8"), ("y", "f8")])):
        with pytest.raises(TypeError, match="'weighted' not supported for the input types"):
            f(wrong, 1.0)
    with pytest.raises(TypeError, match="'weighted' not supported for the input types"):
        f(a, 1.0, out=np.zeros(1000, "i4"))
    assert f(a[:2], 1.0).shape == (2,)


def test_results_are_records(polar):
    a = points(ALIGNED)
    found = polar(a)
    assert found.dtype == POLAR
    np.testing.assert_allclose(found["r"], np.hypot(a["x"], a["y"]), rtol=1e-15)
    assert polar(a, out=np.zeros(1000, POLAR)).tolist() == found.tolist()
    with cuda.simulator():
        device = cuda.to_device(a)
        computed = polar(device).copy_to_host()
        assert computed.dtype == POLAR
        np.testing.assert_allclose(computed["angle"], found["angle"], rtol=1e-15)
        out = cuda.device_array(1000, POLAR)
        assert polar(device, out=out) is out
        np.testing.assert_array_equal(out.copy_to_host(), computed)
        with pytest.raises(TypeError, match=r"operand 0 of 'polar' is of records .* found fl"):
            polar(device["y"])
        with pytest.raises(TypeError, match=r"'polar\.at' works on host arrays only"):
            polar.at(device, [0])


def test_device_arrays(weighted):
    f, a = weighted
    with cuda.simulator():
        device = cuda.to_device(a)
        if a.dtype == PACKED:
            with pytest.raises(ValueError, match="operand 0 of 'weighted': the field 'x' is at"):
                f(device, 1.5)
            return
        known = f(a, 1.5)
        np.testing.assert_array_equal(f(device, 1.5).copy_to_host(), known)
        found = f(device[::2], device["y"][::2])
        np.testing.assert_array_equal(found.copy_to_host(), f(a[::2], a["y"][::2]))


def test_core_dimensions(scaled):
    a = points(ALIGNED, 12).reshape(3, 4)
    out, total = scaled(a, [[2.0], [3.0]])
    assert out.shape == (2, 3, 4)
    np.testing.assert_array_equal(out["r"][1], a["x"] * 3.0)
    np.testing.assert_array_equal(total["r"][0], a["x"].sum(1))
    assert total["angle"].max() == 4
    with cuda.simulator():
        found = scaled(cuda.to_device(a), cuda.to_device(np.array([[2.0], [3.0]])))
        np.testing.assert_array_equal(found[0].copy_to_host(), out)
        np.testing.assert_array_equal(found[1].copy_to_host(), total)


@pytest.mark.parametrize("dtype", [ALIGNED, PACKED], ids=["aligned", "packed"])
def test_methods(dtype):
    record = npp.from_dtype(dtype)

    source = ", ".join(f"a.{name} + b.{name}" for name in dtype.names)
    f = npp.vectorize([record(record, record)])(
        define(f"def add(a, b):\n    return {source}\n")["add"]
    )
    a = points(dtype, 600)
    assert f.reduce(a)["x"] == a["x"].sum()
    np.testing.assert_array_equal(f.accumulate(a)["y"], np.cumsum(a["y"]))
    np.testing.assert_array_equal(f(a, a, out=a.copy())["y"], a["y"] * 2)
    shifted = a.copy()
    f(shifted[:-1], shifted[1:], out=shifted[1:])
    np.testing.assert_array_equal(shifted["y"][1:], a["y"][:-1] + a["y"][1:])


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda r: npp.vectorize([npp.float64(r), npp.float32(r)]), "has one signature, found 2"),
        (lambda r: npp.vectorize([npp.float64(r)], body="return 1;", args="r"), "not records"),
        (lambda r: npp.guvectorize([npp.void(r[:], r[:])], "(n),()->(n)"), "has 3 operands, the s"),
        (lambda _: npp.from_dtype([("o", object)]), "field 'o' of dtype object; expected numbers"),
        (lambda _: npp.from_dtype([("o", ">f4")]), "field 'o' of dtype >f4, which has non-native"),
        (lambda _: npp.from_dtype([("a,b", "f4")]), "field 'a,b': its name has a comma"),
        (lambda _: npp.from_dtype("U3"), "cannot use the dtype <U3; expected numbers or records"),
        (
            lambda _: npp.vectorize([npp.float64(npp.from_dtype([("p", "f4", 3)]))]),
            r"field 'p' of a ufunc's operand has shape \(3,\); expected a number",
        ),
        (
            lambda _: npp.guvectorize([npp.void(npp.from_dtype(PACKED)[:])], "()->(n)"),
            "has 2 operands|at offset 1 of records of 13 bytes",
        ),
    ],
)
def test_mistakes(declare, message):
    with pytest.raises((TypeError, npp.SignatureError), match=message):
        declare(npp.from_dtype(ALIGNED))
