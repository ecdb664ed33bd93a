"""Dates in every construct of kernels: NumPy's values, units and ticks, whatever holds them."""

import pickle
import threading

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp

NAT = np.iinfo(np.int64).min
DAYS = np.array(["2000-02-28", "1969-12-31", "NaT", "2024-01-01"], "M8[D]")
SECONDS = np.array([5, -7, "NaT", 3], "m8[s]")
NOON = np.datetime64("2000-02-28T12", "h")
SECOND = np.timedelta64(1, "s")
MARKS = np.array(["2000-01-01", "NaT", "2001-01-01"], "M8[D]")


def check(found, expected):
    """Compare dtypes and ticks, those of NaT included."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    kind = "i8" if found.dtype.kind in "mM" else found.dtype
    np.testing.assert_array_equal(found.view(kind), expected.view(kind))


def generalized(signature, layout, body, *operands):
    """Call a kernel of arrays `t`, `u` whose results are `out` and `more`."""
    n_inputs, n_outputs = (side.count("(") for side in layout.split("->"))
    names = ["t", "u", "v"][:n_inputs] + ["out", "more"][:n_outputs]
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    kernel = function(f"def f({', '.join(names)}):\n{lines}", SECOND=SECOND, MARKS=MARKS)
    return npp.guvectorize([f"void({signature})"], layout)(kernel)(*operands)


def test_tuples():
    @npp.vectorize
    def kernel(t, d):
        both = (t, d, t + d)
        first, second, later = both
        return later - first, both[1], both[0], second

    gap, second, first, again = kernel(DAYS, SECONDS)
    check(gap, DAYS + SECONDS - DAYS)
    check(second, SECONDS)
    check(first, DAYS)
    check(again, SECONDS)


def test_tuples_whose_units_depend_on_a_branch():
    @npp.vectorize
    def kernel(t, u, is_first):
        pair = (t, u) if is_first else (u, t)
        return pair[0], pair[1]

    for is_first in (True, False):
        found = kernel(DAYS, NOON, is_first)
        hours, noons = DAYS.astype("M8[h]"), np.full(4, NOON)
        expected = (hours, noons) if is_first else (noons, hours)
        check(found[0], expected[0])
        check(found[1], expected[1])


@npp.device
def later_of(t, u):
    if t > u:
        return t
    return u


@npp.device
def stepped(t, n):
    if n <= 0:
        return t
    return stepped(t + SECOND, n - 1)


def test_device_functions():
    check(npp.vectorize(lambda t, u: later_of(t, u))(DAYS, NOON), np.where(DAYS > NOON, DAYS, NOON))
    check(npp.vectorize(lambda t, n: stepped(t, n))(DAYS, 3), DAYS + 3 * SECOND)


def test_device_functions_of_arrays():
    @npp.device
    def copied(source, target):
        target[0] = source[1]

    @npp.guvectorize(["void(datetime64[D][:], datetime64[s][:])"], "(n)->()")
    def kernel(t, out):
        copied(t, out)

    check(kernel(DAYS), DAYS[1].astype("M8[s]"))


def test_inner_functions():
    @npp.vectorize
    def kernel(t, d):
        def moved(x):
            return x + d

        return moved(moved(t))

    check(kernel(DAYS, SECONDS), DAYS + SECONDS + SECONDS)


BRANCHES = {
    "a conditional expression": "return t if t > u else u",
    "names": "if t > u:\n    x = t\nelse:\n    x = u\nreturn x",
    "returns": "if t > u:\n    return t\nreturn u",
    "a loop": "x = u\nwhile x < t:\n    x = t\nreturn x",
}


@pytest.mark.parametrize("name", BRANCHES)
def test_branches_of_different_units(name):
    body = "".join(f"    {line}\n" for line in BRANCHES[name].split("\n"))
    kernel = npp.vectorize(function(f"def f(t, u):\n{body}"))
    check(kernel(DAYS, NOON), np.where(DAYS > NOON, DAYS, NOON))


def test_loops_that_refine_the_unit():
    @npp.vectorize
    def kernel(t, n):
        for i in range(n):
            if i % 2:
                t -= np.timedelta64(1, "ms")
            else:
                t += SECOND
        return t

    check(kernel(DAYS, 2), DAYS + np.timedelta64(999, "ms"))
    check(kernel(DAYS, 0), DAYS.astype("M8[ms]"))


def test_while_loops():
    @npp.vectorize
    def half_days(t, end):
        n = 0
        while t < end:
            t += np.timedelta64(12, "h")
            n += 1
        return n, t

    n, t = half_days(DAYS[[0, 2]], np.datetime64("2000-03-05"))
    check(n, np.array([12, 0]))
    check(t, np.array(["2000-03-05T00", "NaT"], "M8[h]"))


def test_none_until_there_is_a_date():
    @npp.vectorize
    def last(t, n):
        best = None
        for i in range(n):
            if best is None or t > best:
                best = t + i * SECOND
        if best is None:
            return np.datetime64("NaT", "s")
        return best

    check(last(DAYS, 2), DAYS.astype("M8[s]"))
    check(last(DAYS, 0), np.full(4, "NaT", "M8[s]"))


def test_nat_without_a_unit_takes_that_of_others():
    @npp.vectorize
    def late(t):
        gap = np.timedelta64("NaT")
        if t > NOON:
            gap = t - NOON
        return gap, np.where(t > NOON, np.datetime64("NaT"), t)

    gap, early = late(DAYS)
    check(gap, np.where(DAYS > NOON, DAYS - NOON, np.timedelta64("NaT")))
    check(early, np.where(DAYS > NOON, np.datetime64("NaT"), DAYS))


def test_augmented_assignments():
    @npp.vectorize
    def kernel(t, d):
        t += d
        t -= np.timedelta64(1, "ms")
        d *= 2
        d //= 3
        d %= np.timedelta64(7, "s")
        d /= 2
        return t, d

    moved, scaled = kernel(DAYS, SECONDS)
    check(moved, DAYS + SECONDS - np.timedelta64(1, "ms"))
    check(scaled, SECONDS * 2 // 3 % np.timedelta64(7, "s") / 2)


def test_chained_comparisons():
    kernel = npp.vectorize(lambda a, b, c: a < b <= c)
    end = np.datetime64("2030", "Y")
    check(kernel(DAYS, NOON, end), (DAYS < NOON) & (end >= NOON))


def test_extrema_of_three_units():
    kernel = npp.vectorize(lambda a, b, c: (min(a, b, c), max(a, b, c)))
    days, months = DAYS[[0, 1, 3]], np.array(["2000-03", "1960-01", "2024-01"], "M8[M]")
    least, most = kernel(days, NOON, months)
    check(least, np.minimum(np.minimum(days, NOON), months))
    check(most, np.maximum(np.maximum(days, NOON), months))


def test_python_extrema_keep_what_they_have_where_nat_is_next():
    first, last = npp.vectorize(lambda a, b: (min(a, b), max(b, a)))(DAYS[2], DAYS[0])
    assert np.isnat(first) and last == DAYS[0]


def test_membership_in_tuples():
    marks = (np.datetime64("2000-02-28T00", "h"), np.datetime64("NaT"))
    check(npp.vectorize(lambda t: t in marks)(DAYS), marks[0] == DAYS)


def test_arrays_from_outside():
    @npp.vectorize
    def kernel(t, i):
        n = 0
        for mark in MARKS:
            if mark < t:
                n += 1
        return t - MARKS[i], MARKS[i], n

    gaps, marks, n = kernel(DAYS[3], np.arange(3))
    check(gaps, DAYS[3] - MARKS)
    check(marks, MARKS)
    check(n, np.array([2, 2, 2]))


def test_constants_of_one_source_and_several_units():
    for unit in ("D", "h", "Y", "15m"):
        start = np.datetime64(1, unit)
        check(npp.vectorize(lambda t: t - start)(DAYS), DAYS - start)  # noqa: B023


def test_containers_of_constants():
    pair = (np.datetime64("2000-01-01"), SECOND)
    check(npp.vectorize(lambda t: t - pair[0] + pair[1])(DAYS), DAYS - pair[0] + pair[1])


ELEMENTS = "for i in range(len(t)):\n    out[i] = "
FILLED = {
    "elements": f"{ELEMENTS}t[i]",
    "a pair of loops": "for i, (x, y) in enumerate(zip(t, t)):\n    out[i] = x + (y - t[i])",
    "an expression": "out[:] = t + 0 * SECOND",
    "a choice": "out[:] = np.where(np.isnat(t), t, t)",
    "a mask": "out[:] = t[0]\nout[np.isnat(t)] = t[2]\nout[t < t[0]] = t[1]\nout[t > t[0]] = t[3]",
    "indices": "out[:] = t[np.arange(4)]",
    "a local array": "z = npp.local_array(4, 'M8[D]')\nfor i in range(4):\n    z[i] = t[i]\n"
    "for i in range(4):\n    out[i] = z[i]",
    "a local array of seconds": "z = npp.local_array(4, 'M8[s]')\n"
    "for i in range(4):\n    z[i] = t[i]\nout[:] = z",
    "an array like another": "z = np.empty_like(out)\n"
    "for i in range(4):\n    z[i] = t[i]\nout[:] = z",
    "a list": "z = [x for x in t]\nfor i in range(4):\n    out[i] = z[i]",
    "a conversion": "out[:] = t.astype('M8[s]')",
    "an array of two units": "out[:] = np.array([t[0] + 0 * SECOND, t[1], t[2], t[3]])",
}


@pytest.mark.parametrize("name", FILLED)
def test_arrays_in_another_unit(name):
    found = generalized("datetime64[D][:], datetime64[s][:]", "(n)->(n)", FILLED[name], DAYS)
    check(found, DAYS.astype("M8[s]"))


ONE_UNIT = {
    "out[:] = t": lambda t: t,
    "out[1:] = t[:-1]\nout[:1] = t[-1:]": lambda t: np.roll(t, 1),
    "out[:] = t[::-1]": lambda t: t[::-1],
    "out[:] = np.flip(t)": np.flip,
    "out[:] = np.roll(t, 1)": lambda t: np.roll(t, 1),
    "out[:] = t\nout[0], out[1] = out[1], out[0]": lambda t: t[[1, 0, 2, 3]],
    "out[:] = np.clip(t, MARKS[0], MARKS[2])": lambda t: np.clip(t, MARKS[0], MARKS[2]),
    "out[:] = np.full_like(t, t[3])": lambda t: np.full_like(t, t[3]),
    "out[:] = np.concatenate((t, t))[2:6]": lambda t: t[[2, 3, 0, 1]],
    "out.fill(t[1])": lambda t: np.full_like(t, t[1]),
}


@pytest.mark.parametrize("body", ONE_UNIT)
def test_whole_arrays(body):
    for times in (DAYS, DAYS[::-1], DAYS.astype(">M8[D]"), np.repeat(DAYS, 2)[::2]):
        found = generalized("datetime64[D][:], datetime64[D][:]", "(n)->(n)", body, times)
        check(found, ONE_UNIT[body](times.astype("M8[D]")))


NUMBERS = {
    "out[:] = t == t": lambda t: (t == t).astype("f8"),
    "out[:] = (t - MARKS[0]) / np.timedelta64(1, 'D')": lambda t: (
        (t - MARKS[0]) / np.timedelta64(1, "D")
    ),
    "out[:] = t.astype(np.int64)": lambda t: t.astype("i8").astype("f8"),
    "for i in range(4):\n    out[i] = npp.time.year(t[i])": lambda t: npp.time.year(t).astype("f8"),
}


@pytest.mark.parametrize("body", NUMBERS)
def test_numbers_of_arrays(body):
    check(generalized("datetime64[D][:], float64[:]", "(n)->(n)", body, DAYS), NUMBERS[body](DAYS))


def test_durations_of_arrays():
    durations = np.array([1, 2, -3, 40], "m8[s]")
    both = "timedelta64[s][:], timedelta64[s][:]"
    check(generalized(both, "(n)->(n)", "out[:] = t.cumsum()", durations), durations.cumsum())
    check(generalized(both, "(n)->(n)", "out[:] = np.cumsum(t)", SECONDS), SECONDS.cumsum())
    check(generalized(both, "(n)->(n)", "out[:] = abs(-t)", SECONDS), abs(SECONDS))
    differences = "out[:-1] = np.diff(t)\nout[-1] = t[0] - t[0]"
    found = generalized("datetime64[D][:], timedelta64[D][:]", "(n)->(n)", differences, DAYS)
    check(found[:-1], np.diff(DAYS))
    span = generalized(
        "datetime64[D][:], timedelta64[D][:]", "(n)->()", "out[0] = np.ptp(t)", MARKS[[0, 2]]
    )
    check(span, np.ptp(MARKS[[0, 2]]))


def test_search_with_another_unit():
    days = np.sort(DAYS)[:3]
    body = "out[0] = np.searchsorted(t, u)"
    check(
        generalized("datetime64[D][:], datetime64[h], int64[:]", "(n),()->()", body, days, NOON),
        np.searchsorted(days, NOON),
    )


def test_several_results():
    body = "out[0] = t[-1] - t[0]\nmore[0] = t[0]"
    signature = "datetime64[D][:], timedelta64[s][:], datetime64[D][:]"
    gap, first = generalized(signature, "(n)->(),()", body, DAYS)
    check(gap, (DAYS[-1] - DAYS[0]).astype("m8[s]"))
    check(first, DAYS[0])


def test_tables_axes_and_fixed_sizes():
    table = np.arange(12).reshape(3, 4).astype("M8[D]")
    found = generalized(
        "datetime64[D][:,:], datetime64[D][:]", "(n,m)->(m)", "out[:] = t.max(axis=0)", table
    )
    check(found, table.max(axis=0))
    kernel = npp.guvectorize(["void(datetime64[D][:], datetime64[s][:])"], "(4)->(2)")(
        function("def f(t, out):\n    out[0] = t[3]\n    out[1] = t[0]\n")
    )
    check(kernel(table), table[:, [3, 0]].astype("M8[s]"))
    assert kernel(table[:0]).shape == (0, 2)


def test_generalized_calls_without_units():
    @npp.guvectorize(["void(datetime64[:], timedelta64[:])"], "(n)->(n)")
    def since_first(t, out):
        for i in range(len(t)):
            out[i] = t[i] - t[0]

    for unit in ("D", "M", "15m", "ns"):
        times = DAYS.astype(f"M8[{unit}]")
        check(since_first(times), times - times[0])
        check(since_first(times.astype(times.dtype.newbyteorder(">"))), times - times[0])


def test_a_call_takes_the_units_of_all_operands():
    @npp.vectorize(["datetime64(datetime64, timedelta64, datetime64)"])
    def kernel(t, d, u):
        return max(t + d, u)

    found = kernel(DAYS, SECONDS, NOON)
    moved = DAYS + SECONDS
    check(found, np.where(moved < NOON, NOON, moved))
    assert kernel(DAYS, np.timedelta64(1, "D"), DAYS).dtype == np.dtype("M8[D]")


def test_numbers_and_dates_in_one_ufunc():
    @npp.vectorize(["float64(float64, float64)", "M8[s](M8[s], m8[s])", "m8[s](m8[s], m8[s])"])
    def added(a, b):
        return a + b

    assert added.types == ["dd->d", "Mm->M", "mm->m"]
    assert added(1.5, 2) == 3.5
    check(added(DAYS, SECONDS), DAYS + SECONDS)
    check(added(SECONDS, SECONDS), SECONDS + SECONDS)
    check(added(DAYS, 5), DAYS.astype("M8[s]") + 5)
    check(added(5, SECONDS), 5 + SECONDS)


def test_fused_functions():
    @npp.fuse
    def moved(t, d):
        return np.where(t > NOON, t + d, t - d).astype("M8[h]")

    check(
        moved(DAYS, SECONDS), np.where(DAYS > NOON, DAYS + SECONDS, DAYS - SECONDS).astype("M8[h]")
    )
    spread = npp.fuse(lambda t, u: np.maximum(t, u) - np.minimum(t, u))
    check(spread(DAYS, NOON), np.maximum(DAYS, NOON) - np.minimum(DAYS, NOON))
    check(npp.fuse(lambda t: t.copy())(DAYS), DAYS)


def test_compositions():
    check(npp.compose(npp.time.year, np.add)(DAYS, SECONDS), npp.time.year(DAYS + SECONDS))
    gap = npp.vectorize(lambda t, u: t - u)
    check(npp.compose(np.abs, gap)(DAYS, NOON), abs(DAYS - NOON))
    declared = npp.vectorize(["M8[s](M8[s])"])(lambda t: t + SECOND)
    check(npp.vectorize(lambda t: declared(t))(DAYS), DAYS + SECOND)


def test_bodies_see_ticks():
    following = npp.vectorize(["M8[s](M8[s])"], args="t", body="return t + 1;")
    check(following(DAYS[[0, 1, 3]]), DAYS[[0, 1, 3]] + SECOND)
    check(following(DAYS[:1].astype("M8[ms]")), DAYS[:1] + SECOND)
    both = npp.vectorize(
        ["M8[s], m8[s](M8[s], M8[s])"],
        args="t, u",
        outs="a, b",
        body="a = t > u ? t : u; b = t - u;",
    )
    most, gap = both(DAYS[[0, 1]], NOON)
    check(most, np.maximum(DAYS[[0, 1]], NOON).astype("M8[s]"))
    check(gap, (DAYS[[0, 1]] - NOON).astype("m8[s]"))


OPTIONS = [{"fastmath": True}, {"math": "reproducible"}, {"math": "libm"}, {"target": "parallel"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_options_leave_nat_alone(options):
    kernel = npp.vectorize(**options)(lambda d: (d * 0.3 / 2.0, d / SECOND, np.isnat(d)))
    for durations in (SECONDS, np.tile(SECONDS, 50_000)):
        found = kernel(durations)
        expected = (durations * 0.3 / 2.0, durations / SECOND, np.isnat(durations))
        for one, other in zip(found, expected, strict=True):
            check(one, other)


def test_pickles_hold_the_units():
    kernel = npp.vectorize(lambda t: t - MARKS[0] + np.timedelta64(1, "15m"))
    copied = pickle.loads(pickle.dumps(kernel))
    check(copied(DAYS), DAYS - MARKS[0] + np.timedelta64(1, "15m"))
    assert pickle.loads(pickle.dumps(npp.time.noleap.year)) is npp.time.noleap.year
    assert pickle.loads(pickle.dumps(npp.time.noleap)) is npp.time.noleap


def test_threads_that_meet_new_units_together():
    kernel = npp.vectorize(lambda t, d: t + d)
    units = ["s", "ms", "h", "D", "15m", "90s"]
    start, wrong = threading.Barrier(4), []

    def work(first):
        start.wait()
        for unit in units[first:] + units[:first]:
            times, steps = np.array([1, -3, NAT]).astype(f"M8[{unit}]"), np.timedelta64(2, unit)
            if not np.array_equal(kernel(times, steps), times + steps, equal_nan=True):
                wrong.append(unit)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_source_has_the_ticks():
    source = npp.inspect(npp.vectorize(["M8[s](M8[D], m8[s])"])(lambda t, d: t + d)).source()
    assert "// datetime64[s](datetime64[D], timedelta64[s])" in source
    assert "npp::time_multiply(t, npp::int64(86400))" in source


def test_declared_reductions():
    last = npp.reduction(lambda t: t, np.maximum)
    table = np.arange(12).reshape(3, 4).astype("M8[D]")
    check(last(table, axis=0), table.max(axis=0))
    check(last(DAYS), DAYS.max())
    total = npp.reduction(lambda t, u: t - u, np.add, identity=np.timedelta64(0, "s"))
    check(total(DAYS[:2], NOON), (DAYS[:2] - NOON).sum())
    span = npp.reduction(
        lambda t: (t, t),
        lambda a, b: (min(a[0], b[0]), max(a[1], b[1])),
        finish=lambda a: a[1] - a[0],
    )
    check(span(DAYS[[0, 1, 3]]), np.ptp(DAYS[[0, 1, 3]]))


def test_dates_of_numbers_without_signatures():
    hours = npp.vectorize(lambda n: n * np.timedelta64(1, "h"))
    np.testing.assert_array_equal(hours([1, 2]), np.array([1, 2], "m8[h]"))
    first_days = npp.vectorize(lambda y: npp.time.date(y, 1, 1))
    np.testing.assert_array_equal(first_days([2000, 2001]), np.array(["2000", "2001"], "M8[D]"))


def test_a_default_of_a_duration():
    step = np.timedelta64(90, "s")

    @npp.vectorize
    def later(t, d=step):
        return t + d

    days = np.array(["2000-02-28", "NaT"], "M8[D]")
    np.testing.assert_array_equal(later(days), days + step)
    np.testing.assert_array_equal(
        later(days, np.timedelta64(1, "h")), days + np.timedelta64(1, "h")
    )


def test_zeros_and_infinities():
    days = np.array(["2000-02-28", "NaT"], "M8[D]")
    zeros = npp.vectorize(lambda t: np.zeros_like(t))(days)
    np.testing.assert_array_equal(zeros, np.zeros_like(days))
    np.testing.assert_array_equal(npp.vectorize(lambda t: np.isinf(t))(days), np.isinf(days))


@pytest.mark.parametrize("signature", ["M8[s](M8[s], m8[s])", "M8(M8, m8)"])
def test_calls_that_are_taken_to_a_device(signature):
    days, seconds = np.array(["2000-02-28", "NaT"], "M8[D]"), np.array([5, -7], "m8[s]")
    with npp.cuda.simulator():
        later = npp.vectorize([signature], target="cuda")(lambda t, d: t + d)
        np.testing.assert_array_equal(later(days, seconds), days + seconds)
        out = np.zeros(2, "M8[ms]")
        later(days, seconds, out=out)
    np.testing.assert_array_equal(out, days + seconds)


def test_printed_dates(capsys):
    lines = 'print(t[0], t[1] - t[0], f"at {t[1]}")\n'
    times = np.array(["2000-02-29T13:00:01", "NaT", "1970-01-01"], "M8[s]")
    npp.guvectorize("(n)->()")(function(f"def f(t, out):\n    {lines}    out[0] = t[0]\n"))(times)
    assert capsys.readouterr().out == f"{times[0]} NaT at NaT\n"
