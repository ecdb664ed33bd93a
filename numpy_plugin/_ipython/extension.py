"""`%load_ext numpy_plugin`: the magics `%%ufunc` and `%npp_explain`."""

from __future__ import annotations

from typing import Any

__all__ = ["load_ipython_extension"]


def load_ipython_extension(shell: Any) -> None:
    """Add the magics `%%ufunc` and `%npp_explain` to an IPython shell.

    IPython calls it for `%load_ext numpy_plugin`.
    """
    from numpy_plugin._ipython.magics import register_magics

    register_magics(shell)
