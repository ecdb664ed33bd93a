"""Kinds of calls that `explain` makes: ufuncs, their methods, and reductions of mapped operands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from numpy_plugin import _core, cuda
from numpy_plugin._cuda.numpy_ufuncs import reduction_kernel
from numpy_plugin._inspection.launch_form import LaunchForm, ReductionPlan
from numpy_plugin._inspection.operands import on_device, same_layout
from numpy_plugin._reduction.arguments import broadcast_shape
from numpy_plugin._reduction.reduction import Reduction, explain_launch

__all__ = ["ExplainedCall", "Launch", "explained_call"]

#: The device, why, bytes copied to it and back, pieces.
Place = tuple[_core.Device | None, str, int, int, int]
Launch = tuple[LaunchForm, ReductionPlan | None]
Arrays = tuple[Any, ...]

_METHODS = ("reduce", "accumulate", "reduceat")


class ExplainedCall:
    """A call of a ufunc; `kernel` computes it on devices."""

    #: Whether resources() is there.
    has_resources = True
    #: The operands that are copied to a device; None: all of them.
    moved: tuple[int, ...] | None = None

    def __init__(self, ufunc: np.ufunc, kernel: np.ufunc) -> None:
        """Keep both; they differ for NumPy's ufuncs."""
        self.ufunc = ufunc
        self.kernel = kernel

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        """Make the call."""
        return self.ufunc(*operands, **keywords)

    def count(self, *arrays: Any, **keywords: Any) -> Any:
        """Make the call on arrays that are copies."""
        return self(*arrays, **keywords)

    def on_device(self, operands: Arrays) -> Arrays:
        """Return the operands on the current device."""
        if self.moved is None:
            return on_device(operands)
        moved = {place for place in self.moved if place < len(operands)}
        arrays = on_device(tuple(operands[place] for place in sorted(moved)))
        found = dict(zip(sorted(moved), arrays, strict=True))
        return tuple(found.get(place, operand) for place, operand in enumerate(operands))

    def keywords_on_device(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """Return keywords with the mask on the current device."""
        mask = keywords.get("where", True)
        if mask is True:
            return keywords
        (array,) = on_device((same_layout(mask),))
        return keywords | {"where": array}

    def n_elements(self, arrays: Arrays, results: Arrays, keywords: dict[str, Any]) -> int:
        """Return the number of elements that counts are compared with."""
        size: int = results[0].size
        return size

    def place(self, operands: Arrays, keywords: dict[str, Any]) -> Place:
        """Return where it runs."""
        return _core.explain_place(self.kernel, operands, keywords)

    def launch(self, arrays: Arrays, keywords: dict[str, Any], device: _core.Device) -> Launch:
        """Return how a device launches it."""
        return LaunchForm(*_core.explain_launch(self.kernel, arrays, keywords)), None

    def resources(
        self, arrays: Arrays, keywords: dict[str, Any], device: _core.Device
    ) -> tuple[int, int, int]:
        """Return threads per block, registers per thread and resident blocks."""
        return _core.explain_resources(self.kernel, arrays, keywords, device)


class _MethodCall(ExplainedCall):
    """A call of `reduce`, `accumulate` or `reduceat`."""

    has_resources = False
    moved = (0,)

    def __init__(self, ufunc: np.ufunc, kernel: np.ufunc, method: str) -> None:
        super().__init__(ufunc, kernel)
        self.method = method

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        return getattr(self.ufunc, self.method)(*operands, **keywords)

    def place(self, operands: Arrays, keywords: dict[str, Any]) -> Place:
        return _place_of_arrays((*operands, keywords.get("where")))

    def n_elements(self, arrays: Arrays, results: Arrays, keywords: dict[str, Any]) -> int:
        size: int = arrays[0].size
        return size

    def launch(self, arrays: Arrays, keywords: dict[str, Any], device: _core.Device) -> Launch:
        kernel, keywords = self.kernel, dict(keywords)
        if self.ufunc is not kernel:
            kernel, keywords["dtype"] = reduction_kernel(
                self.ufunc, self.method, arrays[0], keywords.get("dtype")
            )
        launch, plan = _core.explain_method(kernel, self.method, arrays, keywords, device)
        return _launch(launch, plan)


class _UpdateCall(ExplainedCall):
    """A call of `at`, on a copy of the array."""

    has_resources = False
    moved = (0, 2)

    def __call__(self, array: Any, *others: Any, **keywords: Any) -> Any:
        copy = array.copy()
        self.ufunc.at(copy, *others, **keywords)
        return copy

    def count(self, *arrays: Any, **keywords: Any) -> Any:
        self.ufunc.at(*arrays, **keywords)
        return arrays[0]

    def place(self, operands: Arrays, keywords: dict[str, Any]) -> Place:
        return _place_of_arrays(operands)

    def launch(self, arrays: Arrays, keywords: dict[str, Any], device: _core.Device) -> Launch:
        form, reason = _core.explain_update(self.kernel, arrays)
        return LaunchForm(form, reason, 0, 0, 0, False, ()), None


class _ReductionCall(ExplainedCall):
    """A call of an `npp.reduction`."""

    has_resources = False

    def __init__(self, reduction: Reduction) -> None:
        super().__init__(reduction.map, reduction.map)
        self.reduction = reduction

    def __call__(self, *operands: Any, **keywords: Any) -> Any:
        return self.reduction(*operands, **keywords)

    def n_elements(self, arrays: Arrays, results: Arrays, keywords: dict[str, Any]) -> int:
        return math.prod(broadcast_shape(arrays, keywords.get("shape")))

    def place(self, operands: Arrays, keywords: dict[str, Any]) -> Place:
        return _place_of_arrays((*operands, keywords.get("where")))

    def launch(self, arrays: Arrays, keywords: dict[str, Any], device: _core.Device) -> Launch:
        found = explain_launch(self.reduction, arrays, keywords)
        if found is None:
            nothing = "nothing is reduced: there are no elements"
            return LaunchForm("", nothing, 0, 0, 0, False, ()), None
        return _launch(*found)


def explained_call(
    function: np.ufunc | Reduction, kernel: np.ufunc | None, method: str | None
) -> ExplainedCall:
    """Return the kind of call that a ufunc and a method, or a reduction, make.

    Raises:
        ValueError: there is no such method.
    """
    if isinstance(function, Reduction):
        return _ReductionCall(function)
    assert kernel is not None, function
    if method is None:
        return ExplainedCall(function, kernel)
    if method == "at":
        return _UpdateCall(function, kernel)
    if method not in _METHODS:
        expected = ", ".join(map(repr, (*_METHODS, "at")))
        raise ValueError(f"unknown method {method!r}; expected one of {expected}")
    return _MethodCall(function, kernel, method)


def _launch(launch: tuple[Any, ...], plan: tuple[Any, ...]) -> Launch:
    form = LaunchForm(*launch)
    return form, ReductionPlan(*plan) if form.blocks else None


def _place_of_arrays(arrays: Arrays) -> Place:
    for number, array in enumerate(arrays, 1):
        if isinstance(array, cuda.DeviceArray):
            why = f"operand {number} is an array of '{array.device.name}'"
            return array.device, why, 0, 0, 0
    return None, "no operand is on a device", 0, 0, 0
