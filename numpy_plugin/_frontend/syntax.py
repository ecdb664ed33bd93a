"""The syntax of a kernel as plain data for the C++ core.

A node is `(kind, text, constant, line, column, end line, end column, fields)`, the fields being
names and tuples of nodes in turn. A function is `(name, parameters, body, place of the name,
bindings, known names, source, other sources, mistakes, defaults, number of parameters that stand
for variables around it)`; device functions and those inside the kernel follow it and are named by
their index.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from numpy_plugin._errors.place import NO_PLACE, Place
from numpy_plugin._frontend.bindings import Binding, Bindings
from numpy_plugin._frontend.closures import Closures, LocalFunction
from numpy_plugin._frontend.constants import Constants
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.groups import with_grid_barriers
from numpy_plugin._frontend.lists import with_plain_lists
from numpy_plugin._frontend.names import FunctionNode
from numpy_plugin._frontend.names import parameters as _parameters
from numpy_plugin._frontend.plain_statements import with_assignments
from numpy_plugin._frontend.records import RecordTuple
from numpy_plugin._frontend.source import Source, fail, find_source, source_data
from numpy_plugin._frontend.texts import local_texts, message_parts

__all__ = [
    "FunctionData",
    "called_syntax",
    "function_syntax",
    "moved_syntax",
    "n_derivatives",
    "text_syntax",
    "with_derivatives",
    "with_parameters",
]

# The index of a function's derivatives in its data, behind what functions without them have.
_DERIVATIVES = 11

# A kernel and all device functions reachable from it.
FunctionData = tuple[tuple[object, ...], ...]
Node = tuple[str, str, object, int, int, int, int, tuple[object, ...]]

_NO_FIELDS: tuple[object, ...] = ()
_SKIPPED_FIELDS = {
    "ctx",
    "type_comment",
    "annotation",
    "returns",
    "decorator_list",
    "type_params",
    "kind",
    "simple",
    "type_ignores",
}
_FIELDS: dict[type, list[str]] = {
    node: [name for name in node._fields if name not in _SKIPPED_FIELDS]
    for node in vars(ast).values()
    if isinstance(node, type) and issubclass(node, ast.AST)
}
_FIELDS[RecordTuple] = _FIELDS[ast.Tuple]
# Nodes that are errors whatever their contents.
_CLOSED = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.JoinedStr)


class _Walk:
    """Convert the nodes of one function to plain data, and collect the names it uses."""

    def __init__(
        self,
        line_offset: int,
        constants: Constants | None = None,
        texts: Mapping[str, str] | None = None,
        closures: Closures | None = None,
    ) -> None:
        self.line_offset = line_offset
        self.closures = closures
        self.constants = constants
        self.texts = texts or {}  # of variables
        self.dtypes: dict[int, str] = {}  # names of the strings that are dtypes
        self.dotted_names: set[str] = set()
        self.assigned_names: set[str] = set()
        self.augmented_names: set[str] = set()
        # Strings in `raise`, `assert` and `print`, and names of them.
        self.messages: dict[int, str] = {}

    def node(self, node: ast.AST) -> Node:
        """Return a node and its descendants as plain data."""
        if self.closures is not None:
            node = self.closures.converted(node)
        if self.constants is not None:
            node = self.constants.expanded(node)
        node_class = node.__class__
        kind = node_class.__name__
        text = ""
        constant: object = None
        fields: list[object] = []
        if id(node) in self.messages and not isinstance(node, ast.JoinedStr):
            kind, text = "Text", self.messages[id(node)]
        elif self.is_text(node):
            kind = "Pass"
        elif isinstance(node, ast.Name) and node_class is ast.Name:
            text = node.id
            names = self.dotted_names if node.ctx.__class__ is ast.Load else self.assigned_names
            names.add(text)
        elif isinstance(node, ast.Constant):
            if id(node) in self.dtypes:
                kind, text = "Name", self.dtypes[id(node)]
            else:
                constant, text = _constant(node.value)
        elif name := self.constant_name(node):
            kind, text = "Name", name
        elif isinstance(node, RecordTuple):
            kind, text = "Tuple", node.names
            self.add_fields(node, fields)
        else:
            self.look_at(node)
            text = self.add_fields(node, fields)
        if not node_class._attributes:
            return (kind, text, constant, 0, 0, 0, 0, tuple(fields))
        place: Any = node
        return (
            kind,
            text,
            constant,
            place.lineno + self.line_offset,
            place.col_offset,
            place.end_lineno + self.line_offset,
            place.end_col_offset,
            tuple(fields) if fields else _NO_FIELDS,
        )

    def constant_name(self, node: ast.AST) -> str:
        """Return the name under which an expression is bound as a constant, else ""."""
        if self.constants is None or not isinstance(node, ast.expr):
            return ""
        return self.constants.name_of(node)

    def look_at(self, node: ast.AST) -> None:
        """Record what a node implies for the names and strings below it."""
        if isinstance(node, ast.Attribute):
            self.add_dotted_names(node)
        elif isinstance(node, ast.Call):
            if self.constants is not None:
                self.dtypes.update(self.constants.dtype_names(node))
            self.add_messages(node)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self.augmented_names.add(node.target.id)
        elif isinstance(node, (ast.Raise, ast.Assert)):
            self.add_messages(node)

    def add_messages(self, node: ast.AST) -> None:
        """Record the texts of an exception's or print's arguments."""
        for part in message_parts(node):
            if isinstance(part, ast.JoinedStr):
                self.messages[id(part)] = ""
            elif (text := self.text_of(part)) is not None:
                self.messages[id(part)] = text

    def text_of(self, part: ast.expr) -> str | None:
        """Return the text that a part of a message is, also by name."""
        if isinstance(part, ast.FormattedValue):
            is_plain = part.format_spec is None and part.conversion in (-1, ord("s"))
            return self.text_of(part.value) if is_plain else None
        if isinstance(part, ast.Name) and part.id in self.texts:
            return self.texts[part.id]
        text: object = None
        if isinstance(part, ast.Constant):
            text = part.value
        elif self.constants is not None and isinstance(part, (ast.Name, ast.Attribute)):
            text = self.constants.value_of(part)
        return text if isinstance(text, str) else None

    def is_text(self, node: ast.AST) -> bool:
        """Whether a statement assigns the text of a variable."""
        return (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id in self.texts
        )

    def add_fields(self, node: ast.AST, fields: list[object]) -> str:
        """Append a node's children; return its text."""
        text = ""
        is_closed = isinstance(node, _CLOSED) and id(node) not in self.messages
        for name in _FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value is None:
                continue
            if name == "orelse" and isinstance(node, ast.If):
                value = self.add_ladder(value, fields)
            if isinstance(value, str):
                text = value
            elif isinstance(value, (ast.operator, ast.unaryop, ast.boolop)):
                text = value.__class__.__name__
            elif is_closed:
                continue
            elif isinstance(value, list):
                if value and isinstance(value[0], str):
                    text = ", ".join(map(str, value))
                elif value:
                    if self.closures is not None and isinstance(value[0], ast.stmt):
                        value = self.closures.block(value)
                    nodes = tuple([self.node(item) for item in value if item is not None])
                    fields += (name, nodes)
            elif isinstance(value, ast.AST):
                fields += (name, (self.node(value),))
            elif isinstance(node, ast.FormattedValue):
                text = chr(value) if value > 0 else ""
        if isinstance(node, ast.alias):
            text = node.asname or node.name.partition(".")[0]
        return text

    def add_ladder(self, orelse: list[ast.stmt], fields: list[object]) -> list[ast.stmt]:
        """Append the `elif` branches as a flat list; return the `else` block.

        `ast` nests each branch in the previous one.
        """
        branches = []
        while len(orelse) == 1 and isinstance(branch := orelse[0], ast.If):
            alone = ast.copy_location(ast.If(branch.test, branch.body, []), branch)
            branches.append(self.node(alone))
            orelse = branch.orelse
        if branches:
            fields += ("elifs", tuple(branches))
        return orelse

    def add_dotted_names(self, node: ast.Attribute) -> None:
        """Keep `np.random.rand` as one name, if it starts with a name."""
        parts = [node.attr]
        owner = node.value
        while isinstance(owner, ast.Attribute):
            parts.append(owner.attr)
            owner = owner.value
        if isinstance(owner, ast.Name):
            parts.append(owner.id)
            self.dotted_names.add(".".join(reversed(parts)))


def _constant(value: object) -> tuple[object, str]:
    if isinstance(value, bool) or type(value) in (float, complex):
        return value, ""
    if isinstance(value, int):
        return _integer(value), ""
    return None, type(value).__name__


def _integer(value: int) -> int | float:
    # An integer that Python itself refuses to print is treated as infinite.
    return value if value.bit_length() < 4096 else float("inf")


class _Gatherer:
    """The kernel and all device functions reachable from it, each once."""

    def __init__(self) -> None:
        self.functions: list[Callable[[], tuple[object, ...]]] = []
        self.indices: dict[int, int] = {}
        self.data: list[tuple[object, ...]] = []

    def index_of(self, item: DeviceFunction[..., Any]) -> int:
        """Return the index of a device function among the collected functions."""
        key = id(item.__wrapped__)
        if key not in self.indices:
            self.indices[key] = self.add_device_function(item)
        return self.indices[key]

    def add_device_function(self, item: DeviceFunction[..., Any]) -> int:
        """Append a device function; an unpickled one also adds those reachable from it."""
        if item.source is not None:
            return self.add(item.__wrapped__, item.source)
        first = len(self.functions)
        for data in item.syntax or ():
            self.functions.append(partial(_with_moved_indices, data, first))
        return first

    def add(self, function: Callable[..., Any], source: Source, *, is_fused: bool = False) -> int:
        """Append a function."""
        self.functions.append(partial(self.describe, function, source, is_fused=is_fused))
        return len(self.functions) - 1

    def add_local(self, function: Callable[..., Any], source: Source, local: LocalFunction) -> int:
        """Append a function that is inside another one, whose source this is."""
        self.functions.append(partial(self.describe, function, source, local=local))
        return len(self.functions) - 1

    def describe_all(self) -> FunctionData:
        """Return the data of all functions, including those found in the process."""
        while len(self.data) < len(self.functions):
            self.data.append(self.functions[len(self.data)]())
        return tuple(self.data)

    def describe(
        self,
        function: Callable[..., Any],
        source: Source,
        *,
        is_fused: bool = False,
        local: LocalFunction | None = None,
    ) -> tuple[object, ...]:
        """Return the data of one function, or of a local one inside it."""
        name = function.__name__
        if local is not None:
            name, source = local.name, source._replace(node=local.node)
        is_comprehension = name.startswith("<")  # `:=` in it names a variable of the function
        node = source.node if is_comprehension else with_assignments(source.node)
        node = with_plain_lists(node)
        bindings = Bindings(function, source, self.index_of)
        constants = Constants(bindings.look_up, bindings.bind, has_arrays=not is_fused)
        node = with_grid_barriers(node, constants.value_of)
        add = partial(self.add_local, function, source)
        closures = Closures(node, local, add, constants.value_of)
        constants.own_names = closures.variables | closures.callables.keys()
        closures.find_lists(node, local)
        walk = _Walk(source.line_offset, constants, local_texts(_body(node)), closures)
        try:
            arguments = closures.parameters(node)
            parameters = tuple(walk.node(item) for item in arguments)
            body = tuple(walk.node(item) for item in closures.block(_body(node)))
        except RecursionError:
            fail(
                name,
                f"an expression of '{name}' is nested too deeply",
                "assign parts of it to variables",
                _name_place(source),
                source_data(source, name),
            )
        parameter_names = {item.arg for item in arguments}
        bindings.resolve(walk.dotted_names, walk.assigned_names | parameter_names)
        bindings.resolve_shadowed(walk.augmented_names - parameter_names)
        if local is None:
            values = map(_default_value, function.__defaults__ or ())
            defaults = tuple(bindings.bind(each, "") for each in values)
        else:
            defaults = tuple(bindings.bind_literal(each) for each in node.args.defaults)
        is_method = local is None and _is_method(function, source)
        return (
            name,
            parameters,
            body,
            _name_place(source),
            (*bindings.found, *constants.found.items()),
            bindings.known_names(),
            source_data(source, name),
            tuple(bindings.sources),
            (*_mistakes(name, source, is_method=is_method), *_default_mistakes(source, defaults)),
            defaults,
            len(arguments) - len(_parameters(node)),
        )


def _with_moved_indices(data: tuple[Any, ...], offset: int) -> tuple[object, ...]:
    """Return a function's data with its device functions' new indices."""

    def moved(binding: tuple[Any, ...]) -> tuple[Any, ...]:
        kind, name, number, dtype, items, index, *place = binding
        if kind == "device":
            index += offset
        return (kind, name, number, dtype, tuple(map(moved, items)), index, *place)

    bindings = tuple((name, moved(binding)) for name, binding in data[4])
    return (*data[:4], bindings, *data[5:])


def _body(node: FunctionNode) -> list[ast.stmt]:
    if isinstance(node, ast.FunctionDef):
        return node.body
    return [ast.copy_location(ast.Return(node.body), node.body)]


def _line(source: Source, line: int) -> str:
    return source.lines[line - source.first_line]


def _name_place(source: Source) -> Place:
    """Return the place of the name after `def`, or of `lambda`."""
    node = source.node
    line = node.lineno + source.line_offset
    column = node.col_offset
    if isinstance(node, ast.Lambda):
        return (line, column, line, column + len("lambda"))
    name = node.name.encode()
    start = _line(source, line).encode().find(name, column + len("def"))
    if start < 0:  # written with characters that Python normalizes
        start, name = column, b"def"
    return (line, start, line, start + len(name))


def _place(source: Source, node: ast.expr | ast.arg, n_before: int = 0) -> Place:
    return (
        node.lineno + source.line_offset,
        node.col_offset - n_before,
        (node.end_lineno or node.lineno) + source.line_offset,
        node.end_col_offset or 0,
    )


def _is_method(function: Callable[..., Any], source: Source) -> bool:
    owner = function.__qualname__.rpartition(".")[0]
    parameters = _parameters(source.node)
    return bool(parameters) and parameters[0].arg == "self" and not owner.endswith("<locals>")


def _mistakes(name: str, source: Source, *, is_method: bool) -> list[tuple[str, Place, str]]:
    """Return the errors in a function's header: message, place, hint."""
    arguments = source.node.args
    names = ", ".join(item.arg for item in _parameters(source.node))
    mistakes = []
    for star, item in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if item is not None:
            usual = f"def {name}({names or 'x, y'})"
            place = _place(source, item, len(star))
            mistakes.append(("a kernel has a fixed number of arguments", place, usual))
    for item in arguments.kwonlyargs:
        place = _place(source, item)
        mistakes.append(("an operand cannot be keyword-only", place, "remove the '*'"))
    if is_method:
        first, *others = _parameters(source.node)
        wanted = [item.arg for item in others] + _own_attributes(source.node)
        message = "'self' is not a number; a method cannot be a kernel"
        hint = f"make it a function of ({', '.join(wanted)})"
        mistakes.append((message, _place(source, first), hint))
    return mistakes


def _default_value(value: Any) -> Any:
    """Return a default; an empty array stands for an output, as None does."""
    return None if isinstance(value, np.ndarray) and not value.size else value


def _default_mistakes(
    source: Source, defaults: tuple[Binding, ...]
) -> list[tuple[str, Place, str]]:
    """Return the errors in a function's defaults: None is no default."""
    return [
        (f"a default must be a number, found {binding[1]}", _place(source, node), "")
        for node, binding in zip(source.node.args.defaults, defaults, strict=True)
        if binding[0] == "other"
    ]


def _own_attributes(node: ast.AST) -> list[str]:
    names = [
        item.attr
        for item in ast.walk(node)
        if isinstance(item, ast.Attribute)
        and isinstance(item.value, ast.Name)
        and item.value.id == "self"
    ]
    return list(dict.fromkeys(names))


def function_syntax(function: Callable[..., Any], *, is_fused: bool = False) -> FunctionData:
    """Return the syntax of a kernel and all reachable device functions, as plain data.

    Args:
        function: the kernel.
        is_fused: whether the kernel's names of arrays stand for their elements.

    Raises:
        KernelError: the function's source cannot be read.
    """
    gatherer = _Gatherer()
    if isinstance(function, DeviceFunction):
        gatherer.index_of(function)
    else:
        source = find_source(function)
        gatherer.add(function, source, is_fused=is_fused)
    return gatherer.describe_all()


def text_syntax(
    name: str, parameters: list[str], lines: list[str], bindings: dict[str, Binding]
) -> FunctionData:
    """Return the syntax of a generated kernel, from the lines of its body."""
    walk = _Walk(0)
    body = tuple(walk.node(item) for item in ast.parse("\n".join(lines)).body)
    arguments = tuple(("arg", item, None, *NO_PLACE, _NO_FIELDS) for item in parameters)
    source = (f"<{name}>", "", 1, tuple(lines))
    return ((name, arguments, body, NO_PLACE, tuple(bindings.items()), (), source, (), (), (), 0),)


def called_syntax(function: DeviceFunction[..., Any], n_before: int) -> FunctionData:
    """Return the syntax of a device function and all it calls, to follow `n_before` functions."""
    return moved_syntax(function_syntax(function), n_before)


def moved_syntax(functions: FunctionData, n_before: int) -> FunctionData:
    """Return the syntax of functions that follow `n_before` others."""
    return tuple(_with_moved_indices(data, n_before) for data in functions)


def with_parameters(functions: FunctionData, names: list[str]) -> FunctionData:
    """Return the syntax of a function with more parameters, which its body does not name."""
    own: Any = functions[0]
    added = tuple(("arg", name, None, *NO_PLACE, _NO_FIELDS) for name in names)
    return ((own[0], (*own[1], *added), *own[2:]), *functions[1:])


def with_derivatives(functions: FunctionData, row: tuple[object, ...]) -> FunctionData:
    """Return the syntax of a function that is differentiated once more.

    The row has the parameters, the results and their directions, and the parameters with tangents.
    """
    own: Any = functions[0]
    before = own[_DERIVATIVES] if n_derivatives(functions) else ()
    return ((*own[:_DERIVATIVES], (*before, row)), *functions[1:])


def n_derivatives(functions: FunctionData) -> int:
    """Return how often a function is differentiated."""
    own: Any = functions[0]
    return len(own[_DERIVATIVES]) if len(own) > _DERIVATIVES else 0
