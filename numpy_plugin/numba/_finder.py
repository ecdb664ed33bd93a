"""Keeps Numba-CUDA from searching for this package's `numba.cuda`.

Numba-CUDA's finder, the first of all, takes every name with `numba.cuda` in it for Numba's, and
calls all finders, itself among them, without end.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

__all__ = ["put_before_numba_cuda"]

_CUDA = f"{__package__}.cuda"


class _Finder:
    """Finds the modules of this package's `numba.cuda`, and lets no other finder search."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the module's specification; None for other packages' modules.

        Raises:
            ModuleNotFoundError: there is no such module.
        """
        if not f"{name}.".startswith(f"{_CUDA}."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return spec


def put_before_numba_cuda() -> None:
    """Search here first, where Numba-CUDA is installed."""
    if "_numba_cuda_redirector" in sys.modules:
        sys.meta_path.insert(0, _Finder)
