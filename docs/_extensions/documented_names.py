"""Names of this package in the inline code of documents."""

from __future__ import annotations

import pkgutil
import re

# Modules under the names that documents give them.
MODULES = {"npp": "numpy_plugin", "cuda": "numpy_plugin.cuda", "xp": "numpy_plugin.array_api"}
NAME = re.compile(r"^(npp|cuda|numpy_plugin)((?:\.[A-Za-z_]\w*)+)")

# Other packages and headers, whose names begin like `cuda.`.
OTHERS = ("numpy_plugin.cuda.core", "numpy_plugin.cuda.h")

# On these pages `cuda` is Numba's, beside this package's.
NUMBAS = ("how_to/migrating", "project/changes", "explanation/comparison")


def qualified_name(code: str, docname: str) -> str | None:
    """Return the name of this package's that inline code begins with, or None."""
    match = NAME.match(code)
    if match is None or (match[1] == "cuda" and docname in NUMBAS):
        return None
    name = MODULES.get(match[1], match[1]) + match[2]
    return None if name.startswith((*OTHERS, "numpy_plugin.numba", "numpy_plugin._")) else name


def exists(name: str) -> bool:
    """Whether a qualified name is that of a module or an object of this package."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True
