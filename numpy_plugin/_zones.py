"""Time zones of pandas' and polars' dates, which a ufunc gets in UTC."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["common_zone"]


def common_zone(name: str, zones: Iterable[Any]) -> Any:
    """Return the zone of the results of a call: UTC for dates of several zones.

    Args:
        name: the called ufunc.
        zones: of the operands that are dates; None for dates without a zone.

    Raises:
        TypeError: some dates have a zone, and others none.
    """
    by_name = {str(zone): zone for zone in zones}
    if "None" in by_name and len(by_name) > 1:
        aware = next(zone for zone in by_name if zone != "None")
        raise TypeError(
            f"ufunc '{name}' cannot take dates of the time zone {aware} beside dates without a "
            "zone: give both a zone, with tz_localize or replace_time_zone, or neither"
        )
    return next(iter(by_name.values()), None) if len(by_name) < 2 else "UTC"
