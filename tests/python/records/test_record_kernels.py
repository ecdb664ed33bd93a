"""Records in device kernels: NumPy's values, from the same function called by Python."""

from __future__ import annotations

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

INNER = np.dtype([("u", "f4"), ("v", "i2")], align=True)
RECORD = np.dtype(
    [("x", "f8"), ("n", "i4"), ("p", "f4", (2, 3)), ("in", INNER), ("c", "c8"), ("b", "?")],
    align=True,
)
SCALE = np.array([(0.5, 3)], INNER).view(np.recarray)[0]
TABLE = np.array([(1, 2), (3, 4)], INNER).view(np.recarray)


def records(n: int) -> np.ndarray:
    array = np.zeros(n, RECORD)
    array["x"] = np.arange(n) / 2
    array["n"] = np.arange(n) * 10
    array["p"] = np.arange(6 * n).reshape(n, 2, 3)
    array["in"]["u"] = np.arange(n) + 0.25
    array["c"] = 1 - 2j
    return array.view(np.recarray)


def fields(rows, out, i):
    rows[i].x += 1.5
    rows[i]["n"] = rows.n[i] * 2 + rows["n"][i] + len(rows)
    rows["in"].u[i] = rows[i]["in"]["v"] - rows.size
    rows[i].p[1, 2] = rows.x[i]
    rows.p[i, 0, 1] *= rows.shape[0] + rows.ndim
    rows[i].c = rows[i].c.real + 3j
    rows[i].b = rows[i].x > 2
    out[i] = rows[i].p.sum() + rows.p[i, 0].max() + abs(rows[i]["c"])


def references(rows, out, i):
    row = rows[i]
    row.x = 7
    other = rows[i]["in"]
    other.v = i
    out[i] = rows[i].x + row["in"].v
    later = rows[i:][0]
    out[i] += later.p[0, 1]
    row.p[0] = row.p[1] * 2


def whole_records(rows, out, i):
    if i % 2 == 1:
        rows[i] = rows[i - 1]
        rows[i]["in"] = (i, 9)
    u, v = rows[i]["in"]
    out[i] = u + v + rows[i]["in"][0]


def loops(rows, out, i):
    for k, row in enumerate(rows):
        out[i] += row.n * k
    for row in rows[i:]:
        out[i] += row["in"].u
    for row, x in zip(rows, rows.x, strict=False):
        out[i] += row.x - x


def constants(rows, out, i):
    rows[i].x = SCALE.u + TABLE.v[i % 2] + TABLE[1].u
    out[i] = TABLE["u"][0] + SCALE["v"]


@npp.device
def first_of(rows, i):
    return rows[i]["in"]


@npp.device
def add_to(row, value):
    row.x += value
    return row.x * 2


def functions(rows, out, i):
    pair = first_of(rows, i)
    out[i] = add_to(rows[i], pair["u"]) + pair["v"]


KERNELS = [fields, references, whole_records, loops, constants, functions]


@pytest.mark.filterwarnings("ignore")
def test_kernels():
    kernels = [npp.device(function) for function in KERNELS]
    a, b, c, d, e, f = kernels

    @cuda.kernel
    def all_of_them(rows, out, which):
        i = cuda.grid(1)
        if which == 0:
            a(rows, out, i)
        elif which == 1:
            b(rows, out, i)
        elif which == 2:
            c(rows, out, i)
        elif which == 3:
            d(rows, out, i)
        elif which == 4:
            e(rows, out, i)
        else:
            f(rows, out, i)

    with cuda.simulator():
        for number, function in enumerate(KERNELS):
            expected, known = records(4), np.zeros(4)
            for i in range(4):
                function(expected, known, i)
            found, out = records(4), np.zeros(4)
            device = cuda.to_device(found)
            all_of_them[1, 4](device, out, number)
            np.testing.assert_array_equal(device.copy_to_host(), expected, function.__name__)
            np.testing.assert_allclose(out, known, rtol=1e-6, err_msg=function.__name__)


@pytest.mark.filterwarnings("ignore")
def test_expressions_of_fields():
    def expressions(rows, out):
        rows.x[:] = rows.x * 2 + rows["n"]
        rows["n"][::2] += 1
        rows.p[0] = rows.p[1] * 2
        out[:] = np.where(rows.x > 3, rows.x, 0.0)
        out[0] = np.max(rows.p[1:]) + rows["in"].u.mean()

    expected, known = records(4), np.zeros(4)
    expressions(expected, known)
    found, out = records(4), np.zeros(4)
    with cuda.simulator():
        cuda.kernel(expressions)[1, 1](found, out)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(out, known, rtol=1e-6)


def test_arrays_of_blocks_and_threads():
    @cuda.kernel
    def reverse(out, scale):
        shared = cuda.shared.array(4, INNER)
        own = cuda.local.array((2, 2), dtype=INNER)
        i = cuda.threadIdx.x
        own[1, 0].u = i
        shared[i] = own[1, 0]
        shared[i].v = np.int16(i * scale)
        cuda.syncthreads()
        out[i] = shared[3 - i]
        cuda.syncthreads()
        cuda.atomic.add(out["u"], 0, 100)

    out = np.zeros(4, INNER)
    with cuda.simulator():
        reverse[1, 4](out, 5)
    assert out["u"].tolist() == [403, 2, 1, 0]
    assert out["v"].tolist() == [15, 10, 5, 0]


@pytest.mark.parametrize("is_packed", [False, True])
def test_arguments(is_packed):
    dtype = np.dtype([("tag", "i1"), ("x", "f8"), ("in", INNER)], align=not is_packed)

    @cuda.kernel
    def assign(record, rows, value):
        record.x = value
        record["in"].v = rows[1].tag
        rows[0].x = value + 1

    rows = np.zeros(3, dtype)
    rows["tag"] = 4
    others = np.zeros(3, dtype)
    record = others[2]  # a view, as in NumPy
    with cuda.simulator():
        assign[1, 1](record, rows, 2.5)
        assert (others[2]["x"], others[2]["in"]["v"], rows[0]["x"]) == (2.5, 4, 3.5)
        device = cuda.to_device(rows)
        if is_packed:
            with pytest.raises(ValueError, match="argument 2 of 'assign': the field 'x' is at off"):
                assign[1, 1](record, device, 1.0)
            return
        assign[1, 1](device[1], device, -1.0)
        assert device[1]["x"].copy_to_host() == -1


def test_signatures():
    record = npp.from_dtype(INNER)

    def scale(rows, one, factor, out):
        i = cuda.grid(1)
        if i < len(rows):
            out[i] = rows[i].u * factor + one.v

    rows = np.array([(1, 2), (3, 4)], INNER)
    for signature in (
        npp.void(record[:], record, npp.float64, npp.float64[:]),
        [record[:], record, npp.float64, npp.float64[:]],
    ):
        kernel = cuda.kernel(scale, signature)
        out = np.zeros(2)
        with cuda.simulator():
            kernel[1, 2](rows, rows[1], 2, out)
        assert out.tolist() == [6, 10]


def test_device_arrays():
    rows = records(5)
    with cuda.simulator():
        device = cuda.to_device(rows)
        assert device["p"].shape == (5, 2, 3)
        assert device["in"].dtype == INNER
        np.testing.assert_array_equal(device["in"]["u"][1:].copy_to_host(), rows["in"]["u"][1:])
        device["x"] = 3
        device[2:]["n"] = np.arange(3)
        host = device.copy_to_host()
        assert host["x"].tolist() == [3] * 5
        assert host["n"].tolist() == [0, 10, 0, 1, 2]
        np.testing.assert_array_equal(np.sqrt(device["x"]).copy_to_host(), np.sqrt(host["x"]))
        with pytest.raises(ValueError, match="no field of name z"):
            device["z"]
