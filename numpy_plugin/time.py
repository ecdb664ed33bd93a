"""Parts of dates, and dates of parts: ufuncs of datetime64, on arrays and in kernels.

Dates may have any unit, and NaT gives the smallest int64, as NumPy's casts do. The calendar is
NumPy's, the Gregorian one extended to all years. `noleap`, `days360` and `julian` have the same
functions for the other calendars of climate data, of dates that count days from 1970-01-01 of that
calendar.

>>> import numpy as np
>>> import numpy_plugin as npp
>>> npp.time.dayofyear(np.datetime64("2000-12-31"))
np.int64(366)
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import NamedTuple

import numpy as np

from numpy_plugin._frontend.declare import vectorize
from numpy_plugin._public_names import public_names

__all__ = [
    "Calendar",
    "date",
    "datetime",
    "day",
    "dayofyear",
    "days360",
    "days_in_month",
    "hour",
    "is_leap_year",
    "isoweek",
    "isoyear",
    "julian",
    "julian_date",
    "microsecond",
    "minute",
    "month",
    "nanosecond",
    "noleap",
    "second",
    "weekday",
    "year",
]

year: np.ufunc
month: np.ufunc
day: np.ufunc
dayofyear: np.ufunc
weekday: np.ufunc
is_leap_year: np.ufunc
days_in_month: np.ufunc
date: np.ufunc
isoyear: np.ufunc
isoweek: np.ufunc
hour: np.ufunc
minute: np.ufunc
second: np.ufunc
microsecond: np.ufunc
nanosecond: np.ufunc
datetime: np.ufunc
julian_date: np.ufunc


class _Row(NamedTuple):
    signature: str
    doc: str


_OF_DATE = "int64(datetime64)"
_ROWS = {
    "year": _Row(_OF_DATE, "The year of a date; 0 is the year before 1."),
    "month": _Row(_OF_DATE, "The month of a date, 1 to 12."),
    "day": _Row(_OF_DATE, "The day of the month of a date, from 1."),
    "dayofyear": _Row(_OF_DATE, "The day of the year of a date, from 1."),
    "weekday": _Row(_OF_DATE, "The day of the week of a date, Monday 0 to Sunday 6."),
    "is_leap_year": _Row("bool(datetime64)", "Whether the year of a date has a leap day."),
    "days_in_month": _Row(_OF_DATE, "The number of days of the month of a date."),
    "date": _Row(
        "datetime64[D](int64, int64, int64)",
        "The date of a year, a month and a day; months beyond 1 to 12 are those of other years.",
    ),
    "isoyear": _Row(_OF_DATE, "The year to which the week of a date belongs, by ISO 8601."),
    "isoweek": _Row(_OF_DATE, "The week of the year of a date by ISO 8601, 1 to 53."),
    "hour": _Row(_OF_DATE, "The hour of a time, 0 to 23."),
    "minute": _Row(_OF_DATE, "The minute of the hour of a time, 0 to 59."),
    "second": _Row(_OF_DATE, "The second of the minute of a time, 0 to 59."),
    "microsecond": _Row(_OF_DATE, "The microsecond of the second of a time, 0 to 999999."),
    "nanosecond": _Row(_OF_DATE, "The nanosecond of the microsecond of a time, 0 to 999."),
    "datetime": _Row(
        "datetime64[s](int64, int64, int64, int64, int64, int64)",
        """The time of a year, month, day, hour, minute and second.

        In kernels the last ones may be left out: the unit is that of the last argument.
        """,
    ),
    "julian_date": _Row(
        "(float64, float64)(datetime64)",
        """The Julian date of a time in two parts: a whole number, and a rest of half a day at most.

        Their sum is exact to the nanosecond, as astropy's jd1 and jd2.
        """,
    ),
}
_OF_CALENDARS = (
    "year", "month", "day", "dayofyear", "weekday", "is_leap_year", "days_in_month", "date",
)  # fmt: skip


def _kernel(name: str, n_inputs: int) -> Callable[..., object]:
    """Return a kernel that calls the function of this module that kernels know by the name."""

    def called(*parts: object) -> object:
        raise NotImplementedError

    function = FunctionType(called.__code__, globals(), name)

    def of_date(date):  # type: ignore[no-untyped-def]
        return function(date)

    def of_day(year, month, day):  # type: ignore[no-untyped-def]
        return function(year, month, day)

    def of_time(year, month, day, hour, minute, second):  # type: ignore[no-untyped-def]
        return function(year, month, day, hour, minute, second)

    kernels: dict[int, Callable[..., object]] = {1: of_date, 3: of_day, 6: of_time}
    return kernels[n_inputs]


def _made(name: str, calendar: str = "") -> np.ufunc:
    """Return the ufunc of a row, for one of the other calendars with its name and a dot."""
    row = _ROWS[name]
    kernel = _kernel(calendar + name, row.signature.count(",", row.signature.rfind("(")) + 1)
    ufunc = vectorize([row.signature], name=name, doc=row.doc)(kernel)
    ufunc.__dict__["__module__"] = __name__
    ufunc.__dict__["__qualname__"] = calendar + name
    return ufunc


class Calendar(SimpleNamespace):
    """The functions `year` to `date` for another calendar, each a ufunc."""

    year: np.ufunc
    month: np.ufunc
    day: np.ufunc
    dayofyear: np.ufunc
    weekday: np.ufunc
    is_leap_year: np.ufunc
    days_in_month: np.ufunc
    date: np.ufunc

    def __init__(self, name: str) -> None:
        """Keep the name that this module has it by."""
        super().__init__(_name=name)

    def __getattr__(self, name: str) -> np.ufunc:
        """Make a ufunc on first access.

        Raises:
            AttributeError: there is no such function.
        """
        if name not in _OF_CALENDARS:
            raise AttributeError(f"the calendar {self._name!r} has no function {name!r}")
        ufunc = _made(name, f"{self._name}.")
        setattr(self, name, ufunc)
        return ufunc

    def __reduce__(self) -> str:
        """Pickle the name."""
        return str(self._name)

    def __dir__(self) -> list[str]:
        """Return the functions, whether made yet or not."""
        return list(_OF_CALENDARS)


noleap = Calendar("noleap")
days360 = Calendar("days360")
julian = Calendar("julian")


def __getattr__(name: str) -> np.ufunc:
    """Make a ufunc on first access.

    Raises:
        AttributeError: there is no such function.
    """
    if name not in _ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    ufunc = globals()[name] = _made(name)
    return ufunc


__dir__ = public_names(globals())  # all functions, whether made yet or not
