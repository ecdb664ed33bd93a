"""Configuration of simulated devices: memory, checks, faults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["Faults", "check_bits", "memory_bytes", "native_faults"]

# As the simulator numbers them.
_CHECKS = {"bounds": 1, "alignment": 2, "uninitialized": 4, "races": 8, "barriers": 16}

_UNITS = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Faults to inject into a simulated device, for testing error handling.

    Attributes:
        allocation: the n-th allocation of device memory fails.
        launch: the n-th launch fails.
        lost: at the n-th launch the device is lost: that call and all later ones fail.
        copy_delay: extra seconds for each copy.

    Calls are counted from 1, starting when the device is created; None: never.
    """

    __module__ = "numpy_plugin.cuda"

    allocation: int | None = None
    launch: int | None = None
    lost: int | None = None
    copy_delay: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name in ("allocation", "launch", "lost"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise TypeError(f"{name} is the number of a call or None, found {value!r}")
            if value is not None and value < 1:
                raise ValueError(f"{name} is the number of a call, counted from 1; found {value}")
        if isinstance(self.copy_delay, bool) or not isinstance(self.copy_delay, (int, float)):
            raise TypeError(f"copy_delay is a number of seconds, found {self.copy_delay!r}")
        if not 0 <= self.copy_delay <= 3600:
            raise ValueError(f"copy_delay is 0 to 3600 seconds, found {self.copy_delay!r}")


# The one that dataclass wrote.
Faults.__init__ = without_own_frames(Faults.__init__)  # type: ignore[method-assign]


def memory_bytes(memory: int | str) -> int:
    """Return a size in bytes, given as an int or a str such as "512 MiB"."""
    if isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    elif isinstance(memory, str):
        found = _SIZE.fullmatch(memory)
        unit = found[2].upper() if found else None
        if found is None or unit not in _UNITS:
            raise ValueError(f"memory must be a size such as '1 GiB', not {memory!r}")
        size = int(float(found[1]) * _UNITS[unit])
    else:
        raise TypeError(wrong_class("memory", "an int or a str such as '1 GiB'", memory))
    if size < 1:
        raise ValueError(f"a device has at least 1 byte of memory, found {memory!r}")
    return size


def check_bits(checks: bool | str | Iterable[str]) -> int:
    """Return the simulator's mask for some checks, all (True, "all") or none (False)."""
    if isinstance(checks, bool):
        return sum(_CHECKS.values()) if checks else 0
    names = [checks] if isinstance(checks, str) else list(checks)
    mask = 0
    for name in names:
        if name == "all":
            mask |= sum(_CHECKS.values())
        else:
            mask |= _CHECKS[_known(name, "check", [*_CHECKS, "all"])]
    return mask


def native_faults(
    faults: Faults | Mapping[str, int | float | None] | None,
) -> _core.SimulatedFaults:
    """Convert faults, or a mapping with the same names, for the core."""
    if faults is None:
        faults = Faults()
    elif isinstance(faults, Mapping):
        names = [field.name for field in fields(Faults)]
        faults = Faults(**{_known(name, "fault", names): faults[name] for name in faults})  # type: ignore[arg-type]
    elif not isinstance(faults, Faults):
        raise TypeError(f"faults is a cuda.Faults or a mapping, found {faults!r}")
    native = _core.SimulatedFaults()
    native.allocation = faults.allocation or 0
    native.launch = faults.launch or 0
    native.lost = faults.lost or 0
    native.copy_delay = float(faults.copy_delay)
    return native


def _known(name: object, what: str, names: list[str]) -> str:
    if isinstance(name, str) and name in names:
        return name
    near = _core.nearest(name, names) if isinstance(name, str) else ""
    hint = f"; did you mean {near!r}?" if near else f"; expected one of {', '.join(names)}"
    raise ValueError(f"unknown {what} {name!r}{hint}")
