"""Registration with threadpoolctl, whose limits then apply to this package's threads too.

threadpoolctl is neither required nor imported here: it is told when a program imports it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

__all__ = ["register_with_threadpoolctl"]

LIBRARY = "threadpoolctl"


def register_with_threadpoolctl() -> None:
    """Let threadpoolctl limit the threads, now or as soon as it is imported."""
    module = sys.modules.get(LIBRARY)
    if module is None:
        sys.meta_path.insert(0, Watcher())
    else:
        register(module)


class Watcher:
    """Finds threadpoolctl like the other finders, once, and registers after it is executed."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return None for every other module."""
        if name != LIBRARY or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                register(module)

            spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec


def register(threadpoolctl: ModuleType) -> None:
    """Add the controller of this package's pool; versions before 3.2 take none."""
    if hasattr(threadpoolctl, "register"):
        threadpoolctl.register(controller_class(threadpoolctl))


def controller_class(threadpoolctl: ModuleType) -> Any:
    """Return the class by which threadpoolctl reaches the pool of `_core`."""

    class NumpyPluginController(threadpoolctl.LibController):  # type: ignore[misc, name-defined]
        """The thread pool of numpy_plugin."""

        user_api = "numpy_plugin"
        internal_api = "numpy_plugin"
        filename_prefixes = ("_core",)
        check_symbols = ("numpy_plugin_get_num_threads", "numpy_plugin_set_num_threads")

        def get_num_threads(self) -> int:
            number: int = self.dynlib.numpy_plugin_get_num_threads()
            return number

        def set_num_threads(self, num_threads: int) -> None:
            self.dynlib.numpy_plugin_set_num_threads(num_threads)

        def get_version(self) -> str:
            from numpy_plugin import __version__

            return __version__

    return NumpyPluginController
