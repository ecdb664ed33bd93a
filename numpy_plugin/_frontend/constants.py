"""Constants that a kernel takes from Python or NumPy, evaluated at its declaration."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Collection
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy_plugin._frontend.bindings import Binding

__all__ = ["Constants"]

_MISSING = object()
# Functions that take a dtype by position; others only as `dtype=`.
_DTYPE_FUNCTIONS = {"array", "astype", "local_array"}


class Constants:
    """The constant expressions of a function.

    These are `np.finfo(np.float64).eps`, `np.iinfo("i4").max`, `float("inf")`, and strings used as
    dtypes: `x.astype("f4")`. The source of each becomes a name that is bound to the value.
    """

    def __init__(
        self,
        look_up: Callable[[str], Any],
        bind: Callable[[Any, str], Binding],
        own_names: Collection[str],
    ) -> None:
        """Keep the functions to look up and bind names, and the function's own names."""
        self.look_up = look_up
        self.bind = bind
        self.own_names = own_names
        self.found: dict[str, Binding] = {}

    def name_of(self, node: ast.Attribute | ast.Call) -> str:
        """Return the name for an attribute or a call that is a constant, else ""."""
        if isinstance(node, ast.Call):
            value = self.plain_float(node)
        elif isinstance(node.value, ast.Call):
            value = self.limit(node.value, node.attr)
        else:
            return ""
        return "" if value is _MISSING else self.add(node, value)

    def dtype_names(self, call: ast.Call) -> dict[int, str]:
        """Return the names for those string arguments of a call that are dtypes, by their id."""
        callee = getattr(call.func, "attr", None)
        texts = list(call.args) if callee in _DTYPE_FUNCTIONS else []
        texts += [item.value for item in call.keywords if item.arg == "dtype"]
        names = {}
        for item in texts:
            if not isinstance(item, ast.Constant) or not isinstance(item.value, str):
                continue
            try:
                names[id(item)] = self.add(item, np.dtype(item.value))
            except TypeError:
                continue  # a str that is not a dtype is an error like any other str
        return names

    def add(self, node: ast.expr, value: object) -> str:
        """Bind a value under the source of its expression."""
        name = ast.unparse(node)
        self.found[name] = self.bind(value, name)
        return name

    def plain_float(self, call: ast.Call) -> object:
        """Return the value of a call such as `float("inf")`."""
        if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Constant):
            return _MISSING
        text = call.args[0].value
        if not isinstance(text, str) or self.value_of(call.func) is not builtins.float:
            return _MISSING
        try:
            return float(text)
        except ValueError:
            return _MISSING

    def limit(self, call: ast.Call, attribute: str) -> object:
        """Return an attribute of `np.finfo` or `np.iinfo` for a dtype."""
        function = self.value_of(call.func)
        if len(call.args) != 1 or call.keywords or function not in (np.finfo, np.iinfo):
            return _MISSING
        dtype = self.value_of(call.args[0])
        if type(dtype).__name__ == "KernelType":
            dtype = dtype.name
        try:
            return getattr(function(dtype), attribute)
        except (AttributeError, TypeError, ValueError):
            return _MISSING

    def value_of(self, node: ast.expr) -> Any:
        """Return the value of a string, a global or captured name, or a member of a module."""
        if isinstance(node, ast.Name) and node.id not in self.own_names:
            return self.look_up(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            is_module = isinstance(owner, ModuleType)
            return getattr(owner, node.attr, _MISSING) if is_module else _MISSING
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return node.value if is_text else _MISSING  # type: ignore[attr-defined]
