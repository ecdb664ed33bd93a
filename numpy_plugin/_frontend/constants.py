"""Constants that a kernel takes from Python or NumPy, evaluated at its declaration."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection
from enum import Enum, EnumMeta
from typing import Any

import numpy as np

from numpy_plugin._cuda import shared
from numpy_plugin._frontend import local
from numpy_plugin._frontend.array_calls import (
    LibraryName,
    Refused,
    columns,
    counted_loop,
    expanded_call,
    expanded_statement,
    library_name,
    masked_part,
)
from numpy_plugin._frontend.bindings import Binding, has_members
from numpy_plugin._frontend.plain_statements import as_branches
from numpy_plugin._frontend.records import array_fields
from numpy_plugin._frontend.types import record_dtype

__all__ = ["Constants"]

_MISSING = object()
# Functions that take a dtype by position; others only as `dtype=`.
_DTYPE_FUNCTIONS = {"array", "asarray", "ascontiguousarray", "astype", "local_array", "view"}
# Functions that create an array of a shape and a dtype.
_ARRAY_MAKERS = (local.array, shared.array, np.empty, np.zeros, np.ones)
# Comparisons of members of enumerations, which Python compares by identity.
_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


class Constants:
    """The constant expressions of a function.

    These are `np.finfo(np.float64).eps`, `np.iinfo("i4").max`, `float("inf")`, `ord("i")`, strings
    used as dtypes: `x.astype("f4")`, and of enumerations `Color["red"].value` and
    `MODE is Color.red`. The source of each becomes a name that is bound to the value.
    """

    def __init__(
        self,
        look_up: Callable[[str], Any],
        bind: Callable[[Any, str], Binding],
        *,
        has_arrays: bool,
    ) -> None:
        """Keep the functions to look up and bind names.

        `has_arrays` says that calls of functions of whole arrays are expanded.
        """
        self.look_up = look_up
        self.bind = bind
        self.own_names: Collection[str] = ()  # of the function
        self.has_arrays = has_arrays
        self.found: dict[str, Binding] = {}

    def name_of(self, node: ast.expr) -> str:
        """Return the name for an expression that is a constant, else ""."""
        if isinstance(node, LibraryName):
            self.found[node.id] = self.bind(node.value, node.id)
            return node.id
        if isinstance(node, ast.Call):
            value = self.time(node)
            value = self.plain_number(node) if value is _MISSING else value
            value = self.derivative(node) if value is _MISSING else value
        elif isinstance(node, ast.Compare):
            value = self.comparison(node)
        elif isinstance(node, ast.Subscript):
            value = self.value_of(node)
        elif not isinstance(node, ast.Attribute):
            return ""
        elif isinstance(node.value, ast.Call):
            value = self.limit(node.value, node.attr)
        elif isinstance(node.value, ast.Subscript):
            value = self.value_of(node)
        else:
            return ""
        return "" if value is _MISSING else self.add(node, value)

    def expanded(self, node: ast.AST) -> ast.AST:
        """Return what stands for a call of a function of whole arrays; other nodes as they are.

        Arrays of records are tuples of arrays, `r["x"]` is the attribute `r.x`, and `match` on
        numbers is a chain of `if`.
        """
        if isinstance(node, ast.Match):
            return as_branches(node)
        if isinstance(node, ast.Call) and (cast := self.time_cast(node)):
            return cast
        if not self.has_arrays:
            return node
        if isinstance(node, ast.Call):
            function = self.value_of(node.func)
            made = self.record_array(node, function)
            return made or expanded_call(node, function, self.value_of) or node
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Call):
                return masked_part(node, self.value_of(node.slice.func))
            return self.field(node) if not isinstance(node.slice, ast.Tuple) else self.columns(node)
        if isinstance(node, ast.Expr):
            return expanded_statement(node)
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            return counted_loop(node, self.value_of(node.iter.func))
        return node

    def columns(self, node: ast.Subscript) -> ast.expr:
        """Return what stands for a[:, None]."""

        def is_newaxis(item: ast.expr) -> bool:
            return ast.unparse(item) == "None" or self.value_of(item) is None

        return columns(node, is_newaxis)

    def field(self, node: ast.Subscript) -> ast.expr:
        """Return the attribute for a subscript by the name of a field; others as they are."""
        name = self.value_of(node.slice)
        if not isinstance(name, str) or self.value_of(node) is not _MISSING:
            return node
        return ast.copy_location(ast.Attribute(node.value, name, node.ctx), node)

    def record_array(self, call: ast.Call, function: object) -> ast.expr | None:
        """Return the arrays of fields for a call that creates an array of records."""
        is_maker = any(function is maker for maker in _ARRAY_MAKERS)
        if not is_maker or len(call.args) + len(call.keywords) != 2:
            return None
        given = {item.arg: item.value for item in call.keywords}
        shape = call.args[0] if call.args else given.get("shape")
        dtype = call.args[1] if len(call.args) > 1 else given.get("dtype")
        value = None if dtype is None else record_dtype(self.value_of(dtype))
        return None if shape is None or value is None else array_fields(call, shape, value)

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

    def time(self, call: ast.Call) -> object:
        """Return the date or duration of a call of NumPy's class with constants."""
        made = self.value_of(call.func)
        if call.keywords or not _is_time_class(made):
            return _MISSING
        arguments = [self.literal(item) for item in call.args]
        if any(item is _MISSING for item in arguments):
            return _MISSING
        try:
            return made(*arguments)
        except (TypeError, ValueError) as error:
            return Refused(str(error))

    def derivative(self, call: ast.Call) -> object:
        """Return the function that `npp.derivative(f, "x")` makes of a function."""
        make: Any = self.value_of(call.func)
        home = getattr(make, "__module__", None)
        if home != "numpy_plugin._frontend.derivatives" or not call.args:
            return _MISSING
        function = self.value_of(call.args[0])
        others = [self.literal(item) for item in call.args[1:]]
        named = {item.arg or "": self.literal(item.value) for item in call.keywords}
        if any(item is _MISSING for item in (function, *others, *named.values())):
            return _MISSING
        try:
            return make(function, *others, **named)
        except (TypeError, ValueError) as error:
            return Refused(str(error).partition("\n")[0])

    def time_cast(self, call: ast.Call) -> ast.Call | None:
        """Return `cast(x)` for `np.timedelta64(x, "D")` of a variable; None for other calls."""
        made: Any = self.value_of(call.func) if len(call.args) == 2 else None
        if not _is_time_class(made):
            return None
        unit = self.literal(call.args[1])
        if not isinstance(unit, str) or self.literal(call.args[0]) is not _MISSING:
            return None
        try:
            dtype = np.dtype(f"{made.__name__}[{unit}]")
        except TypeError:
            return None
        cast = library_name(call.func, dtype.name, dtype)
        return ast.copy_location(ast.Call(cast, call.args[:1], call.keywords), call)

    def literal(self, node: ast.expr) -> object:
        """Return the value of a literal or of a name for a str or a number."""
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError):
            value = self.value_of(node)
            return value if isinstance(value, (str, int, np.generic)) else _MISSING

    def plain_number(self, call: ast.Call) -> object:
        """Return the value of a call such as `float("inf")` or `ord("i")`."""
        if len(call.args) != 1 or call.keywords:
            return _MISSING
        called = self.value_of(call.func) if isinstance(call.func, ast.Name) else None
        function = next((each for each in (float, ord) if called is each), None)
        text = self.value_of(call.args[0]) if function is not None else None
        if function is None or not isinstance(text, str):
            return _MISSING
        try:
            return function(text)
        except (TypeError, ValueError):
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

    def comparison(self, node: ast.Compare) -> object:
        """Return the result of comparing two members of enumerations."""
        compare = _COMPARISONS.get(type(node.ops[0]))
        operands = [self.value_of(item) for item in (node.left, *node.comparators)]
        if compare is None or not all(isinstance(item, Enum) for item in operands):
            return _MISSING
        return compare(*operands) if len(operands) == 2 else _MISSING

    def value_of(self, node: ast.expr) -> Any:
        """Return the value of a string, a global or captured name, or a member of these.

        Members are those of modules, enumerations, and classes and objects that keep values.
        """
        if isinstance(node, LibraryName):
            return node.value
        if isinstance(node, ast.Name) and node.id not in self.own_names:
            return self.look_up(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.value_of(node.value)
            return getattr(owner, node.attr, _MISSING) if has_members(owner) else _MISSING
        if isinstance(node, ast.Subscript):
            name = self.value_of(node.slice)
            owner = self.value_of(node.value) if isinstance(name, str) else None
            return (
                owner.__members__.get(name, _MISSING) if isinstance(owner, EnumMeta) else _MISSING
            )
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return node.value if is_text else _MISSING  # type: ignore[attr-defined]


def _is_time_class(value: object) -> bool:
    """Whether a value is NumPy's class of dates or of durations; arrays have no truth to ask."""
    return value is np.datetime64 or value is np.timedelta64
