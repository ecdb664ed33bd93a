"""Records with dates and durations: ufuncs and device kernels, with each field's unit."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp
from numpy_plugin import cuda

FIELDS = [("tag", "i1"), ("t", "M8[s]"), ("d", "m8[15m]"), ("x", "f8")]
VISIT = np.dtype(FIELDS, align=True)
OUTER = np.dtype([("at", "M8[D]"), ("visit", VISIT), ("pair", "m8[s]", 2)], align=True)
TIMES = np.array(["2000-02-29T13:00:01", "1969-12-31T23:59:59", "NaT", "1970-01-01"], "M8[s]")
STEP = np.timedelta64(6, "h")


def same(found, expected):
    """Compare arrays, records field by field: NaT makes whole records differ from themselves."""
    for name in expected.dtype.names or ():
        same(found[name], expected[name])
    if expected.dtype.names is None:
        np.testing.assert_array_equal(found, expected)


def visits(dtype=VISIT, n=4):
    rows = np.zeros(n, dtype)
    rows["tag"] = np.arange(n)
    rows["t"] = np.resize(TIMES, n)
    rows["d"] = np.resize([3, -1, 5, "NaT"], n)
    rows["x"] = np.arange(n) / 4
    return rows


def outers():
    rows = np.zeros(4, OUTER)
    rows["at"] = TIMES
    rows["visit"] = visits()
    rows["pair"] = np.array([[1, 2], ["NaT", 4], [5, 6], [7, -8]])
    return rows


@pytest.fixture(scope="module", params=[True, False], ids=["aligned", "packed"])
def moved(request):
    dtype = np.dtype(FIELDS, align=request.param)
    record = npp.from_dtype(dtype)

    @npp.vectorize([record(record, npp.timedelta64("h"))])
    def moved(visit, step):
        hours = (visit.t - np.datetime64("2000-01-01")) / np.timedelta64(1, "h")
        return visit.tag, visit["t"] + step, visit.d * 2, hours

    return moved, dtype


def expected(rows, step):
    result = rows.copy()
    result["t"] += step
    result["d"] *= 2
    result["x"] = (rows["t"] - np.datetime64("2000-01-01")) / np.timedelta64(1, "h")
    return result


@pytest.mark.parametrize("n", [0, 1, 4, 600])
def test_ufuncs(moved, n):
    f, dtype = moved
    rows = visits(dtype, n)
    for step in (STEP, np.timedelta64(2, "D"), np.timedelta64("NaT"), np.full(n, STEP), 6):
        found = f(rows, step)
        assert found.dtype == dtype
        same(found, expected(rows, np.asarray(step, "m8[h]")))
    same(f(rows[::-2], STEP), expected(rows[::-2], STEP))


def test_records_of_coarser_units_are_cast(moved):
    f, dtype = moved
    days = visits(dtype).astype([("tag", "i1"), ("t", "M8[D]"), ("d", "m8[h]"), ("x", "f8")])
    same(f(days, STEP), expected(days.astype(dtype), STEP))


WRONG_FIELDS = {
    "a finer unit": [("tag", "i1"), ("t", "M8[ms]"), ("d", "m8[15m]"), ("x", "f8")],
    "a duration for a date": [("tag", "i1"), ("t", "m8[s]"), ("d", "m8[15m]"), ("x", "f8")],
    "months for minutes": [("tag", "i1"), ("t", "M8[s]"), ("d", "m8[M]"), ("x", "f8")],
    "ticks": [("tag", "i1"), ("t", "i8"), ("d", "m8[15m]"), ("x", "f8")],
}


@pytest.mark.parametrize("name", WRONG_FIELDS)
def test_records_of_other_fields(moved, name):
    f, dtype = moved
    with pytest.raises(TypeError, match="'moved' not supported for the input types"):
        f(np.zeros(2, WRONG_FIELDS[name]), STEP)
    same(f(visits(dtype), STEP), expected(visits(dtype), STEP))


@pytest.mark.parametrize(
    "step", [1.5, "x", np.timedelta64(1, "s"), np.timedelta64(1, "M"), TIMES[0], TIMES]
)
def test_other_operands_beside_records(moved, step):
    f, dtype = moved
    with pytest.raises(TypeError, match="'moved' not supported for the input types"):
        f(visits(dtype), step)
    same(f(visits(dtype), STEP), expected(visits(dtype), STEP))


def test_device_arrays(moved):
    f, dtype = moved
    with cuda.simulator():
        rows = cuda.to_device(visits(dtype))
        if not dtype.isalignedstruct:
            with pytest.raises(ValueError, match="operand 0 of 'moved': the field 't' is at"):
                f(rows, STEP)
            return
        for step in (STEP, np.timedelta64(2, "D")):
            found = f(rows, step)
            assert found.dtype == dtype
            same(found.copy_to_host(), expected(visits(), step))
        assert npp.time.year(rows["t"]).copy_to_host()[:2].tolist() == [2000, 1969]


def test_core_dimensions():
    record = npp.from_dtype(VISIT)

    @npp.guvectorize([npp.void(record[:], npp.datetime64("ms")[:], record[:])], "(n)->(n),()")
    def ends(rows, out, last):
        last[0].tag = len(rows)
        last[0].t = rows[0].t
        last[0].d = rows.d[0] + rows[1].d
        last[0].x = npp.time.year(rows[1].t)
        for i, row in enumerate(rows):
            out[i] = row.t + row.d
            last[0].t = np.fmax(last[0].t, row["t"])

    rows = visits()
    last = np.array((4, TIMES[0], 2, 1969), VISIT)
    for found in (ends(rows), on_device(ends, rows)):
        same(found[0], (rows["t"] + rows["d"]).astype("M8[ms]"))
        same(found[1], last)


def on_device(ufunc, rows):
    with cuda.simulator():
        return [result.copy_to_host() for result in ufunc(cuda.to_device(rows))]


ONE = visits().view(np.recarray)[1]
TABLE = visits().view(np.recarray)


def written_fields(rows, out, i):
    rows[i].at = rows[i]["visit"].t - np.timedelta64(1, "D")
    rows["visit"].t[i] += np.timedelta64(90, "m")
    rows[i]["visit"].d = abs(rows[i]["visit"].d)
    rows[i].pair[1] = rows.pair[i, 0] + 2 * rows[i].pair[1]
    out[i] = np.fmax(rows[i].at, TABLE.t[i]) + ONE.d + TABLE[i]["d"]


def whole_records(rows, out, i):
    if i == 3:
        rows[i] = rows[0]
        rows[i]["visit"] = (7, rows[i].at, np.timedelta64(1, "15m"), 2.5)
    tag, t, d, x = rows[i]["visit"]
    for row in rows[i:]:
        t = max(t, row["visit"].t)
    out[i] = t + d * tag if x > 0 else t


@pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")
@pytest.mark.parametrize("kernel", [written_fields, whole_records])
def test_device_kernels(kernel):
    of_element = npp.device(kernel)

    @cuda.kernel
    def kernels(rows, out):
        for i in range(4):
            of_element(rows, out, i)

    known, found = outers().view(np.recarray), outers()
    results = np.zeros(4, "M8[m]"), np.zeros(4, "M8[m]")
    for i in range(4):
        kernel(known, results[0], i)
    with cuda.simulator():
        kernels[1, 1](found, results[1])
    same(found, known)
    same(results[1], results[0])


def test_arrays_of_blocks_and_threads():
    @cuda.kernel
    def backwards(rows, one, out):
        shared = cuda.shared.array(4, VISIT)
        own = cuda.local.array(2, dtype=VISIT)
        i = cuda.threadIdx.x
        own[1] = rows[i]
        own[1].t = one.t if i == 0 else own[1].t
        shared[i] = own[1]
        cuda.syncthreads()
        out[i] = shared[3 - i]

    rows, out = visits(), np.zeros(4, VISIT)
    with cuda.simulator():
        backwards[1, 4](rows, rows[1], out)
    rows["t"][0] = rows["t"][1]
    same(out, rows[::-1])


WRONG_LINES = {
    "rows[0].t = 5": r"int64 stored, datetime64\[s\] declared",
    "rows[0].t = rows[0].d": r"timedelta64\[15m\] stored, datetime64\[s\] declared",
    "rows[0].d = rows[0].x": r"float64 stored, timedelta64\[15m\] declared",
    "rows[0].x = rows[0].t": r"datetime64\[s\] stored, float64 declared",
    "rows[0].t += rows[1].t": r"'\+' takes no datetime64\[s\] and datetime64\[s\]",
    "rows[0] = (1, 2, 3, 4)": r"int64 stored, datetime64\[s\] declared",
}


@pytest.mark.parametrize("line", WRONG_LINES)
def test_mistakes_in_kernels(line):
    kernel = cuda.kernel(function(f"def f(rows):\n    {line}\n"))
    with cuda.simulator(), pytest.raises(npp.KernelError, match=WRONG_LINES[line]):
        kernel[1, 1](visits())


@pytest.mark.parametrize(
    ("declare", "error", "message"),
    [
        (lambda r: npp.datetime64(r), npp.SignatureError, "of records needs the units of its date"),
        (
            lambda _: npp.datetime64("s")(npp.from_dtype([("t", "M8")])),
            npp.SignatureError,
            r"found datetime64\[s\]\(datetime64\)\n  hint: write datetime64\[s\], and give the f",
        ),
        (lambda r: npp.float64(r), npp.KernelError, r"datetime64\[s\] returned, float64 declared"),
        (lambda _: npp.int8(npp.from_dtype([("t", ">M8[s]")])), TypeError, "non-native byte ord"),
    ],
)
def test_mistakes_in_signatures(declare, error, message):
    with pytest.raises(error, match=message):
        npp.vectorize([declare(npp.from_dtype(VISIT))])(function("def f(r):\n    return r.t\n"))
