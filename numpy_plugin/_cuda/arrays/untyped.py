"""NumPy without its annotations, which do not know that its functions take device arrays."""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["np"]

np: Any = numpy
