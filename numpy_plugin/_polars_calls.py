"""Calls of ufuncs on polars' dates and durations, which polars would give them as integers.

A ufunc gets them as NumPy's types, in UTC, with NaT where a value is missing. As with numbers,
results are series with the name of the first one, and missing where a value of an operand is.
"""

from __future__ import annotations

import datetime
import importlib
from typing import Any

import numpy as np

from numpy_plugin._zones import common_zone

__all__ = ["call_on_polars"]

pl: Any = importlib.import_module("polars")

_TIMES = (pl.Datetime, pl.Duration, pl.Date)
_SCALARS = (datetime.date, datetime.timedelta)  # also datetime
# Units that polars lacks or that it has for dates only, with those that hold the same ticks.
_UNITS = {"W": "ms", "D": "ms", "h": "ms", "m": "ms", "s": "ms"}
_UNITS_OF_DATES = _UNITS | {"Y": "D", "M": "D", "W": "D", "D": "D"}


def call_on_polars(ufunc: np.ufunc, /, *inputs: Any, **keywords: Any) -> Any:
    """Return the result of a call with times; NotImplemented where polars' dispatch makes it.

    Raises:
        TypeError: some dates have a zone, and others none.
        polars.exceptions.ComputeError: a generalized ufunc with missing values, as with numbers.
    """
    if len(inputs) != ufunc.nin or "out" in keywords or not _has_times(ufunc, inputs):
        return NotImplemented
    series = [item for item in inputs if isinstance(item, pl.Series)]
    if ufunc.signature is not None and any(item.has_nulls() for item in series):
        raise pl.exceptions.ComputeError(
            f"generalized ufunc '{ufunc.__name__}' cannot take series with missing values: drop or "
            "fill them before the call"
        )
    zone = common_zone(ufunc.__name__, (_zone(item) for item in inputs if _is_date(item)))
    found = ufunc(*map(_as_numpys, inputs), **keywords)
    results = [_as_polars(item, series, zone) for item in (found if ufunc.nout > 1 else [found])]
    return tuple(results) if ufunc.nout > 1 else results[0]


def _has_times(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> bool:
    """Return whether an operand is of polars' times, or a declared result is a time."""
    results = "".join(loop.partition("->")[2] for loop in ufunc.types)
    return not {"M", "m"}.isdisjoint(results) or any(
        isinstance(getattr(item, "dtype", None), _TIMES) for item in inputs
    )


def _is_date(operand: Any) -> bool:
    if isinstance(operand, pl.Series):
        return isinstance(operand.dtype, (pl.Datetime, pl.Date))
    dtype = getattr(operand, "dtype", None)
    return isinstance(operand, datetime.date) or getattr(dtype, "kind", None) == "M"


def _zone(date: Any) -> Any:
    zone = getattr(getattr(date, "dtype", None), "time_zone", None)
    return zone or getattr(date, "tzinfo", None)


def _as_numpys(operand: Any) -> Any:
    """Return an operand's values: dates in UTC, and zeros for other missing values."""
    if isinstance(operand, _SCALARS):
        return pl.Series([operand]).to_numpy()[0]
    if not isinstance(operand, pl.Series):
        return operand
    is_number = operand.dtype.is_numeric() or operand.dtype == pl.Boolean
    if is_number and operand.has_nulls():
        operand = operand.fill_null(pl.lit(0).cast(operand.dtype))
    return operand.to_numpy()


def _as_polars(result: Any, operands: list[Any], zone: Any) -> Any:
    """Return a result as a series, a time as Python's type; numbers and tables as they are."""
    if isinstance(result, (np.datetime64, np.timedelta64)):
        return _as_polars(np.array([result]), operands, zone).item()
    if not isinstance(result, np.ndarray) or result.ndim != 1:
        return result
    if result.dtype.kind in "mM":
        result = _in_polars_unit(result)
    series = pl.Series(operands[0].name, result)
    missing = [item.is_null().to_numpy() for item in operands if item.has_nulls()]
    if missing:
        where = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*missing)), len(series))
        series = series.scatter(np.flatnonzero(where), None)
    if zone is not None and isinstance(series.dtype, pl.Datetime):
        series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(str(zone))
    return series


def _in_polars_unit(times: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return times in a unit of polars, which refuses units finer than ns."""
    unit, _ = np.datetime_data(times.dtype)
    kind = times.dtype.kind
    return times.astype(f"{kind}8[{(_UNITS_OF_DATES if kind == 'M' else _UNITS).get(unit, unit)}]")
