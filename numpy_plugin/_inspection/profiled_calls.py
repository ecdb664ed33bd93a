"""Profiles of calls of ufuncs."""

from __future__ import annotations

from typing import Any

from numpy_plugin._inspection.explained_calls import ExplainedCall
from numpy_plugin._inspection.operands import own_array, same_layout
from numpy_plugin._inspection.profile import Profile, device_for, profiled

__all__ = ["profile_call"]


def profile_call(
    call: ExplainedCall, operands: tuple[Any, ...], keywords: dict[str, Any], arch: str
) -> Profile:
    """Make a call on a new simulated device with copies of its operands, and profile it."""
    operands = tuple(map(own_array, operands))
    with device_for(arch, (*operands, *keywords.values())) as device:
        arrays = call.on_device(tuple(map(same_layout, operands)))
        keywords = call.keywords_on_device(keywords)
        if "where" in keywords:
            keywords["out"] = None  # NumPy warns of elements that are not computed
        return profiled(device, lambda: call.count(*arrays, **keywords))
