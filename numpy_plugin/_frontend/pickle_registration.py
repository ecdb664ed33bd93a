"""Registration of what pickles need when the package is imported; the rest is imported for them."""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

__all__ = ["register"]

# Their current names.
_MOVED = {
    "_atomic": "_cuda.atomic",
    "_compose": "_frontend.compose",
    "_const": "_cuda.const",
    "_declare": "_frontend.declare",
    "_device": "_frontend.device",
    "_explain": "_inspection.explain",
    "_external": "_frontend.external",
    "_faults": "_cuda.faults",
    "_function_kernel": "_cuda.function_kernel",
    "_fuse": "_frontend.fuse",
    "_inspect": "_inspection.inspect",
    "_kernel": "_cuda.kernel",
    "_local": "_frontend.local",
    "_offload": "_cuda.offload",
    "_pickle": "_frontend.pickle",
    "_raw_kernel": "_cuda.raw_kernel",
    "_resources": "_inspection.resources",
    "_shared": "_cuda.shared",
    "_thread_functions": "_cuda.thread_functions",
    "_types": "_frontend.types",
}


class EarlierModules:
    """Finds modules under the names that they have in pickles of earlier builds of this version."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return None for every other module."""
        package, _, earlier = name.partition(".")
        if package != "numpy_plugin" or earlier not in _MOVED:
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # a loader, too

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave it to the import system."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the present module in its place."""
        earlier = module.__name__.partition(".")[2]
        sys.modules[module.__name__] = import_module(f"numpy_plugin.{_MOVED[earlier]}")


def register() -> None:
    """Register pickling and copying of ufuncs; NumPy handles those of others."""
    usual: Callable[[np.ufunc], Any] = copyreg.dispatch_table[np.ufunc]

    def reduce(ufunc: np.ufunc) -> Any:
        made_from = getattr(ufunc, "__dict__", {}).get("_made_from")
        if made_from is None:
            return usual(ufunc)
        from numpy_plugin._frontend.pickle import reduce_ufunc

        return reduce_ufunc(made_from, ufunc)

    copyreg.pickle(np.ufunc, reduce)
    sys.meta_path.append(EarlierModules())
