"""Definition of a reduction: its functions, and the dtypes of its loops by NumPy's rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.wrong_call import mistaken

__all__ = ["Definition", "LoopTypes", "find_loop"]

DTypes = tuple[np.dtype[Any], ...]


@dataclass(frozen=True, eq=False)
class Definition:
    """Functions of a reduction; the attributes are those of `Reduction`."""

    name: str
    map: np.ufunc
    combine: np.ufunc
    finish: np.ufunc | None
    identity: object
    has_index: bool
    loops: dict[tuple[Any, ...], LoopTypes] = field(default_factory=dict, init=False, repr=False)

    @property
    def nin(self) -> int:
        """The number of operands."""
        return self.map.nin - self.has_index

    @property
    def nout(self) -> int:
        """The number of results."""
        return (self.finish or self.map).nout


@dataclass(frozen=True)
class LoopTypes:
    """Dtypes of a reduction's loops for some operands."""

    operands: DTypes
    items: DTypes
    results: DTypes


def find_loop(reduction: Definition, types: tuple[Any, ...]) -> LoopTypes:
    """Return the loops' dtypes for operands of these types, as NumPy resolves them.

    Raises:
        TypeError: there is no loop, or accumulators change their types when combined.
    """
    if types not in reduction.loops:
        reduction.loops[types] = _resolve_loop(reduction, types)
    return reduction.loops[types]


def _resolve_loop(reduction: Definition, types: tuple[Any, ...]) -> LoopTypes:
    index = (np.dtype(np.int64),) if reduction.has_index else ()
    resolved = _resolve(reduction.map, (*types, *index))
    n_inputs = reduction.map.nin
    items = resolved[n_inputs:]
    combined = _resolve(reduction.combine, items * 2)
    if combined != items * 3:
        message = (
            f"reduce of '{reduction.name}' takes and returns accumulators of one type, found "
            f"{_listed(combined[2 * len(items) :])} for {_listed(items)}"
        )
        hint = f"cast in map, as in np.{combined[-1]}(x)"
        raise mistaken(TypeError, message, hint)
    finished = items if reduction.finish is None else _resolve(reduction.finish, items)
    results = finished if reduction.finish is None else finished[len(items) :]
    return LoopTypes(resolved[: reduction.nin], items, results)


def _resolve(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> DTypes:
    return tuple(_core.resolve_dtypes(ufunc, (*inputs, *(None,) * ufunc.nout)))


def _listed(dtypes: DTypes) -> str:
    return ", ".join(map(str, dtypes))
