"""Bindings of a function's global and captured names, at its declaration."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterable
from enum import Enum, EnumMeta
from types import BuiltinFunctionType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.thread_functions import ThreadTriple, ThreadValue
from numpy_plugin._errors.place import NO_PLACE, Place
from numpy_plugin._frontend.array_calls import Refused
from numpy_plugin._frontend.closures import LocalFunction
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.records import RecordFields, record_fields
from numpy_plugin._frontend.source import Source, kept_function

__all__ = [
    "Binding",
    "Bindings",
    "bind_data",
    "bind_ufunc",
    "device_binding",
    "field_names",
    "function_binding",
    "has_members",
]

# (kind, name, number or function, dtype, items, index of a device function, place, its source)
Binding = tuple[str, str, object, str, tuple[object, ...], int, Place, int]

_MISSING = object()
# Values whose attributes are bound by their dotted names.
_OWNERS = (ModuleType, ThreadTriple, np.finfo, np.iinfo, EnumMeta, Enum, SimpleNamespace)
# Packages whose classes are types and functions to kernels.
_LIBRARIES = {"builtins", "numpy", "numpy_plugin", "numba", "cupy", "ml_dtypes"}
# The limit for an array that is built into a kernel.
_MAX_ARRAY_BYTES = 65536
_KERNEL_TYPES = {
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
}
_BUILTIN_NAMES = (
    "False", "True", "abs", "bool", "complex", "divmod", "float", "int", "len", "max", "min", "pow",
    "range", "round",
)  # fmt: skip
# Modules of functions that work only in kernels, under their public names.
_KERNEL_MODULES = {
    "numpy_plugin._cuda.thread_functions": "cuda",
    "numpy_plugin._cuda.atomic": "cuda.atomic",
    "numpy_plugin._cuda.cg": "cuda.cg",
    "numpy_plugin.numba.cuda.atomic": "cuda.atomic.numbas",
    "numpy_plugin._cuda.const": "cuda.const",
    "numpy_plugin._frontend.array_functions": "library",
    "numpy_plugin._frontend.order_functions": "library",
    "numpy_plugin._frontend.local": "cuda.local",
    "numpy_plugin._cuda.shared": "cuda.shared",
}
# Functions there are called as those of cuda.
_NUMBAS_CUDA = "numpy_plugin.numba.cuda."
# Numba's loop over parallel iterations is one: calls share elements instead.
_OTHER_NAMES = {"numpy.around": "numpy.round", "numba.misc.special.prange": "builtins.range"}


def _make(
    kind: str,
    name: str = "",
    number: object = None,
    dtype: str = "",
    items: tuple[object, ...] = (),
    index: int = -1,
) -> Binding:
    return (kind, name, number, dtype, items, index, NO_PLACE, 0)


def _with_article(name: str) -> str:
    return ("an " if name[:1].lower() in "aeiou" else "a ") + name


class Bindings:
    """The names of one function, resolved in its closure, its module and the builtins."""

    def __init__(
        self,
        function: Callable[..., Any],
        source: Source,
        index_of: Callable[[DeviceFunction[..., Any]], int],
    ) -> None:
        """Keep the namespaces for lookups."""
        self.index_of = index_of
        self.source = source
        self.code = function.__code__
        self.module_names: dict[str, Any] = function.__globals__
        self.cells = dict(zip(self.code.co_freevars, function.__closure__ or (), strict=False))
        self.found: list[tuple[str, Binding]] = []
        self.sources: list[tuple[str, str, int, tuple[str, ...]]] = []
        self.missing: list[str] = []

    def resolve(self, dotted_names: Iterable[str], own_names: set[str]) -> None:
        """Bind all names except those that the function assigns."""
        values: dict[str, Any] = {}
        for dotted in sorted(dotted_names):
            root = dotted.partition(".")[0]
            if root not in own_names:
                self.resolve_one(dotted, values)

    def resolve_shadowed(self, names: Iterable[str]) -> None:
        """Bind module names that `+=` makes local, for error messages."""
        for name in sorted(names):
            value = self.module_names.get(name, _MISSING)
            if value is not _MISSING:
                place, text = self.find_assignment(name)
                binding = self.bind(value, name)
                self.found.append((name, self.placed(binding, place, text, self.source.file)))

    def resolve_one(self, dotted: str, values: dict[str, Any]) -> None:
        """Bind a dotted name and each part before it, as far as modules and enumerations go."""
        parts = dotted.split(".")
        owner: Any = None
        for count in range(1, len(parts) + 1):
            name = ".".join(parts[:count])
            if name not in values:
                value = self.look_up(parts[0]) if count == 1 else _member(owner, parts[count - 1])
                values[name] = value
                if value is _MISSING:
                    if count == 1:
                        self.missing.append(name)
                else:
                    module = owner.__name__ if isinstance(owner, ModuleType) else ""
                    self.add(name, value, f"{module}.{parts[count - 1]}" if module else name)
            owner = values[name]
            if not has_members(owner):
                return

    def look_up(self, name: str) -> Any:
        """Return the value of a name, looked up as Python does."""
        if name in self.cells:
            try:
                return self.cells[name].cell_contents
            except ValueError:
                return self.cells[name]  # a cell that is still empty
        if name in self.module_names:
            return self.module_names[name]
        return getattr(builtins, name, _MISSING)

    def add(self, name: str, value: Any, qualified: str) -> None:
        """Append the binding of a name, with its definition's place if messages show it."""
        if name in self.cells and value is self.cells[name]:
            binding = _make("unset", name)
        else:
            binding = self.bind(value, qualified)
        if binding[0] == "plain":
            place, text = _definition_of(value)
            file = value.__code__.co_filename
            self.found.append((name, self.placed(binding, place, text, file)))
        elif binding[0] in ("typed", "large array", "other", "unset", "none") and "." not in name:
            place, text = self.find_assignment(name)
            self.found.append((name, self.placed(binding, place, text, self.source.file)))
        else:
            self.found.append((name, binding))

    def scope(self, kind: str) -> str:
        """Return the name of an assignment's scope for messages."""
        owners = self.code.co_qualname.split(".<locals>")
        return owners[-2].lstrip(".") if kind == "unset" and len(owners) > 1 else "<module>"

    def placed(self, binding: Binding, place: Place, text: str, file: str) -> Binding:
        """Return the binding with a place in a separate source."""
        if place == NO_PLACE:
            return binding
        self.sources.append((file, self.scope(binding[0]), place[0], (text,)))
        return (*binding[:6], place, len(self.sources))

    def bind(self, value: Any, qualified: str) -> Binding:
        """Return the binding of a value."""
        data = bind_data(value)
        if data is not None:
            return data
        if value is None:
            return _make("none", "None")
        if isinstance(value, Refused):
            return _make("refused", str(value))
        if isinstance(value, tuple):
            items = tuple(self.bind(item, qualified) for item in value)
            return _make("tuple", field_names(value), items=items)
        if isinstance(value, ModuleType):
            return _make("module", _module_name(value))
        if isinstance(value, ThreadTriple):
            return _make("module", f"cuda.{value.kernel_name}")
        if isinstance(value, ThreadValue):
            return _make("thread", value.kernel_name)
        dtype = _dtype_name(value)
        if dtype is not None:
            return _make("dtype" if is_kernel_type(dtype) else "other dtype", dtype, None, dtype)
        if isinstance(value, LocalFunction):
            return _make("device", value.name, index=value.index)
        if isinstance(value, DeviceFunction):
            return _make("device", value.__name__, index=self.index_of(value))
        if _is_stencil(value):
            from numpy_plugin._frontend.stencils import stencil_function

            made = stencil_function(value)
            return _make("device", made.__name__, index=self.index_of(made))
        function = kept_function(value)
        if function is not value and isinstance(function, FunctionType):
            return _make("device", function.__name__, index=self.index_of(DeviceFunction(function)))
        if isinstance(value, np.ufunc):
            return bind_ufunc(value, qualified)
        if _is_declared_function(value):
            return _make("external", value.__name__, value)
        return _bind_callable(value, qualified)

    def bind_literal(self, node: ast.expr) -> Binding:
        """Return the binding of a literal: the default of a function in a kernel."""
        try:
            return self.bind(ast.literal_eval(node), "")
        except ValueError:
            return _make("other", "an expression")

    def find_assignment(self, name: str) -> tuple[Place, str]:
        """Return the place where a name of the module or of an outer function is assigned."""
        import linecache

        lines = linecache.getlines(self.code.co_filename, self.module_names)
        pattern = re.compile(rf"\s*{re.escape(name)}\s*(?::[^=]+)?=(?!=)")
        for number, line in enumerate(lines, 1):
            if pattern.match(line):
                text = line.rstrip("\n")
                column = len(text[: len(text) - len(text.lstrip())].encode())
                return (number, column, number, column + len(name.encode())), text
        return NO_PLACE, ""

    def known_names(self) -> tuple[str, ...]:
        """Return names to suggest for a name that was not found."""
        if not self.missing:
            return ()
        known = [name for name, value in self.module_names.items() if self.is_usable(value)]
        known += [name for name in self.cells if self.is_usable(self.look_up(name))]
        known += _BUILTIN_NAMES
        modules = [
            (name, value)
            for name, value in self.module_names.items()
            if isinstance(value, ModuleType) and value.__name__ in ("math", "numpy")
        ]
        modules.sort(key=lambda item: item[1].__name__)
        for missing in self.missing:
            known += [f"{alias}.{missing}" for alias, module in modules if hasattr(module, missing)]
        return tuple(known)

    def is_usable(self, value: object) -> bool:
        """Whether a kernel can use a value."""
        is_number = isinstance(value, (int, float, complex, np.number, np.ndarray, tuple))
        is_function = isinstance(value, DeviceFunction) or _core.is_own_ufunc(value)
        is_function = is_function or _is_declared_function(value)
        return is_number or is_function or _dtype_name(value) is not None


def has_members(value: object) -> bool:
    """Whether a value's attributes are bound by their dotted names.

    These are modules, enumerations, users' classes, and objects that only keep values.
    """
    if isinstance(value, type) and not isinstance(value, EnumMeta):
        is_library = value.__module__.partition(".")[0] in _LIBRARIES
        is_plain = not is_library and not issubclass(value, BaseException)
        return is_plain and _dtype_name(value) is None
    return isinstance(value, _OWNERS) or hasattr(value, "__dataclass_fields__")


def bind_data(value: object) -> Binding | None:
    """Return the binding of a number, an array or a tuple of these; None for anything else."""
    if isinstance(value, (np.void, np.ndarray)) and value.dtype.names:
        value = _constant_fields(value)
    if isinstance(value, np.generic):
        return _bind_scalar(value)
    if isinstance(value, (bool, int, float, complex)):
        return _make("number", number=_plain(value))
    if type(value) is np.ndarray:
        return _bind_array(value)
    if not isinstance(value, tuple):
        return None
    items = tuple(item for item in map(bind_data, value) if item is not None)
    if len(items) != len(value):
        return None
    return _make("tuple", field_names(value), items=items)


def _constant_fields(value: Any) -> object:
    """Return the fields of a record or of records as a tuple; the value where a kernel has none."""
    try:
        return record_fields(value, value.ndim)
    except TypeError:
        return value


def field_names(value: tuple[object, ...]) -> str:
    """Return the names of a named tuple's fields, separated by commas; "" for other tuples.

    Those of records begin with the number of dimensions: "1:x,y".
    """
    return (
        value.names if isinstance(value, RecordFields) else ",".join(getattr(value, "_fields", ()))
    )


def _module_name(module: ModuleType) -> str:
    """Return the name that users import a module by."""
    home = _KERNEL_MODULES.get(module.__name__)
    return f"numpy_plugin.{home}" if home else module.__name__


def _member(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        return _MISSING


def _plain(value: Any) -> object:
    """Return a Python number without its subclass."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() < 4096 else float("inf")
    return float(value) if isinstance(value, float) else complex(value)


def is_kernel_type(name: str) -> bool:
    """Whether kernels have values of the dtype with this name."""
    return name in _KERNEL_TYPES or name.startswith(("datetime64", "timedelta64"))


def _bind_scalar(value: np.generic) -> Binding:
    name = value.dtype.name
    if not is_kernel_type(name):
        return _make("other", _with_article(f"numpy {name}"))
    number: object = value.item()
    if value.dtype.kind in "mM":
        number = int(value.astype(np.int64))
    elif name == "bfloat16":
        number = float(value)
    return _make("typed", number=number, dtype=name)


def _bind_array(value: np.ndarray[Any, Any]) -> Binding:
    if not is_kernel_type(value.dtype.name):
        return _make("other", _described(value))
    if value.ndim == 0:
        return _bind_scalar(value.dtype.type(value))
    if value.size == 0:
        return _make("other", "an empty array")
    if value.nbytes > _MAX_ARRAY_BYTES:
        return _make("large array", str(value.nbytes))
    native = value.dtype.newbyteorder("=")
    elements = np.ascontiguousarray(value, native).tobytes()
    return _make("array", number=elements, dtype=value.dtype.name, items=value.shape)


def _dtype_name(value: object) -> str | None:
    """Return the name of a dtype in any spelling; None if it is not a dtype."""
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, type):
        if value.__module__.startswith("ml_dtypes"):
            return value.__name__
        if not issubclass(value, np.generic):
            return None
        is_abstract = bool(value.__subclasses__()) and value is not np.float64
        return value.__name__ if is_abstract else np.dtype(value).name
    if type(value).__module__ == "numba.core.types.scalars":
        return str(value.name)  # type: ignore[attr-defined]
    if (
        type(value).__name__ == "KernelType"
        and type(value).__module__ == "numpy_plugin._frontend.types"
    ):
        return str(value.name)  # type: ignore[attr-defined]
    return None


def device_binding(name: str, index: int) -> Binding:
    """Return the binding of a device function, by its index among the functions of a kernel."""
    return _make("device", name, index=index)


def function_binding(qualified: str) -> Binding:
    """Return the binding of a function that kernels know, by its qualified name."""
    return _make("function", qualified)


def bind_ufunc(ufunc: np.ufunc, qualified: str = "") -> Binding:
    """Return the binding of a ufunc: of this package, of NumPy, or another by its name."""
    if getattr(ufunc, "__module__", "") == "numpy_plugin.time":
        return _make("function", f"{ufunc.__module__}.{ufunc.__qualname__}")
    if _core.is_own_ufunc(ufunc):
        return _make("ufunc", ufunc.__name__, ufunc)
    return _make("function", _ufunc_name(ufunc) or qualified or ufunc.__name__)


def _is_declared_function(value: object) -> bool:
    kind = type(value)
    return (kind.__module__, kind.__qualname__) == ("numpy_plugin", "DeclaredFunction")


def _is_stencil(value: object) -> bool:
    """Whether a value is what `numba.stencil` returns."""
    kind = type(value)
    return kind.__name__ == "StencilFunc" and kind.__module__.partition(".")[0] == "numba"


def _bind_callable(value: Any, qualified: str) -> Binding:
    if isinstance(value, type) and issubclass(value, BaseException):
        return _make("exception", f"{value.__module__}.{value.__qualname__}", number=value)
    home = (getattr(value, "__module__", None) or "").replace("_operator", "operator")
    if home in _KERNEL_MODULES:
        return _make("function", f"{_KERNEL_MODULES[home]}.{value.__name__}")
    package = home.partition(".")[0]
    is_ours = package == "numpy_plugin"
    is_library = (is_ours or package in ("numpy", "scipy")) and hasattr(value, "__name__")
    if isinstance(value, FunctionType) and not is_library and "." not in qualified:
        return _make("plain", value.__name__)
    if isinstance(value, (type, BuiltinFunctionType, FunctionType)) or is_library:
        is_public = home in ("builtins", "math", "cmath", "numpy", "operator")
        is_known = is_public or is_ours or "." not in qualified
        shown = "numpy_plugin.cuda" if home.startswith(_NUMBAS_CUDA) else home
        if home.startswith("scipy.special."):
            shown = "scipy.special"
        name = f"{shown}.{value.__name__}" if home and is_known else qualified
        return _make("function", _OTHER_NAMES.get(f"{home}.{value.__name__}", name))
    return _make("other", _described(value))


def _ufunc_name(value: np.ufunc) -> str:
    """Return the qualified name of a NumPy or SciPy ufunc, however it was imported; else ""."""
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), value.__name__, None) is value:
            return f"{module}.{value.__name__}"
    return ""


def _described(value: Any) -> str:
    if isinstance(value, Enum):
        return "an Enum member"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "US":
            kind = "str" if value.dtype.kind == "U" else "bytes"
            return f"an array of {kind} ({value.dtype.str})"
        return f"an array of {value.dtype}"
    return _with_article(type(value).__name__)


def _definition_of(function: FunctionType) -> tuple[Place, str]:
    """Return the place of a plain function's name in its own file."""
    import linecache

    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    pattern = re.compile(rf"\s*def\s+({re.escape(function.__name__)})\b")
    for number in range(code.co_firstlineno, min(code.co_firstlineno + 10, len(lines) + 1)):
        text = lines[number - 1].rstrip("\n")
        match = pattern.match(text)
        if match:
            start = len(text[: match.start(1)].encode())
            end = start + len(match.group(1).encode())
            return (number, start, number, end), text
    return NO_PLACE, ""
