"""Logging of what C++ records: `numpy_plugin.compile`, `numpy_plugin.cache`, `numpy_plugin.device`.

Imported at the first event in programs that have imported `logging`.
"""

from __future__ import annotations

import logging
from functools import cache

__all__ = ["is_logged", "log_event"]


def log_event(topic: str, is_info: bool, text: str, seconds: float, created: float) -> None:
    """Log an event of a topic, at INFO or at DEBUG, with the time at which it happened.

    The record's `seconds` is the time that it took; 0 where nothing was timed.
    """
    logger = _logger(topic)
    level = logging.INFO if is_info else logging.DEBUG
    if not logger.isEnabledFor(level):
        return
    extra = {"seconds": seconds}
    record = logger.makeRecord(logger.name, level, "numpy_plugin", 0, text, (), None, extra=extra)
    record.relativeCreated += (created - record.created) * 1e3
    record.created = created
    record.msecs = float(int(created % 1 * 1e3))
    logger.handle(record)


def is_logged(topic: str) -> bool:
    """Whether the program logs events of a topic that are logged at DEBUG."""
    return _logger(topic).isEnabledFor(logging.DEBUG)


@cache
def _logger(topic: str) -> logging.Logger:
    package = logging.getLogger("numpy_plugin")
    if not package.handlers:
        package.addHandler(logging.NullHandler())
    return package.getChild(topic)
