"""Built modules with dates and durations: the results and errors of the ufuncs they are made of."""

import importlib
import os
import subprocess
import sys

import dated_ufuncs as declared
import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core, cuda

TIMES = np.array(["2000-02-29T13:00:01", "1969-12-31T23:59:59", "NaT", "1970-01-01"], "M8[s]")
SPANS = np.array([[90, -7, 3600, 0], [5, 86400, -1, 12]], "m8[s]")
DAY = np.datetime64("2000-01-01", "D")
SECOND = np.timedelta64(1, "s")


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    made = tmp_path_factory.mktemp("built")
    npp.build.build(declared.__file__, made / "built_dates", levels=_core.cpu_levels()[:1])
    return made


@pytest.fixture(scope="module")
def built(directory):
    sys.path.insert(0, str(directory))
    yield importlib.import_module("built_dates")
    sys.path.remove(str(directory))


def outcome(call, module):
    """What a call returns: dtypes and ticks; or raises: class, arguments and element."""
    try:
        found = call(module)
    except Exception as error:
        return type(error), str(error.args), str(getattr(error, "element", None))
    results = found if isinstance(found, tuple) else (found,)
    return [(np.asarray(each).dtype, np.asarray(each).tobytes()) for each in results]


def written(module, unit, **keywords):
    out = np.zeros(4, f"M8[{unit}]")
    module.later(TIMES, 1.5, out=out, **keywords)
    return out


def at(module):
    spans = SPANS[0].copy()
    module.total.at(spans, [0, 0, 2], SECOND)
    return spans


CALLS = {
    **{
        f"later, {unit}": lambda m, unit=unit: m.later(TIMES.astype(f"M8[{unit}]"), 36.5)
        for unit in ("Y", "M", "W", "D", "h", "90m", "s", "ms", "ns")
    },
    **{
        f"elapsed, {left} and {right}": lambda m, left=left, right=right: m.elapsed(
            TIMES.astype(f"M8[{left}]"), TIMES[:1].astype(f"M8[{right}]")
        )
        for left, right in zip(
            ("D", "D", "30m", "s", "ns", "M", "Y", "us", "15m"),
            ("D", "W", "h", "D", "15m", "M", "us", "s", "5m"),
            strict=True,
        )
    },
    "scalars": lambda m: m.later(TIMES[0], 2),
    "numbers of other types": lambda m: m.later(TIMES, np.arange(4, dtype="i2")),
    "NaT without a unit": lambda m: m.later(np.datetime64("NaT"), 1.0),
    "swapped bytes": lambda m: m.later(TIMES.astype(">M8[s]"), 1.0),
    "strided": lambda m: m.later(np.repeat(TIMES, 3)[::-2], 1.0),
    "broadcast": lambda m: m.elapsed(TIMES[:, None], TIMES),
    "empty": lambda m: m.later(TIMES[:0], 1.0),
    "long": lambda m: m.later(np.resize(TIMES, 100_001), 1.0),
    "out of the unit": lambda m: written(m, "s"),
    "out of a finer unit": lambda m: written(m, "ms"),
    "out of a coarser unit": lambda m: written(m, "D"),
    "a mask": lambda m: written(m, "ms", where=[True, False, True, False]),
    "months": lambda m: m.month_and_rest(TIMES, SPANS),
    "an int for a duration": lambda m: m.month_and_rest(TIMES, 5),
    "ints for durations": lambda m: m.month_and_rest(TIMES, np.arange(4)),
    "ints": lambda m: m.total(np.arange(4), 3),
    "an int and durations": lambda m: m.total(SPANS, 3),
    "durations": lambda m: m.total(SPANS, SPANS.astype("m8[h]")),
    "reduce": lambda m: m.total.reduce(SPANS, axis=1),
    "reduce several axes": lambda m: m.total.reduce(SPANS, axis=(0, 1)),
    "reduce to the identity": lambda m: m.total.reduce(SPANS[:, :0], axis=1),
    "reduce another unit": lambda m: m.total.reduce(SPANS.astype("m8[h]"), axis=1),
    "reduce ints": lambda m: m.total.reduce(np.arange(5)),
    "reduce dates": lambda m: m.latest.reduce(TIMES),
    "raises: no dates": lambda m: m.latest.reduce(TIMES[:0]),
    "accumulate": lambda m: m.total.accumulate(SPANS, axis=1),
    "reduceat": lambda m: m.total.reduceat(SPANS[0], [0, 2]),
    "outer": lambda m: m.elapsed.outer(TIMES, TIMES[:2]),
    "at": at,
    "generalized": lambda m: m.visits(TIMES, np.timedelta64(1, "h")),
    "generalized, of days": lambda m: m.visits(TIMES.astype("M8[D]"), SPANS[:, :1]),
    "raises": lambda m: m.checked_year(TIMES),
    "raises, of days": lambda m: m.checked_year(TIMES[::-1].astype("M8[D]")),
    "no year is missing": lambda m: m.checked_year(TIMES.astype("M8[h]")[:2]),
    "types of signature=": lambda m: m.total(SPANS, SPANS, signature="mm->m"),
    "types of dtype=": lambda m: m.total(SPANS, SPANS, dtype="m8"),
    "wrong: two dates": lambda m: m.later(TIMES, TIMES),
    "wrong: durations": lambda m: m.elapsed(SPANS, SPANS),
    "wrong: a date and a duration": lambda m: m.elapsed(TIMES, SPANS),
    "wrong: a number for a date": lambda m: m.later(5, 1.5),
    "wrong: a float for a duration": lambda m: m.month_and_rest(TIMES, 1.5),
    "wrong: months for a duration": lambda m: m.month_and_rest(TIMES, np.timedelta64(1, "M")),
    "wrong: unsigned ints": lambda m: m.month_and_rest(TIMES, np.arange(4, dtype="u8")),
    "wrong: a complex number": lambda m: m.later(TIMES, 1j),
    "wrong: objects": lambda m: m.later(TIMES.astype(object), 1.5),
    "wrong: texts": lambda m: m.later(TIMES, "1.5"),
    "wrong: a finer unit, safely": lambda m: m.later(TIMES.astype("M8[ns]"), 1.5, casting="safe"),
    "wrong: out of numbers": lambda m: m.later(TIMES, 1.5, out=np.zeros(4)),
    "wrong: out of a duration": lambda m: m.later(TIMES, 1.5, out=np.zeros(4, "m8[s]")),
    "wrong: signature=": lambda m: m.later(TIMES, 1.5, signature="MM->M"),
    "wrong: reduction": lambda m: m.elapsed.reduce(TIMES),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(built, name):
    expected = outcome(CALLS[name], declared)
    assert isinstance(expected, tuple) == name.startswith(("wrong", "raises"))
    assert outcome(CALLS[name], built) == expected
    np.testing.assert_array_equal(built.later(TIMES, 1), TIMES + np.timedelta64(1, "h"))


@pytest.mark.parametrize("name", ["later", "elapsed", "total", "visits"])
def test_description(built, name):
    made, own = getattr(built, name), getattr(declared, name)
    assert type(made) is np.ufunc
    assert (made.types, made.identity, made.signature) == (own.types, own.identity, own.signature)


def test_it_is_imported_again(built, monkeypatch):
    monkeypatch.delitem(sys.modules, "built_dates")
    again = importlib.import_module("built_dates")
    assert again is not built
    for name in ("elapsed, s and D", "reduce", "raises"):
        expected = outcome(CALLS[name], declared)
        assert [outcome(CALLS[name], module) for module in (built, again)] == [expected] * 2


def test_it_needs_numpy_alone(directory):
    program = (
        "import sys\nsys.modules['numpy_plugin'] = None\nimport built_dates, numpy as np\n"
        "print(built_dates.later(np.array(['2000-02-28', 'NaT'], 'M8[D]'), 36.5))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={"PYTHONPATH": str(directory), "HOME": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "['2000-02-29T12:30:00'                 'NaT']\n"


def test_device_arrays(built):
    with cuda.simulator():
        for unit in ("D", "s"):
            times = TIMES.astype(f"M8[{unit}]")
            found = built.later(cuda.to_device(times), 1.5)
            np.testing.assert_array_equal(found.copy_to_host(), declared.later(times, 1.5))
        found = built.total.reduce(cuda.to_device(SPANS), axis=0)
        np.testing.assert_array_equal(found.copy_to_host(), SPANS.sum(axis=0))


def test_units_are_declared(tmp_path):
    source = tmp_path / "open_units.py"
    source.write_text(
        "import numpy_plugin as npp\n"
        "@npp.vectorize(['timedelta64(datetime64, datetime64)'])\n"
        "def f(t, u):\n    return t - u\n"
    )
    with pytest.raises(ValueError, match="'f' has dates or durations without a un") as caught:
        npp.build.build(source, tmp_path / "built")
    assert "declare one signature for each unit, as in datetime64[s]" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["open_units.py"]
