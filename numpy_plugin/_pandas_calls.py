"""Calls of ufuncs on dates that pandas would give them as objects.

These are dates with a time zone, and `Timestamp`, `Timedelta`, `NaT` and Python's types as scalars.
A ufunc gets them as NumPy's types, in UTC; pandas aligns the operands as in any other call.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from numpy_plugin._zones import common_zone

__all__ = ["call_on_pandas"]

_SCALARS = (datetime.datetime, datetime.timedelta)  # bases of pandas' own, also of NaT
_NATS = (np.datetime64("NaT"), np.timedelta64("NaT"))


def call_on_pandas(call: Callable[..., Any], /, *inputs: Any, **keywords: Any) -> Any:
    """Return the result of a ufunc or its method; NotImplemented where pandas' dispatch makes it.

    Results that are dates have the zone of the operands.

    Raises:
        TypeError: some dates have a zone, and others none.
    """
    ufunc: Any = getattr(call, "__self__", call)
    operands, outputs = inputs[: ufunc.nin], inputs[ufunc.nin :]
    zones = {zone for item in operands for zone in _zones(item)}
    if not zones - {None} and not any(isinstance(item, _SCALARS) for item in operands):
        return NotImplemented
    zone = common_zone(ufunc.__name__, zones)
    # NaT is a date or a duration, whichever the ufunc takes.
    nat, other_nat = _NATS if zones else _NATS[::-1]
    try:
        result = call(*(_as_numpys(item, nat) for item in operands), *outputs, **keywords)
    except TypeError:
        if not any(item is pd.NaT for item in operands):
            raise
        result = call(*(_as_numpys(item, other_nat) for item in operands), *outputs, **keywords)
    if zone is None or outputs or "out" in keywords:
        return result
    return (
        tuple(_in_zone(item, zone) for item in result) if ufunc.nout > 1 else _in_zone(result, zone)
    )


def _zone(dtype: Any) -> Any:
    """Return the zone of a type of pandas; None for dates without one."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def _zones(operand: Any) -> set[Any]:
    """Return the zones of an operand's dates: None for those without one, no entry for others."""
    if operand is pd.NaT or isinstance(operand, datetime.timedelta):
        return set()
    if isinstance(operand, datetime.datetime):
        return {operand.tzinfo}
    types = (
        operand.dtypes if isinstance(operand, pd.DataFrame) else [getattr(operand, "dtype", None)]
    )
    return {_zone(of) for of in types if getattr(of, "kind", None) == "M"}


def _as_numpys(operand: Any, nat: np.generic) -> Any:
    """Return an operand whose dates are NumPy's, in UTC."""
    if operand is pd.NaT:
        return nat
    if isinstance(operand, datetime.timedelta):
        return pd.Timedelta(operand).to_numpy()
    if isinstance(operand, datetime.datetime):
        return pd.Timestamp(operand).to_datetime64()
    if isinstance(operand, pd.DataFrame):
        return _by_columns(operand, lambda column: _as_numpys(column, nat))
    if not _zones(operand) - {None}:
        return operand
    return _dates(operand).tz_convert(None)


def _in_zone(result: Any, zone: Any) -> Any:
    """Return a result of pandas' types with its dates in a zone; a NumPy array as it is."""
    if isinstance(result, np.datetime64):
        return pd.Timestamp(result).tz_localize("UTC").tz_convert(zone)
    if isinstance(result, pd.DataFrame):
        return _by_columns(result, lambda column: _in_zone(column, zone))
    if (
        isinstance(result, np.ndarray)
        or getattr(getattr(result, "dtype", None), "kind", None) != "M"
    ):
        return result
    return _dates(_dates(result).tz_localize("UTC")).tz_convert(zone)


def _dates(values: Any) -> Any:
    """Return the object with the methods of dates."""
    return values.dt if isinstance(values, pd.Series) else values


def _by_columns(frame: pd.DataFrame, change: Callable[[pd.Series], pd.Series]) -> pd.DataFrame:
    changed = pd.concat([change(column) for _, column in frame.items()], axis="columns")
    changed.columns = frame.columns
    return changed
