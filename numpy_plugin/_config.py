"""`config`: the settings of the package, one for each of its environment variables.

The rows, their checks and their values are C++ (`system/settings.def`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

from numpy_plugin import _core
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["Config", "config", "warn_of_environment"]

_PREFIX = "NUMPY_PLUGIN_"
# Variables of builds and tests, and of the simulator as the driver of any program: the package
# itself does not read them.
_OTHER_PREFIXES = (f"{_PREFIX}BUILD_", f"{_PREFIX}TEST_", f"{_PREFIX}SIMULATOR_OPTIONS")

# The classes that the values of each kind may have, in words.
_CLASSES: dict[str, tuple[tuple[type, ...], str]] = {
    "flag": ((bool,), "a bool"),
    "choice": ((str,), "a str"),
    "bytes": ((Integral, str), "an int or a str"),
    "seconds": ((Real,), "a number"),
    "count": ((Integral,), "an int"),
    "directory": ((str, os.PathLike), "a str or a path"),
    "command": ((str, os.PathLike), "a str or a path"),
}

_HEADERS = ("setting", "value", "from", "meaning")
_SOURCES = {"program": "this program", "environment": "the environment", "default": "the default"}


class Config:
    """The settings. Each is an attribute, which can be read and, at run time, set.

    A value set here counts for the whole process and before the environment variable, which has the
    same name in capitals after `NUMPY_PLUGIN_`; that counts before the default.

    Attributes:
        auto: "cpu", or "device": `target="auto"` may offload host arrays.
        cache_dir: the directory of the disk cache; None for the default.
        cache_size: its maximum size in bytes; a str such as "500 MB" can be set.
        compile_timeout: the time limit of the host compiler for one kernel, in seconds.
        cpu: "native", or a level such as "x86-64-v3": the instructions of kernels on the host.
        cublas: "auto", or "off".
        cuda: "auto", "simulator" or "off": the devices.
        cxx: the path or command of the host compiler; None for the first that is found.
        debug: whether kernels declared from now on check their indices.
        kept_memory: the limit of freed results whose pages are kept, in bytes.
        num_threads: the number of threads of a call on the CPU, as by `set_num_threads`.
        progress: "auto", or "off": long compilations show no progress.
        simulated_devices: the number of devices with `NUMPY_PLUGIN_CUDA=simulator`; it can be set
            in the environment only.

    Raises:
        AttributeError: there is no such setting.
        TypeError: a value of the wrong class was set.
        ValueError: an invalid value was set, or is in the environment.
        RuntimeError: the setting was read before, once for the whole process, or is of the
            environment only.
    """

    __slots__ = ()

    auto: str
    cache_dir: str | None
    cache_size: int | str
    compile_timeout: float
    cpu: str
    cublas: str
    cuda: str
    cxx: str | None
    debug: bool
    kept_memory: int | str
    num_threads: int
    progress: str
    simulated_devices: int

    @without_own_frames
    def __getattr__(self, name: str) -> Any:
        """Return the value of a setting."""
        if name.startswith("__"):
            raise AttributeError(name)
        return _core.setting(_row(name)["name"])

    @without_own_frames
    def __setattr__(self, name: str, value: object) -> None:
        """Set a value for this process."""
        row = _row(name)
        _core.set_setting(name, _text(row, value))

    def __dir__(self) -> list[str]:
        """Return the names of the settings and the methods."""
        return [*super().__dir__(), *(row["name"] for row in _core.settings())]

    @without_own_frames
    def reset(self, *names: str) -> None:
        """Return settings to the environment's values, or the defaults; without names, all."""
        rows = [_row(name) for name in names] or _core.settings()
        for row in rows:
            _core.reset_setting(row["name"])

    @contextmanager
    def override(self, **values: Any) -> Iterator[None]:
        """Set values inside of a `with` block, for the whole process.

        Raises:
            AttributeError, TypeError, ValueError, RuntimeError: as for attributes; then all
                settings keep their values.
        """
        earlier = {name: self._set_here(name) for name in values}
        try:
            for name, value in values.items():
                setattr(self, name, value)
            yield
        finally:
            for name, text in earlier.items():
                if text is None:
                    _core.reset_setting(name)
                elif text != self._set_here(name):
                    _core.set_setting(name, text)

    @staticmethod
    def _set_here(name: str) -> str | None:
        """Return the text of a value that this program has set; None where it has not."""
        row = _row(name)
        return _text(row, _core.setting(name)) if row["source"] == "program" else None

    def __repr__(self) -> str:
        """Return a table of all settings, where their values come from, and what they do."""
        from numpy_plugin._commands.report import plain_table

        title = "numpy_plugin.config; NUMPY_PLUGIN_CACHE_DIR in the environment sets cache_dir"
        return plain_table(title, _HEADERS, self._rows(), words=True)

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        from numpy_plugin._html import html_table

        return html_table("numpy_plugin.config", _HEADERS, self._rows())

    @staticmethod
    def _rows() -> list[list[str]]:
        return [
            [row["name"], _shown_value(row), _SOURCES[row["source"]], row["meaning"]]
            for row in _core.settings()
        ]


def _row(name: str) -> dict[str, Any]:
    """Return the row of a setting; raise an AttributeError, with the nearest name, without one."""
    rows = {row["name"]: row for row in _core.settings()}
    if name in rows:
        return rows[name]
    nearest = _core.nearest(name, list(rows))
    hint = f"did you mean {nearest!r}?" if nearest else f"there are {', '.join(rows)}"
    raise AttributeError(f"numpy_plugin.config has no {name!r}; {hint}")


def _text(row: dict[str, Any], value: object) -> str:
    """Return a value as the environment variable would have it."""
    classes, expected = _CLASSES[row["kind"]]
    is_misplaced_bool = isinstance(value, bool) and row["kind"] != "flag"
    if is_misplaced_bool or not isinstance(value, classes):
        message = f"config.{row['name']} must be {expected}, not {type(value).__name__}"
        raise TypeError(message)
    if isinstance(value, bool):
        return str(int(value))
    return os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)


def _shown_value(row: dict[str, Any]) -> str:
    if row["problem"]:
        return f"invalid: {row['problem']}"
    value = _core.setting(row["name"])
    if row["kind"] == "bytes":
        return f"{value:,} bytes"
    return str(row["default"] if value is None else value)


def warn_of_environment() -> None:
    """Warn of variables that are no settings, and of values that calls would have to ignore."""
    names = [name for name in os.environ if name.startswith(_PREFIX)]
    if not names:
        return
    rows = {row["variable"]: row for row in _core.settings()}
    for name in names:
        if name not in rows and not name.startswith(_OTHER_PREFIXES):
            nearest = _core.nearest(name, list(rows))
            hint = f"did you mean {nearest}?" if nearest else "numpy_plugin.config lists them"
            _warn(f"{name} in the environment is no setting of numpy_plugin; {hint}")
    threads = rows[f"{_PREFIX}NUM_THREADS"]
    if threads["problem"]:
        _warn(f"{threads['problem']}; it is ignored")


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=4)  # the import in the user's file


#: The settings of this process.
config = Config()
