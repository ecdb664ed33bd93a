"""A Sphinx extension: makes `automodule` document a module's ufuncs like its functions.

By default `automodule` recognizes only Python's own function types, and omits `numpy.ufunc`
objects. In a project's `conf.py`:

    extensions = ["sphinx.ext.autodoc", "numpy_plugin.sphinx_extension"]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numpy_plugin._public_names import public_names

__all__ = ["setup"]

__dir__ = public_names(globals())


def setup(app: Any) -> dict[str, bool]:
    """Add the extension to a Sphinx application."""
    app.connect("autodoc-process-docstring", _add_ufuncs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _add_ufuncs(
    app: Any, what: str, name: str, module: Any, options: Any, lines: list[str]
) -> None:
    """Write a directive for each ufunc below a module's docstring."""
    members = getattr(options, "members", None)
    if what != "module" or not members:
        return
    for member in getattr(module, "__all__", sorted(vars(module))):
        ufunc = getattr(module, member, None)
        is_own = isinstance(ufunc, np.ufunc) and ufunc.__dict__.get("__module__") == name
        if is_own and not member.startswith("_") and _is_wanted(member, members, options):
            lines += ["", f".. autofunction:: {name}.{member}"]


def _is_wanted(member: str, members: Any, options: Any) -> bool:
    if member in (getattr(options, "exclude_members", None) or ()):
        return False
    return not isinstance(members, list) or member in members
