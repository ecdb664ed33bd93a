"""Extension modules of ufuncs, for libraries: compiled ahead of time, they need NumPy alone.

`build` makes a module, as `python -m numpy_plugin build` does; `extensions` is for a `setup.py`.
"""

from numpy_plugin._build.extension import extensions
from numpy_plugin._build.module import build
from numpy_plugin._public_names import public_names

__all__ = ["build", "extensions"]

__dir__ = public_names(globals())
