"""The kernels of a program, each declared here: whether that works, and if not, why."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import KernelError, _core
from numpy_plugin._check.counterparts import KERNEL_MAKERS, SOURCE_MODULE
from numpy_plugin._check.guess import guessed_types
from numpy_plugin._check.program import Program, Scope
from numpy_plugin._check.trials import compile_everywhere
from numpy_plugin._check.values import NotKnown, Values
from numpy_plugin._cuda.function_kernel import FunctionKernel
from numpy_plugin.cuda import kernel

__all__ = ["Site", "Verdict", "declare", "find_kernels"]


class Site(NamedTuple):
    """A place where a program makes a kernel.

    Attributes:
        name: the function's, or that of the variable that keeps the kernel.
        line: counted from 1.
        maker: what makes it, dotted, such as "numba.cuda.jit".
        node: the decorated function, or the call.
        scope: what it belongs to.
    """

    name: str
    line: int
    maker: str
    node: ast.FunctionDef | ast.Call
    scope: Scope

    @property
    def is_python(self) -> bool:
        """Whether the kernel is a function of Python, not text of C++."""
        return self.maker.startswith("numba.")


class Verdict(NamedTuple):
    """The result of declaring a kernel.

    Attributes:
        outcome: "works", "can't" or "not checked".
        why: one line: the types that were assumed, a warning, the error's first line.
        message: the whole error; "" if there is none.
    """

    outcome: str
    why: str = ""
    message: str = ""


def find_kernels(program: Program) -> list[Site]:
    """Return the kernels of a program in the order of its text."""
    seen: set[ast.AST] = set()
    names: dict[ast.AST, str] = {}
    return list(_find(program, seen, names))


def _find(program: Program, seen: set[ast.AST], names: dict[ast.AST, str]) -> Iterator[Site]:
    for node, scope in program.nodes():
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                seen.update(ast.walk(decorator))
                if maker := _maker(decorator, scope):
                    yield Site(node.name, node.lineno, maker, node, scope)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.value] = node.targets[0].id
        elif isinstance(node, ast.Call) and node not in seen:
            maker = _maker(node, scope)
            if maker and _makes_kernel(node, maker):
                seen.update(ast.walk(node))
                name = names.get(node) or _name_of(node)
                yield Site(name, node.lineno, maker, node, scope)


def _maker(node: ast.expr, scope: Scope) -> str:
    """Return the origin of a maker of kernels: of a decorator, or of a call or a call's call."""
    function = node
    while isinstance(function, ast.Call):
        function = function.func
    origin = scope.origin(function)
    if not origin and isinstance(function, ast.Name):  # such as `double = vectorize([...])`
        home = scope.find(function.id)
        bound = home.bindings[function.id][-1] if home is not None else None
        if home is not None and isinstance(bound, ast.Assign) and isinstance(bound.value, ast.Call):
            origin = home.origin(bound.value.func)
    # Calls of others make kernels, not decorators.
    is_made = origin.startswith("numba.") or (
        isinstance(node, ast.Call) and scope.origin(node.func) == origin
    )
    return origin if is_made and origin in KERNEL_MAKERS else ""


def _makes_kernel(call: ast.Call, maker: str) -> bool:
    """Whether a call makes a kernel, not only a decorator."""
    if not maker.startswith("numba."):
        return True
    is_second = isinstance(call.func, ast.Call) or not call.args
    is_function = isinstance(call.args[0] if call.args else None, (ast.Lambda, ast.Name))
    return is_function and (is_second or len(call.args) == 1)


def _name_of(call: ast.Call) -> str:
    first = call.args[0] if call.args else None
    return first.id if isinstance(first, ast.Name) else "<lambda>"


def declare(site: Site, values: Values) -> Verdict:
    """Declare one kernel."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            if isinstance(site.node, ast.FunctionDef):
                made = values.function(site.node, site.scope)
            else:
                made = values.expression(site.node, site.scope)
            assumed = _with_types(made, values) if site.is_python else compile_everywhere(made)
        except NotKnown as error:
            return Verdict("not checked", str(error))
        except Exception as error:  # of any declaration
            return Verdict("can't", _first_line(error), _text(error))
    notes = [assumed] if assumed else []
    if site.maker == SOURCE_MODULE:
        notes.append("as npp.RawModule(code=...), launched as kernel(grid, block, arguments)")
    notes += [str(each.message).splitlines()[0] for each in found]
    return Verdict("works", "; ".join(notes))


def _first_line(error: Exception) -> str:
    diagnostics = getattr(error, "diagnostics", None)
    if not diagnostics:
        return _text(error).splitlines()[0]
    first = diagnostics[0]
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return f"line {first.line}: {first.message}{more}" if first.line else first.message


def _text(error: Exception) -> str:
    """Return the message; of a KeyError that is only the key."""
    text = str(error)
    if isinstance(error, LookupError) or not text:
        return f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text


def _with_types(made: Any, values: Values) -> str:
    """Type a kernel that has no signature for the types its text suggests; return them."""
    function = getattr(made, "__wrapped__", None)
    if isinstance(made, np.ufunc) and not made.types and function is not None:
        types = guessed_types(function, values.program)[: made.nin]
        return _first_that_works(types, lambda each: _resolve(made, each))
    if isinstance(made, FunctionKernel) and _is_untyped(made):
        types = guessed_types(made.__wrapped__, values.program)
        return _first_that_works(
            types, lambda each: kernel(made.__wrapped__, f"void({', '.join(each)})")
        )
    return ""


def _resolve(made: np.ufunc, types: Sequence[str]) -> None:
    dtypes = tuple(np.dtype(each.partition("[")[0]) for each in types)
    _core.resolve_dtypes(made, (*dtypes, *(None,) * made.nout))


def _first_that_works(types: list[str], declare_for: Callable[[list[str]], object]) -> str:
    """Declare a kernel for the suggested types, or with integers in the place of numbers.

    Raises:
        KernelError: the kernel's text is wrong for all of them, in the same way.
        NotKnown: they are wrong for it, each in its way: a launch has others.
    """
    failed: list[KernelError] = []
    for each in _alternatives(types):
        try:
            declare_for(each)
        except KernelError as error:
            failed.append(type(error)(f"as {', '.join(each)}: {error}", error.diagnostics))
            continue
        return f"as {', '.join(each)}"
    first = failed[0]
    if len({_first_line(error) for error in failed}) > 1:
        raise NotKnown(f"as {', '.join(types)}: {_first_line(first)}; its calls have the types")
    raise first from None


def _alternatives(types: list[str]) -> list[list[str]]:
    numbers = ["int64" if each == "float64" else each for each in types]
    all_integers = [each.replace("float64", "int64") for each in types]
    found = [types]
    found += [each for each in (numbers, all_integers) if each not in found]
    return found


def _is_untyped(made: FunctionKernel) -> bool:
    try:
        return not made.source
    except TypeError:
        return True
