"""Values of a program's names without running it: imports, constants, and its functions.

Only what cannot do anything is evaluated: literals, arithmetic, types, and calls of a few functions
that return numbers, arrays or kernels. The functions of the program are made, never called.
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator, Sequence
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy

from numpy_plugin._check.counterparts import MOVED, SOURCE_MODULE, value_of
from numpy_plugin._check.program import Program, Scope, walk

__all__ = ["NotKnown", "Values"]

# Nodes of expressions that are evaluated if their parts are.
_PLAIN = (
    ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp,
    ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Subscript, ast.Slice, ast.Starred,
    ast.JoinedStr, ast.FormattedValue, ast.Call, ast.keyword, ast.ListComp, ast.GeneratorExp,
    ast.SetComp, ast.DictComp, ast.comprehension, ast.expr_context, ast.operator,
    ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_BUILTINS = {
    "abs", "bool", "complex", "divmod", "float", "int", "len", "list", "max", "min", "pow", "range",
    "reversed", "round", "sorted", "str", "sum", "tuple", "zip",
}  # fmt: skip
_NUMPY = {
    "arange", "array", "asarray", "dtype", "finfo", "full", "iinfo", "linspace", "ones", "zeros",
}  # fmt: skip
_OF_STR = {"dedent", "format", "join", "lower", "lstrip", "replace", "rstrip", "strip", "upper"}


_OTHERS = {
    "collections.namedtuple", "numpy_plugin.device", "textwrap.dedent", "types.SimpleNamespace",
    *MOVED, SOURCE_MODULE,
}  # fmt: skip
# After each statement of a module.
_END = sys.maxsize


class NotKnown(Exception):
    """A value that only the running program has; the message says why."""


class Values:
    """The values of one program."""

    def __init__(self, program: Program, others: dict[Program, Values] | None = None) -> None:
        """Compile the program, for the code of its functions; `others` are its own modules'."""
        self.program = program
        self._others = {} if others is None else others
        self._others[program] = self
        self._codes = {
            (code.co_name, code.co_firstlineno): code
            for node, scope in program.nodes()
            if isinstance(node, ast.FunctionDef) and scope.outer is None
            for code in _compiled(node, program)
        }
        self._globals: dict[str, Any] = {"__name__": program.path.stem}
        self._made: dict[ast.AST, Any] = {}
        self._failed: dict[ast.AST, NotKnown] = {}
        self._begun: set[ast.AST] = set()  # and neither made nor failed

    def function(self, node: ast.FunctionDef, scope: Scope) -> Any:
        """Return a function of the program, decorated.

        Raises:
            NotKnown: a value that it needs is.
            Exception: a decorator's.
        """
        if node in self._made:
            return self._made[node]
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        code = self._codes.get((node.name, first))
        if code is None:
            raise NotKnown(f"line {node.lineno} is never reached")
        self._made[node] = made = self._bare(code, node, scope)
        try:
            for decorator in reversed(node.decorator_list):
                if not self._is_harmless(_called(decorator), scope):
                    if made is not self._made[node]:
                        break  # it is for the kernel, which is made
                    name = ast.unparse(decorator)
                    raise NotKnown(f"line {decorator.lineno} decorates it with '{name}'")
                made = self.expression(decorator, scope)(made)
        except BaseException:
            del self._made[node]
            raise
        self._made[node] = made
        return made

    def expression(self, node: ast.expr, scope: Scope) -> Any:
        """Return the value of an expression.

        Raises:
            NotKnown: it is more than constants, types and kernels.
            Exception: what Python raises for it.
        """
        self._check(node, scope)
        self._resolve(node, scope)
        own = dict(self._locals(node, scope))
        try:
            code = compile(ast.Expression(node), str(self.program.path), "eval", dont_inherit=True)
        except RecursionError:
            raise NotKnown(f"line {node.lineno} is nested too deeply") from None
        return eval(code, {**self._globals, **own} if own else self._globals)

    def name(self, name: str, scope: Scope, line: int) -> Any:
        """Return the value that a name has in a scope, as bound last before a line.

        Raises:
            NotKnown: it is computed by the running program.
        """
        if name in scope.imports:
            return self._imported(name, scope)
        bindings = scope.bindings[name]
        before = [node for node in bindings if getattr(node, "lineno", 0) < line]
        usable = [
            node for node in before or bindings if node in self._made or node not in self._begun
        ]
        if not usable:
            at = getattr(bindings[-1], "lineno", 0)
            raise NotKnown(f"'{name}' of line {at} is computed from itself")
        node = usable[-1]
        if node in self._failed:
            raise self._failed[node]
        self._begun.add(node)
        try:
            return self._bound(name, node, scope)
        except NotKnown as error:
            self._failed[node] = error
            raise
        finally:
            self._begun.discard(node)

    def _imported(self, name: str, scope: Scope) -> Any:
        imported = scope.imports[name]
        line = imported.statement.lineno
        if imported.statement in self._begun:
            raise NotKnown(f"'{name}' is imported in line {line} from itself")
        self._begun.add(imported.statement)
        try:
            return self._value_of(imported.origin)
        except (ImportError, AttributeError, NotKnown) as error:
            raise NotKnown(f"'{name}' is imported in line {line}: {error}") from None
        finally:
            self._begun.discard(imported.statement)

    def _value_of(self, origin: str) -> Any:
        """Return the value of an imported name, or of one in a module of the program's own."""
        modules = self.program.modules
        found = modules.find(origin, self.program.path) if modules is not None else None
        if found is None:
            return value_of(origin)
        program, names = found
        values = self._others.get(program) or Values(program, self._others)
        value: Any = values.module()
        for name in names:
            value = getattr(value, name)
        return value

    def module(self) -> ModuleType:
        """Return a module whose members are the program's values."""
        scope = self.program.scopes[self.program.tree]
        made = ModuleType(self.program.path.stem)

        def member(name: str) -> Any:
            if name in scope.bindings:
                return self.name(name, scope, _END)
            if self.program.path.name == "__init__.py":  # a module of the package
                return self._value_of(f".{name}")
            raise AttributeError(f"{self.program.path.name} has no '{name}'")

        vars(made)["__getattr__"] = member
        return made

    def _bound(self, name: str, node: ast.AST, scope: Scope) -> Any:
        if isinstance(node, ast.FunctionDef):
            return self.function(node, scope)
        line = getattr(node, "lineno", 0)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            try:
                if node not in self._made:
                    self._made[node] = self.expression(node.value, scope)
                return _part(name, targets, self._made[node])
            except NotKnown as error:
                raise NotKnown(f"'{name}' of line {line} is not a constant: {error}") from None
        kind = "a parameter" if isinstance(node, ast.arg) else "no constant"
        raise NotKnown(f"'{name}' of line {line} is {kind}, known when the program runs")

    def _bare(self, code: CodeType, node: ast.FunctionDef, scope: Scope) -> FunctionType:
        """Return the function without decorators, and its defaults and the names it uses."""
        cells = tuple(CellType() for _ in code.co_freevars)
        function = FunctionType(code, self._globals, node.name, None, cells)
        defaults = tuple(self.expression(each, scope) for each in node.args.defaults)
        function.__defaults__ = defaults or None
        function.__module__ = self._globals["__name__"]
        function.__doc__ = ast.get_docstring(node, clean=False)
        self._made[node] = function  # for functions that call each other
        for statement in node.body:
            self._resolve(statement, self.program.scope_of(node))
        for name, cell in zip(code.co_freevars, cells, strict=True):
            home = scope.find(name)
            if home is not None:
                cell.cell_contents = self.name(name, home, node.lineno)
        return function

    def _resolve(self, node: ast.AST, scope: Scope) -> None:
        """Give the module's names in a tree their values."""
        for name, line in _used_names(node):
            home = scope.find(name)
            if home is not None and home.outer is None:
                self._globals[name] = self.name(name, home, line)

    def _locals(self, node: ast.AST, scope: Scope) -> Iterator[tuple[str, Any]]:
        for name, line in _used_names(node):
            home = scope.find(name)
            if home is not None and home.outer is not None:
                yield name, self.name(name, home, line)

    def _check(self, tree: ast.AST, scope: Scope) -> None:
        """Refuse what could do more than compute a value."""
        for node in walk(tree, lambda inner: not isinstance(inner, ast.Lambda)):
            if isinstance(node, ast.Lambda):
                continue  # nothing calls it
            if not isinstance(node, _PLAIN):
                raise NotKnown(f"line {getattr(node, 'lineno', 0)} is computed")
            if isinstance(node, ast.Call) and not self._is_harmless(node.func, scope):
                raise NotKnown(f"line {node.lineno} calls '{ast.unparse(node.func)}'")

    def _is_harmless(self, function: ast.expr, scope: Scope) -> bool:
        """Whether a call of an expression only makes a value."""
        if isinstance(function, ast.Call):  # vectorize([...])(function); itself checked
            return _makes_decorator(function, scope)
        if isinstance(function, ast.Subscript):  # float64[:](float64)
            return self._is_harmless(function.value, scope)
        origin = scope.origin(function)
        if origin:
            return _is_harmless_member(origin)
        if isinstance(function, ast.Attribute):
            return function.attr in _OF_STR
        if not isinstance(function, ast.Name):
            return False
        home = scope.find(function.id)
        if home is None:
            return function.id in _BUILTINS
        bound = home.bindings[function.id][-1]  # such as `double = vectorize(["float64(float64)"])`
        if not isinstance(bound, ast.Assign):
            return False
        return _makes_decorator(bound.value, home) or _makes_tuples(bound.value, home)


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _is_harmless_member(origin: str) -> bool:
    package, _, name = origin.partition(".")
    if package == "numpy" and name not in _NUMPY:
        value = getattr(numpy, name, None)
        is_type = isinstance(value, type) and issubclass(value, numpy.generic)
        return is_type or isinstance(value, numpy.ufunc)
    return package in ("cmath", "math", "numpy", "numba") or origin in _OTHERS


def _makes_decorator(node: ast.expr, scope: Scope) -> bool:
    """Whether a call makes a decorator, not yet a kernel that a call would run."""
    if not isinstance(node, ast.Call) or not scope.origin(node.func).startswith("numba."):
        return False
    homes = [(scope.find(each.id), each.id) for each in node.args if isinstance(each, ast.Name)]
    bound = [home.bindings[name][-1] for home, name in homes if home is not None]
    return not any(isinstance(each, (ast.Lambda, ast.FunctionDef)) for each in [*node.args, *bound])


def _makes_tuples(node: ast.expr, scope: Scope) -> bool:
    return isinstance(node, ast.Call) and scope.origin(node.func) == "collections.namedtuple"


def _part(name: str, targets: Sequence[ast.expr], value: Any) -> Any:
    """Return what an assignment gives a name: the value, or one of its items."""
    for target in targets:
        if isinstance(target, ast.Name) and target.id == name:
            return value
        if isinstance(target, (ast.Tuple, ast.List)):
            items = list(value)
            for item, part in zip(target.elts, items, strict=False):
                if isinstance(item, ast.Name) and item.id == name:
                    return part
    raise NotKnown("it is stored in part of another value")


def _used_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the names that a tree reads and does not bind in a lambda or comprehension."""
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, own = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
            yield node.id, node.lineno
        if isinstance(node, ast.Lambda):
            own |= {each.arg for each in walk(node.args) if isinstance(each, ast.arg)}
        for each in getattr(node, "generators", ()):
            own |= {name.id for name in walk(each.target) if isinstance(name, ast.Name)}
        waiting += [(child, own) for child in reversed([*ast.iter_child_nodes(node)])]


def _compiled(node: ast.FunctionDef, program: Program) -> Iterator[CodeType]:
    """Compile a function of the module, also one that follows the end of the program.

    The compiler generates different code for calls of an imported module's members. One that needs
    what is around it, as in an async function, is left out.
    """
    imports = program.scopes[program.tree].import_statements
    module = ast.Module([*imports, node], [])
    with contextlib.suppress(SyntaxError):
        yield from _codes_in(compile(module, str(program.path), "exec", dont_inherit=True))


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)
