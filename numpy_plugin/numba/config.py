"""Settings that `numba.config` has for device kernels, from the same environment variables.

Other names are those of `numba.config`, which they are read from and set in.
"""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

__all__ = ["CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY"]


def _is_on(name: str) -> bool:
    return os.environ.get(f"NUMBA_{name}", "1") != "0"


#: Whether launches of fewer blocks than the device has multiprocessors warn.
CUDA_LOW_OCCUPANCY_WARNINGS = _is_on("CUDA_LOW_OCCUPANCY_WARNINGS")

#: Whether launches with host arrays, which are copied, warn.
CUDA_WARN_ON_IMPLICIT_COPY = _is_on("CUDA_WARN_ON_IMPLICIT_COPY")


class _Settings(ModuleType):
    """The module's class: settings of `njit` stay Numba's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__} has no '{name}'")
        return getattr(self._of_numba(name), name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in __all__ or name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self._of_numba(name), name, value)

    def _of_numba(self, name: str) -> ModuleType:
        try:
            return importlib.import_module("numba.core.config")
        except ImportError as error:
            raise AttributeError(
                f"{self.__name__} has no '{name}': it may be Numba's, which cannot be imported"
            ) from error


sys.modules[__name__].__class__ = _Settings
