"""Dates where they cannot be: what the errors say, and that the next correct call works."""

import numpy as np
import pytest
from kernel_source import function

import numpy_plugin as npp

DAYS = np.array(["2000-02-28", "NaT"], "M8[D]")
SECONDS = np.array([5, -7], "m8[s]")
START = np.datetime64("2000-01-01")
SECOND = np.timedelta64(1, "s")


@npp.vectorize(["M8[s](M8[s], m8[s])"])
def moved(t, d):
    return t + d


def works():
    np.testing.assert_array_equal(moved(DAYS, SECONDS), DAYS + SECONDS)


def refused(expression, operand, message, hint=None):
    """Check the error of a declaration or its call, and that another call is right."""
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize(function(f"def f(t):\n    return {expression}\n", START=START))(operand)
    diagnostic = caught.value.diagnostics[0]
    assert message in diagnostic.message
    assert hint is None or hint in diagnostic.hint
    works()


FUNCTIONS = ["sin", "exp", "sqrt", "log", "floor", "square", "cbrt", "signbit", "trunc", "rint"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_numbers(name):
    refused(f"np.{name}(t)", DAYS, f"'{name}' takes no datetime64")
    refused(f"np.{name}(t)", SECONDS, f"'{name}' takes no timedelta64")


OF_DATES = {
    "-t": "'negative' takes no datetime64",
    "abs(t)": "'absolute' takes no datetime64",
    "t + t": "'+' takes no datetime64 and datetime64",
    "t * 2": "'*' takes no datetime64 and int64",
    "t / 2": "'/' takes no datetime64 and int64",
    "5 - t": "'-' takes no int64 and datetime64",
    "t + 0.5": "'+' takes no datetime64 and float64",
    "t < 3": "'<' takes no datetime64 and int64",
    "t == t - START": "'==' takes no datetime64 and timedelta64",
    "1 if t else 0": "a condition must be a number or a bool, found datetime64",
    "t if t > START else 0": "int64 where datetime64 is needed",
    "float(t)": "datetime64 does not convert to float64",
    "t.year": "datetime64 has no 'year'",
    "t.item()": "datetime64 has no 'item'",
    "len(t)": "len needs an array or a tuple, t is datetime64",
    "t.astype('m8[s]')": "datetime64 does not convert to timedelta64[s]",
    "t.astype('M8[foo]')": "'M8[foo]' is not a kernel type",
    "t == np.datetime64('20-20')": "Month out of range in datetime string",
    "t + np.timedelta64(5, 'foo')": 'Invalid datetime unit "foo"',
    "str(t)": "str cannot be called in a kernel",
    "isinstance(t, np.datetime64)": "isinstance cannot be called in a kernel",
    "np.is_busday(t)": "numpy.is_busday works on whole arrays",
}


@pytest.mark.filterwarnings("ignore:In the future `np.str`:FutureWarning")
@pytest.mark.parametrize("expression", OF_DATES)
def test_expressions_of_dates(expression):
    refused(expression, DAYS, OF_DATES[expression])


OF_DURATIONS = {
    "t * t": "'*' takes no timedelta64 and timedelta64",
    "t**2": "'**' takes no timedelta64 and int64",
    "t & t": "'&' takes no timedelta64 and timedelta64",
    "t % 2": "'%' takes no timedelta64 and int64",
    "divmod(t, 2)": "'%' takes no timedelta64 and int64",
    "t * (1 + 2j)": "'*' takes no timedelta64 and complex128",
    "t - START": "'-' takes no timedelta64 and datetime64",
    "t < 3.5": "'<' takes no timedelta64 and float64",
    "not t": "a condition must be a number or a bool, found timedelta64",
    "t.total_seconds()": "timedelta64 has no 'total_seconds'",
    "t + np.timedelta64(1, 'M')": "have no common unit",
    "npp.time.year(t)": "npp.time.year needs a date, t is timedelta64",
}


@pytest.mark.parametrize("expression", OF_DURATIONS)
def test_expressions_of_durations(expression):
    refused(expression, SECONDS, OF_DURATIONS[expression])


def test_hints():
    refused("t + t", DAYS, "takes no", hint="the difference t - t is a duration")
    refused("t.astype(np.float64)", SECONDS, "does not convert", hint="is a number")
    refused("1 if t else 0", SECONDS, "a condition", hint="np.isnat(t)")
    refused("t + np.timedelta64(1, 'M')", SECONDS, "no common unit", hint="months vary in length")
    refused("np.timedelta64(t, 'D')", 1.5, "does not convert", hint="t * np.timedelta64(1, 'D')")


RESULTS = {
    "int64(datetime64[D])": "datetime64[D] returned, int64 declared",
    "float64(timedelta64[s])": "timedelta64[s] returned, float64 declared",
    "datetime64[s](int64)": "int64 returned, datetime64[s] declared",
    "timedelta64[s](float64)": "float64 returned, timedelta64[s] declared",
    "datetime64[s](timedelta64[s])": "timedelta64[s] returned, datetime64[s] declared",
    "timedelta64[s](timedelta64[M])": "timedelta64[M] returned, timedelta64[s] declared",
}


@pytest.mark.parametrize("signature", RESULTS)
def test_results_of_another_kind(signature):
    with pytest.raises(npp.KernelError) as caught:
        npp.vectorize([signature])(lambda t: t)
    assert caught.value.diagnostics[0].message == RESULTS[signature]
    works()


SIGNATURES = {
    "M8[foo](M8[s])": "unknown unit of time 'foo'",
    "M8[S](M8[S])": "unknown unit of time 'S'",
    "M8[0s](M8[0s])": "unknown unit of time '0s'",
    "M8[99999999999s](M8[s])": "unknown unit of time '99999999999s'",
    "M8[s(M8[s])": "']' is missing after the unit of time",
    "M8[s/3](M8[s])": "']' is missing after the unit of time",
    "datetime[s](datetime64[s])": "unknown type 'datetime'",
}


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signatures(signature):
    with pytest.raises(npp.SignatureError) as caught:
        npp.vectorize([signature])(lambda t: t)
    assert SIGNATURES[signature] in str(caught.value)
    works()


STORED = {
    "out[0] = t[0]": "datetime64[s] stored, float64 declared",
    "out[0] = np.sum(t)": "dates have no such reduction",
    "out[0] = np.mean(t)": "dates have no such reduction",
    "out[0] = np.prod(t - t[0])": "durations have no such reduction",
    "out[0] = np.interp(t[0], t, t)": "cannot be called with datetime64[s]",
    "for i in range(t[0]):\n    out[0] = i": "range needs integers, t[0] is datetime64[s]",
    "out[0] = out[t[0]]": "an index must be an integer, found datetime64[s]",
    "z = npp.local_array(4, 'float64')\nz[0] = t[0]": "datetime64[s] stored, float64 declared",
    "z = npp.local_array(4, 'M8[D]')\nz[0] = 5": "int64 stored, datetime64[D] declared",
    "out[0] = npp.time.year(t)": "npp.time.year needs a number, t is a 1-dimensional array",
    "out[0] = t[0] in t": "'in' needs a tuple",
    "out[0] = t.view(np.int64)[0]": "a core array has no 'view'",
}


@pytest.mark.parametrize("body", STORED)
def test_arrays(body):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    with pytest.raises(npp.KernelError) as caught:
        npp.guvectorize(["void(datetime64[s][:], float64[:])"], "(n)->(n)")(
            function(f"def f(t, out):\n{lines}")
        )
    assert STORED[body] in str(caught.value)
    works()


CALLS = {
    "two dates": (DAYS, DAYS),
    "a float": (DAYS, 1.5),
    "a text": ("2000-01-01", SECONDS),
    "texts": (DAYS, np.array(["1"])),
    "objects": (DAYS.astype(object), SECONDS),
    "None": (DAYS, None),
    "a complex number": (DAYS, 1j),
    "bytes": (DAYS, b"5"),
    "an unsigned array": (DAYS, np.array([1, 2], "u8")),
}


@pytest.mark.parametrize("name", CALLS)
def test_operands(name):
    with pytest.raises(TypeError, match="'moved'"):
        moved(*CALLS[name])
    works()


def test_keywords():
    for keywords in (
        {"casting": "no"},
        {"dtype": float},
        {"signature": "MM->m"},
        {"out": np.zeros(2, "m8[s]")},
        {"out": np.zeros(2)},
        {"out": np.zeros(2, "M8[D]"), "casting": "safe"},
    ):
        with pytest.raises(TypeError):
            moved(DAYS, SECONDS, **keywords)
        works()
    still = np.zeros(2, "M8[s]")
    still.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        moved(DAYS, SECONDS, out=still)
    with pytest.raises(ValueError, match="broadcast"):
        moved(DAYS, np.zeros(3, "m8[s]"))
    works()


def test_units_without_a_common_one():
    added = npp.vectorize(lambda a, b: a + b)
    for left, right in [
        (np.timedelta64(1, "Y"), SECOND),
        (np.datetime64("2000-01-01", "D"), np.timedelta64(1, "M")),
        (np.timedelta64(1, "2147483647W"), np.timedelta64(1, "as")),
    ]:
        with pytest.raises(TypeError, match="have no common unit"):
            added(left, right)
    assert added(np.timedelta64(1, "Y"), np.timedelta64(1, "M")) == np.timedelta64(13, "M")
    assert added(DAYS[0], SECOND) == DAYS[0] + SECOND


def test_raises_and_asserts():
    @npp.vectorize
    def checked(t):
        if np.isnat(t):
            raise ValueError("no date")
        assert t > START, "too early"
        return t

    with pytest.raises(ValueError, match="no date"):
        checked(DAYS)
    with pytest.raises(AssertionError, match="too early"):
        checked(np.datetime64("1999-01-01"))
    np.testing.assert_array_equal(checked(DAYS[:1]), DAYS[:1])


def test_reductions():
    with pytest.raises(TypeError):
        moved.reduce(DAYS)
    with pytest.raises(TypeError):
        moved.accumulate(DAYS)
    largest = npp.vectorize(["M8[s](M8[s], M8[s])"])(lambda a, b: np.maximum(a, b))
    with pytest.raises(ValueError, match="zero-size array to reduction operation"):
        largest.reduce(DAYS[:0])
    assert largest.reduce(DAYS[:1]) == DAYS[0]
    works()


def test_the_calendar_takes_dates_alone():
    for wrong in ("2000-01-01", 5, 1.5, SECONDS, DAYS.astype(object)):
        with pytest.raises(TypeError, match="ufunc 'year' not supported"):
            npp.time.year(wrong)
    with pytest.raises(TypeError, match="ufunc 'date' not supported"):
        npp.time.date(2000.5, 1, 1)
    assert npp.time.year(DAYS[0]) == 2000


def test_arrays_of_another_unit_are_not_copied_as_a_whole():
    source = "def f(t, out):\n    out[:] = t\n"
    with pytest.raises(
        npp.KernelError, match="copied as a whole to an array of datetime64"
    ) as caught:
        npp.guvectorize(["void(datetime64[D][:], datetime64[s][:])"], "(n)->(n)")(function(source))
    assert "out[i] = t[i]" in str(caught.value)
    whole = npp.guvectorize("(n)->(n)")(function(source))
    days = np.array(["2000-02-28", "NaT"], "M8[D]")
    np.testing.assert_array_equal(whole(days), days)


def test_reductions_that_pass_over_nan_refuse_dates():
    largest = npp.guvectorize("(n)->()")(function("def f(t, out):\n    out[0] = np.nanmax(t)\n"))
    with pytest.raises(npp.KernelError, match="float64 where datetime64 is needed"):
        largest(np.array(["2000-02-28", "NaT"], "M8[D]"))


def test_a_raised_date_is_in_the_message():
    source = (
        'def f(t):\n    if np.isnat(t):\n        raise ValueError(f"bad {t}", t)\n    return t\n'
    )
    checked = npp.vectorize(function(source))
    with pytest.raises(ValueError, match="bad NaT") as caught:
        checked(np.array(["2000-02-28", "NaT"], "M8[D]"))
    assert np.isnat(caught.value.args[1]) and caught.value.args[1].dtype == np.dtype("M8[D]")


def test_a_call_of_an_array_is_refused_as_before():
    table = np.arange(3.0)
    source = "def f(x):\n    return table(x) + table(x, 2)\n"
    with pytest.raises(npp.KernelError, match="is a 1-dimensional array, not a function"):
        npp.vectorize(["float64(float64)"])(function(source, table=table))
