"""awkward (nested lists), sparse (COO, GCXS) and zarr (chunks), as with NumPy's ufuncs."""

import numpy as np
import pytest
from sample_ufuncs import (
    SCALAR_UFUNCS,
    check_call,
    check_limit,
    hypotenuse,
    plus,
    running,
    split,
    total,
)

# --- awkward ---


@pytest.fixture
def ak():
    return pytest.importorskip("awkward", reason="awkward is not installed")


def lists(ak):
    return ak.Array([[3.0, 5.0], [], [8.0]]), ak.Array([[4.0, 12.0], [], [15.0]])


AWKWARD_CALLS = {
    "lists": lambda f, ak: f(*lists(ak)),
    "a number": lambda f, ak: f(lists(ak)[0], 0.0),
    "an array, broadcast": lambda f, ak: f(lists(ak)[0], np.zeros(3)),
    "missing values": lambda f, ak: f(ak.Array([[3.0, None], [], None]), 4.0),
    "a mask": lambda f, ak: f(ak.mask(lists(ak)[0], lists(ak)[0] > 4), 0.0),
    "integers": lambda f, ak: f(ak.Array([[3], []]), 4),
    "float32 stays": lambda f, ak: f(ak.values_astype(lists(ak)[0], "float32"), 0.0).type,
    "dtype=": lambda f, ak: f(lists(ak)[0], 0.0, dtype="float32"),
}
AWKWARD_LIMITS = {
    "reduce": (lambda f, ak: f.reduce(lists(ak)[0]), TypeError, "returned NotImplemented"),
    "outer": (lambda f, ak: f.outer(*lists(ak)), TypeError, "returned NotImplemented"),
    "out=": (lambda f, ak: f(*lists(ak), out=np.zeros(3)), TypeError, "returned NotImplemented"),
    "records": (lambda f, ak: f(ak.Array([{"x": 1.0}]), 1.0), ValueError, "broadcast records"),
    "text": (lambda f, ak: f(ak.Array(["a"]), 1.0), TypeError, "not implemented for string"),
    "lengths": (
        lambda f, ak: f(lists(ak)[0], ak.Array([[1.0], [], [2.0]])),
        ValueError,
        "cannot broadcast nested list",
    ),
}


@pytest.mark.parametrize("call", AWKWARD_CALLS.values(), ids=AWKWARD_CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_awkward(call, ufunc, ak):
    check_call(lambda f: call(f, ak), ufunc, np.hypot)


def test_awkward_multiple_results(ak):
    check_call(lambda f: f(lists(ak)[0] / 2), split, np.modf)


@pytest.mark.parametrize(
    ("call", "error", "message"), AWKWARD_LIMITS.values(), ids=AWKWARD_LIMITS.keys()
)
def test_limits_of_awkward(call, error, message, ak):
    check_limit(lambda f: call(f, ak), error, message, hypotenuse, np.hypot)


def test_awkward_has_no_generalized_ufuncs_of_lists(ak):
    with pytest.raises(TypeError, match="must be an array, not a scalar"):
        total(lists(ak)[0])
    rectangular = ak.to_numpy(ak.Array([[1.0, 2.0], [3.0, 4.0]]))
    assert total(rectangular).tolist() == [3.0, 7.0]


# --- sparse ---


@pytest.fixture
def sparse():
    return pytest.importorskip("sparse", reason="sparse is not installed")


def matrices(sparse):
    one = np.array([[3.0, 0, 0], [0, 5, 0]])
    other = np.array([[4.0, 0, 0], [0, 0, 8]])
    return sparse.COO.from_numpy(one), sparse.COO.from_numpy(other)


def written(f, sparse):
    x, y = matrices(sparse)
    return f(x, y, out=sparse.zeros_like(x)).todense()


SPARSE_CALLS = {
    "COO": lambda f, s: f(*matrices(s)).todense(),
    "stored elements": lambda f, s: f(*matrices(s)).nnz,
    "fill value": lambda f, s: f(matrices(s)[0], 4.0).fill_value,
    "a number": lambda f, s: f(matrices(s)[0], 0.0).todense(),
    "GCXS": lambda f, s: f(*(x.asformat("gcxs") for x in matrices(s))).todense(),
    "dense": lambda f, s: f(matrices(s)[0], np.zeros((2, 3))).todense(),
    "float32 stays": lambda f, s: f(*(x.astype("float32") for x in matrices(s))).dtype,
    "dtype=": lambda f, s: f(*matrices(s), dtype="float32").dtype,
    "out=": written,
    "reduce": lambda f, s: f.reduce(matrices(s)[0]).todense(),
    "outer": lambda f, s: f.outer(*(x[:1, :1] for x in matrices(s))).todense(),
}


@pytest.mark.parametrize("call", SPARSE_CALLS.values(), ids=SPARSE_CALLS.keys())
@pytest.mark.parametrize("ufunc", SCALAR_UFUNCS, ids=["declared", "lazy"])
def test_sparse(call, ufunc, sparse):
    check_call(lambda f: call(f, sparse), ufunc, np.hypot)


def test_sparse_multiple_results_and_integers(sparse):
    x, _ = matrices(sparse)
    check_call(lambda f: tuple(part.todense() for part in f(x / 2)), split, np.modf)
    check_call(lambda f: f.reduce(x.astype("int64"), axis=1).todense(), plus, np.add)


def test_limits_of_sparse(sparse):
    x, y = matrices(sparse)
    not_implemented = (TypeError, "all returned NotImplemented", hypotenuse, np.hypot)
    check_limit(lambda f: f.accumulate(x), *not_implemented)
    masked = (lambda f: f(x, y, where=x > 3), ValueError, "None of the args is sparse")
    check_limit(*masked, hypotenuse, np.hypot)
    for ufunc in (total, running):
        with pytest.raises(TypeError, match="all returned NotImplemented"):
            ufunc(x)
    assert total(x.todense()).tolist() == [3.0, 5.0]


# --- zarr ---


@pytest.fixture
def stored(tmp_path):
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.create_array(
        store=tmp_path / "stored.zarr", shape=(5, 4), chunks=(2, 4), dtype="float64"
    )
    array[:] = np.arange(20.0).reshape(5, 4)
    return array


def test_zarr_arrays_are_read_as_numpy_reads_them(stored):
    check_call(lambda f: f(stored, 0.0), hypotenuse, np.hypot)
    check_call(lambda f: f(stored[1:3], stored.blocks[0]), plus, np.add)
    with pytest.raises(TypeError, match="return arrays must be of ArrayType"):
        hypotenuse(stored[:], 0.0, out=stored)


def test_zarr_chunk_by_chunk(stored, tmp_path):
    import zarr

    result = zarr.create_array(
        store=tmp_path / "sums.zarr", shape=5, chunks=stored.chunks[:1], dtype="float64"
    )
    for first in range(0, stored.shape[0], stored.chunks[0]):
        rows = slice(first, first + stored.chunks[0])
        result[rows] = total(stored[rows])
    np.testing.assert_array_equal(result[:], stored[:].sum(axis=1))


def test_zarr_through_dask(stored, tmp_path):
    da = pytest.importorskip("dask.array", reason="dask is not installed")
    import zarr

    sums = total(da.from_zarr(stored))
    assert sums.chunks == ((2, 2, 1),)
    sums.to_zarr(str(tmp_path / "sums.zarr"))
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "sums.zarr"))[:], stored[:].sum(axis=1))
