"""Calls of NumPy's functions that are written in the kernel language: the expressions for them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

__all__ = [
    "EXPANSIONS",
    "LibraryName",
    "Refused",
    "columns",
    "counted_loop",
    "expanded_call",
    "expanded_statement",
    "library_expression",
    "library_name",
    "masked_part",
]

# Modules of functions in the kernel language.
_LIBRARY = ("array_functions", "joining_functions", "matrix_functions", "order_functions")

# NumPy's function: its parameters, and what stands for a call of it. A parameter that the
# expression lacks must have its default. Names that are not parameters are those of the modules
# above; "{side}" is the string given for a parameter.
EXPANSIONS: dict[str, tuple[str, str]] = {
    "allclose": (
        "a, b, rtol=1e-5, atol=1e-8, equal_nan=False",
        "np.all(np.isclose(a, b, rtol=rtol, atol=atol))",
    ),
    "append": (
        "arr, values, axis=None",
        "vector(joined(joined(empty(arr.size + values.size, common(arr, values).dtype), arr, 0), "
        "values, arr.size))",
    ),
    "argsort": (
        "a, axis=-1, kind=None, order=None, *, stable=None",
        "vector(argsorted(empty(a.shape[0], int64), a))",
    ),
    "array_equal": ("a1, a2, equal_nan=False", "are_equal(a1, a2, equal_nan)"),
    "average": ("a, axis=None, weights=None, returned=False", "average(a, weights)"),
    "bincount": (
        "x, weights=None, minlength=0",
        "vector(bin_totals(np.zeros(n_bins(of_one_axis(x), minlength), "
        "bin_total(weights).dtype), x, weights))",
    ),
    "column_stack": ("tup", "tup"),
    "concatenate": ("arrays, axis=0", "arrays"),
    "convolve": (
        "a, v, mode='full'",
        "vector(convolved(empty({mode}, product(a, v).dtype), of_one_axis(a), of_one_axis(v)))",
    ),
    "corrcoef": (
        "x, y=None, rowvar=True",
        "correlations(covariances(x{rowvar}, y, False, None))",
    ),
    "cov": (
        "m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None",
        "covariances(m{rowvar}, y, bias, ddof)",
    ),
    "cross": ("a, b, axisa=-1, axisb=-1, axisc=-1, axis=None", "vector(crossed(a * b, a, b))"),
    "cumprod": (
        "a, axis=None, dtype=None, out=None",
        "vector(cumulated_product(flattened(empty(a.size, one_of_products(a).dtype), a)))",
    ),
    "cumsum": (
        "a, axis=None, dtype=None, out=None",
        "vector(cumulated_sum(flattened(empty(a.size, zero_of_sums(a).dtype), a)))",
    ),
    "diag": ("v, k=0", "vector(diagonal(empty(diagonal_size(v, k), v.dtype), v, k))"),
    "diagonal": (
        "a, offset=0, axis1=0, axis2=1",
        "vector(diagonal(empty(diagonal_size(a, offset), a.dtype), a, offset))",
    ),
    "diff": ("a, n=1, axis=-1, prepend=None, append=None", "vector(of_one_axis(a)[1:] - a[:-1])"),
    "digitize": ("x, bins, right=False", "digitized(x, monotonic(bins), right)"),
    "ediff1d": (
        "ary, to_end=None, to_begin=None",
        "vector(reshaped(ary, -1)[1:] - reshaped(ary, -1)[:-1])",
    ),
    "eye": (
        "N, M=N, k=0, dtype=None, order='C'",
        "matrix(unit_matrix(np.zeros((N, M), dtype), k))",
    ),
    "flatten": ("a, order='C'", "vector(flattened(empty(a.size, a.dtype), a))"),
    "flip": ("m, axis=None", "of_one_axis(m)[::-1]"),
    "fliplr": ("m", "m[:, ::-1]"),
    "flipud": ("m", "m[::-1]"),
    "histogram": (
        "a, bins=10, range=None, density=None, weights=None",
        "(vector(counted(np.zeros(bins, int64), a, vector(bin_edges(empty(bins + 1, "
        "edge(a, range).dtype), a, range)))), "
        "vector(bin_edges(empty(bins + 1, edge(a, range).dtype), a, range)))",
    ),
    "hstack": ("tup", "tup"),
    "identity": ("n, dtype=None", "matrix(unit_matrix(np.zeros((n, n), dtype), 0))"),
    "inner": ("a, b", "np.dot(of_one_axis(a), of_one_axis(b))"),
    "interp": (
        "x, xp, fp, left=None, right=None, period=None",
        "interpolated(x, sample_points(xp, fp), fp, left, right)",
    ),
    "isin": (
        "element, test_elements, assume_unique=False, invert=False, *, kind=None",
        "is_among(element, test_elements, invert)",
    ),
    "linalg.cholesky": ("a, *, upper=False", "matrix(factor(a * unit(a, a)))"),
    "linalg.det": ("a", "determinant(a * unit(a, a), np.arange(a.shape[0]))"),
    "linalg.inv": (
        "a",
        "solved(matrix(unit_matrix(np.zeros(a.shape, unit(a, a).dtype), 0)), "
        "matrix(unit_matrix(np.zeros(a.shape, unit(a, a).dtype), 0)), "
        "a * unit(a, a), np.arange(a.shape[0]))",
    ),
    "linalg.norm": ("x, ord=None, axis=None, keepdims=False", "norm(x)"),
    "linalg.solve": (
        "a, b",
        "solved(b * unit(a, b), b, a * unit(a, b), np.arange(a.shape[0]))",
    ),
    "linspace": (
        "start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0",
        "vector(spaced(empty(num, middle(start, stop).dtype), start, stop, endpoint))",
    ),
    "median": (
        "a, axis=None, out=None, overwrite_input=False, keepdims=False",
        "median(vector(flattened(empty(a.size, a.dtype), a)))",
    ),
    "nanargmax": ("a, axis=None, out=None", "nanargmax(a)"),
    "nanargmin": ("a, axis=None, out=None", "nanargmin(a)"),
    "nancumprod": (
        "a, axis=None, dtype=None, out=None",
        "vector(cumulated_product(without_nan(flattened(empty(a.size, one_of_products(a).dtype), "
        "a), 1)))",
    ),
    "nancumsum": (
        "a, axis=None, dtype=None, out=None",
        "vector(cumulated_sum(without_nan(flattened(empty(a.size, zero_of_sums(a).dtype), a), 0)))",
    ),
    "nanmax": ("a, axis=None, out=None", "nanmax(a)"),
    "nanmean": ("a, axis=None, dtype=None, out=None", "nanmean(a)"),
    "nanmedian": (
        "a, axis=None, out=None, overwrite_input=False",
        "nanmedian(vector(flattened(empty(a.size, a.dtype), a)))",
    ),
    "nanmin": ("a, axis=None, out=None", "nanmin(a)"),
    "nanpercentile": (
        "a, q, axis=None, out=None, overwrite_input=False, method='linear'",
        "nanpercentile(sorted_for(vector(flattened(empty(a.size, a.dtype), a)), n_dimensions(q)), "
        "q, n_dimensions(q))",
    ),
    "nanprod": ("a, axis=None, dtype=None, out=None", "nanprod(a)"),
    "nanquantile": (
        "a, q, axis=None, out=None, overwrite_input=False, method='linear'",
        "nanquantile(sorted_for(vector(flattened(empty(a.size, a.dtype), a)), n_dimensions(q)), "
        "q, n_dimensions(q))",
    ),
    "nanstd": ("a, axis=None, dtype=None, out=None, ddof=0", "np.sqrt(nanvar(a, ddof))"),
    "nansum": ("a, axis=None, dtype=None, out=None", "nansum(a)"),
    "nanvar": ("a, axis=None, dtype=None, out=None, ddof=0", "nanvar(a, ddof)"),
    "outer": (
        "a, b, out=None",
        "matrix(outer_product(empty((a.size, b.size), product(a, b).dtype), a, b))",
    ),
    "partition": (
        "a, kth, axis=-1, kind='introselect', order=None",
        "partitioned(of_one_axis(a).copy(), kth)",
    ),
    "percentile": (
        "a, q, axis=None, out=None, overwrite_input=False, method='linear'",
        "percentile(sorted_for(vector(flattened(empty(a.size, a.dtype), a)), n_dimensions(q)), "
        "q, n_dimensions(q))",
    ),
    "polyval": ("p, x", "polynomial(of_one_axis(p), x)"),
    "ptp": ("a, axis=None, out=None", "peak_to_peak(a)"),
    "quantile": (
        "a, q, axis=None, out=None, overwrite_input=False, method='linear'",
        "quantile(sorted_for(vector(flattened(empty(a.size, a.dtype), a)), n_dimensions(q)), "
        "q, n_dimensions(q))",
    ),
    "ravel": ("a, order='C'", "reshaped(a, -1)"),
    "repeat": (
        "a, repeats, axis=None",
        "vector(repeated(empty(a.size * repeats, a.dtype), a, repeats))",
    ),
    "reshape": ("a, shape, order='C'", "reshaped(a, shape)"),
    "roll": ("a, shift, axis=None", "vector(rolled(np.copy(a), a, shift))"),
    "searchsorted": ("a, v, side='left', sorter=None", "{side}_position(of_one_axis(a), v)"),
    "sort": ("a, axis=-1, kind=None, order=None, *, stable=None", "sorted_in_place(a.copy())"),
    "stack": ("arrays, axis=0, out=None", "arrays"),
    "take": ("a, indices, axis=None, out=None", "reshaped(a, -1)[indices]"),
    "trace": ("a, offset=0, axis1=0, axis2=1, dtype=None, out=None", "trace(a, offset)"),
    "transpose": ("a, axes=None", "a.T"),
    "trapezoid": ("y, x=None, dx=1.0, axis=-1", "trapezoid(y, x, dx)"),
    "tril": ("m, k=0", "matrix(triangle(np.copy(m), k, 1))"),
    "triu": ("m, k=0", "matrix(triangle(np.copy(m), k, -1))"),
    "unique": (
        "ar, return_index=False, return_inverse=False, return_counts=False, axis=None",
        "vector(distinct(sorted_in_place(vector(flattened(empty(ar.size, ar.dtype), ar)))))",
    ),
    "vdot": ("a, b", "np.dot(np.conjugate(of_one_axis(a)), of_one_axis(b))"),
    "vstack": ("tup", "tup"),
}

# Parameters that are one of a few constants; those that no expression has change no result.
_CHOICES: dict[str, tuple[object, ...]] = {
    "kind": (None, "introselect", "quicksort", "mergesort", "heapsort", "stable"),
    "mode": ("full", "same", "valid"),
    "rowvar": (True, False),
    "side": ("left", "right"),
    "stable": (None, False, True),
}

# What stands for some of these: sizes of convolutions, and whether variables are columns.
_TEXTS = {
    "True": "",
    "False": ".T",
    "full": "np.maximum(a.size + v.size, 1) - 1",
    "same": "np.maximum(a.size, v.size)",
    "valid": "np.maximum(a.size, v.size) - np.minimum(a.size, v.size) + 1",
}

# Methods of arrays that are among them.
_METHODS = {"argsort", "cumprod", "cumsum", "flatten", "ravel", "repeat", "reshape"}
_METHODS |= {"transpose"}

# Parameters that are tuples themselves; lists for others are arrays.
_TUPLES = {"axes", "axis", "range", "shape"}

# Functions of whole arrays that kernels have otherwise: the number of arrays.
_OF_ARRAYS: dict[str, int] = dict.fromkeys(
    ("all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "max", "mean", "min"), 1
)
_OF_ARRAYS |= {"prod": 1, "std": 1, "sum": 1, "var": 1, "dot": 2}

# Functions of arrays in a tuple.
_JOINING = {"column_stack", "concatenate", "hstack", "stack", "vstack"}
# Those that return a matrix.
_MATRICES = {"numpy.column_stack", "numpy.stack", "numpy.vstack"}


class Refused(Exception):
    """A call that kernels do not take, bound to the name that stands for it."""

    def __init__(self, message: str, place: ast.keyword | None = None) -> None:
        """Keep the message, and the argument that is wrong, if it is one."""
        super().__init__(message)
        self.place = place


class LibraryName(ast.Name):
    """A name in an expression that stands for a call, bound to a value of the library's."""

    value: Any


def expanded_call(
    call: ast.Call, function: object, value_of: Callable[[ast.expr], object]
) -> ast.expr | None:
    """Return the expression for a call of a function; None if there is none.

    Args:
        call: the call, whose arguments become part of the expression.
        function: the value of its callee; anything else for a method of an array.
        value_of: returns the values of names outside of the function.
    """
    name, arguments = _name_of(function), call.args
    shown = f"numpy.{name}"
    if isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS and not name:
        name = shown = call.func.attr
        arguments = [call.func.value, *arguments]
    elif isinstance(call.func, ast.Attribute) and call.func.attr == "nonzero" and not name:
        callee = library_name(call.func, "<np.nonzero>", np.nonzero)
        return ast.copy_location(
            ast.Call(callee, [call.func.value, *arguments], call.keywords), call
        )
    if name in _OF_ARRAYS:
        return _with_arrays(call, _OF_ARRAYS[name], value_of)
    if name not in EXPANSIONS:
        return None
    parameters, text = _row(name)
    try:
        if name in _JOINING:
            parameters, text, arguments = _joined_row(shown, parameters, arguments)
        elif name == "reshape":
            arguments = _with_shape(arguments)
        bound = _bound_arguments(shown, parameters, arguments, call.keywords)
        strings = _checked_constants(shown, parameters, text, bound)
    except Refused as refused:
        return library_name(refused.place or call, f"<{refused}>", refused)
    values = {
        item: keyword.value if item in _TUPLES else _as_array(keyword.value, value_of)
        for item, keyword in bound.items()
    }
    return library_expression(text.format(**strings), call, values)


def _as_array(value: ast.expr, value_of: Callable[[ast.expr], object]) -> ast.expr:
    """Return np.array of a list or tuple, written out or a constant; others as they are."""
    items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else value_of(value)
    if not isinstance(items, (list, tuple)) or not items:
        return value
    callee = library_name(value, "<np.array>", np.array)
    return ast.copy_location(ast.Call(callee, [value], []), value)


def _with_arrays(
    call: ast.Call, n_arrays: int, value_of: Callable[[ast.expr], object]
) -> ast.Call | None:
    """Return a call with arrays for lists among its first arguments; None without any."""
    arrays = [_as_array(value, value_of) for value in call.args[:n_arrays]]
    if arrays == call.args[:n_arrays]:
        return None
    arguments = [*arrays, *call.args[n_arrays:]]
    return ast.copy_location(ast.Call(call.func, arguments, call.keywords), call)


def _name_of(function: object) -> str:
    """Return a NumPy function's name in the table, else ""."""
    name = getattr(function, "__name__", "")
    if getattr(np, name, None) is function:
        return str(name)
    return f"linalg.{name}" if getattr(np.linalg, name, None) is function else ""


@cache
def _row(name: str) -> tuple[dict[str, ast.expr | None], str]:
    """Return a row of the table: the parameters with their defaults, and the expression."""
    text, expression = EXPANSIONS[name]
    function = ast.parse(f"lambda {text}: 0", mode="eval").body
    assert isinstance(function, ast.Lambda), name
    names = [item.arg for item in function.args.args]
    n_required = len(names) - len(function.args.defaults)
    defaults = [*[None] * n_required, *function.args.defaults, *function.args.kw_defaults]
    names += [item.arg for item in function.args.kwonlyargs]
    return dict(zip(names, defaults, strict=True)), expression


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


_Parameters = dict[str, ast.expr | None]


def _joined_row(
    name: str, parameters: _Parameters, arguments: list[ast.expr]
) -> tuple[_Parameters, str, list[ast.expr]]:
    """Return the row for as many arrays as the first argument has.

    Raises:
        Refused: it is no tuple or list that is written out.
    """
    first = arguments[0] if arguments else None
    if not isinstance(first, (ast.Tuple, ast.List)) or not first.elts:
        raise Refused(f"{name} in a kernel takes its arrays in a tuple")
    names = [f"a{i}" for i in range(len(first.elts))]
    dtype = names[0]
    for item in names[1:]:
        dtype = f"common({item}, {dtype})"
    text = _matrix_text(names, dtype) if name in _MATRICES else _vector_text(names, dtype)
    if name == "numpy.column_stack":
        text += ".T"
    others = dict(list(parameters.items())[1:])
    return dict.fromkeys(names) | others, text, [*first.elts, *arguments[1:]]


def _vector_text(names: list[str], dtype: str) -> str:
    """Return what joins arrays one after another."""
    sizes = [f"{item}.shape[0]" for item in names]
    text = f"empty({' + '.join(sizes)}, {dtype}.dtype)"
    for i, item in enumerate(names):
        text = f"joined({text}, of_one_axis({item}), {' + '.join(sizes[:i]) or 0})"
    return f"vector({text})"


def _matrix_text(names: list[str], dtype: str) -> str:
    """Return what makes arrays the rows of a matrix."""
    text = f"empty(({len(names)}, {names[0]}.shape[0]), {dtype}.dtype)"
    for i, item in enumerate(names):
        text = f"with_row({text}, of_one_axis({item}), {i})"
    return f"matrix({text})"


def _with_shape(arguments: list[ast.expr]) -> list[ast.expr]:
    """Return arguments of `reshape` with the sizes in one tuple."""
    sizes = arguments[1:]
    if len(sizes) == 1:
        if not isinstance(sizes[0], ast.List):
            return arguments
        sizes = sizes[0].elts
    if not sizes:
        return arguments
    return [arguments[0], ast.copy_location(ast.Tuple(sizes, ast.Load()), sizes[0])]


def _bound_arguments(
    name: str,
    parameters: dict[str, ast.expr | None],
    arguments: list[ast.expr],
    keywords: list[ast.keyword],
) -> dict[str, ast.keyword]:
    """Return the arguments by parameter, with defaults for those that are not given.

    Raises:
        Refused: the arguments do not fit.
    """
    if any(isinstance(item, ast.Starred) for item in arguments):
        raise Refused("'*' in a call cannot be used in a kernel")
    if len(arguments) > len(parameters):
        n_given = len(arguments)
        raise Refused(f"{name} takes at most {len(parameters)} arguments, {n_given} given")
    pairs = zip(parameters, arguments, strict=False)
    bound = {item: ast.keyword(item, value) for item, value in pairs}
    for keyword in keywords:
        if keyword.arg not in parameters:
            shown = "'**'" if keyword.arg is None else f"'{keyword.arg}'"
            raise Refused(f"{name} in a kernel has no {shown}", keyword)
        if keyword.arg in bound:
            raise Refused(f"'{keyword.arg}' of {name} is given twice", keyword)
        bound[keyword.arg] = keyword
    for item, default in parameters.items():
        if item in bound:
            continue
        if default is None:
            raise Refused(f"{name} needs an argument '{item}'")
        value = bound[default.id].value if isinstance(default, ast.Name) else default
        bound[item] = ast.keyword(item, value)
    return bound


def _checked_constants(
    name: str,
    parameters: dict[str, ast.expr | None],
    text: str,
    bound: dict[str, ast.keyword],
) -> dict[str, str]:
    """Return the strings that are parts of the expression.

    Raises:
        Refused: an argument of which the expression takes only some constants has another value.
    """
    strings = {}
    parsed = _parsed(text.format(side="side", mode="mode", rowvar=""))
    used = {item.id for item in ast.walk(parsed) if isinstance(item, ast.Name)}
    for item, keyword in bound.items():
        place = keyword if hasattr(keyword, "lineno") else None
        if item in _CHOICES:
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else ...
            if value not in _CHOICES[item]:
                choices = ", ".join(map(repr, _CHOICES[item]))
                raise Refused(f"'{item}' of {name} must be one of {choices}", place)
            strings[item] = _TEXTS.get(str(value), str(value))
        elif item not in used:
            default = parameters[item]
            if default is None or ast.dump(keyword.value) != ast.dump(default):
                raise Refused(f"{name} in a kernel has no '{item}'", place)
    return strings


def library_name(place: ast.expr | ast.stmt | ast.keyword, name: str, value: Any) -> LibraryName:
    """Return a name that no program has."""
    made = LibraryName(id=name, ctx=ast.Load())
    made.value = value
    return ast.copy_location(made, place)


def library_expression(
    text: str, place: ast.expr | ast.stmt, bound: dict[str, ast.expr]
) -> ast.expr:
    """Return an expression of the library's names, with others in the place of parameters."""
    made = _Substitution(place, bound).visit(copy.deepcopy(_parsed(text)))
    assert isinstance(made, ast.expr), text
    return made


def expanded_statement(statement: ast.Expr) -> ast.stmt:
    """Return the statement for `a.fill(x)` and `a.sort()`; others as they are."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        return statement
    array, name, n_arguments = call.func.value, call.func.attr, len(call.args)
    if name == "fill" and n_arguments == 1:
        target = ast.Subscript(array, ast.Slice(), ast.Store())
        ast.copy_location(target, call)
        ast.copy_location(target.slice, call)
        return ast.copy_location(ast.Assign([target], call.args[0]), statement)
    if name == "sort" and n_arguments == 0:
        made = library_expression("sorted_in_place(a)", call, {"a": array})
        return ast.copy_location(ast.Expr(made), statement)
    return statement


def masked_part(part: ast.Subscript, function: object) -> ast.Subscript:
    """Return a[np.nonzero(m)] as a[m != 0]; other subscripts as they are."""
    call = part.slice
    is_places = function is np.nonzero or function is np.where
    if not is_places or not isinstance(call, ast.Call) or call.keywords or len(call.args) != 1:
        return part
    zero = ast.copy_location(ast.Constant(0), call)
    mask = ast.copy_location(ast.Compare(call.args[0], [ast.NotEq()], [zero]), call)
    return ast.copy_location(ast.Subscript(part.value, mask, part.ctx), part)


def columns(part: ast.Subscript, is_newaxis: Callable[[ast.expr], bool]) -> ast.expr:
    """Return the matrix a[:, None] or a[None, :]; other subscripts as they are."""
    items = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
    if len(items) != 2 or not isinstance(part.ctx, ast.Load):
        return part
    sizes = ["1" if is_newaxis(item) else "-1" for item in items]
    is_whole = [isinstance(item, ast.Slice) and ast.unparse(item) == ":" for item in items]
    if sizes.count("1") != 1 or is_whole.count(True) != 1:
        return part
    text = f"reshaped(of_one_axis(a), ({', '.join(sizes)}))"
    return library_expression(text, part, {"a": part.value})


def counted_loop(loop: ast.For, function: object) -> ast.For:
    """Return a loop over `np.arange` as one over `range`; other loops as they are."""
    if function is not np.arange or not isinstance(loop.iter, ast.Call) or loop.iter.keywords:
        return loop
    callee = ast.copy_location(library_name(loop.iter, "<range>", range), loop.iter.func)
    numbers = ast.copy_location(ast.Call(callee, loop.iter.args, []), loop.iter)
    made = ast.For(loop.target, numbers, loop.body, loop.orelse)
    return ast.copy_location(made, loop)


class _Substitution(ast.NodeTransformer):
    """Puts arguments in the place of parameters; all else has the place of the call."""

    def __init__(self, call: ast.expr | ast.stmt, bound: dict[str, ast.expr]) -> None:
        self.call = call
        self.bound = bound

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return the call; for one that makes an array, with operands that are evaluated once."""
        if not isinstance(node.func, ast.Name) or node.func.id not in ("vector", "matrix"):
            return self.generic_visit(node)
        used = {item.id for item in ast.walk(node.args[0]) if isinstance(item, ast.Name)}
        held = [item for item in self.bound if item in used and not _is_plain(self.bound[item])]
        names = {item: self.library_name(str(i), _OPERAND) for i, item in enumerate(held)}
        expression = _Substitution(self.call, self.bound | names).visit(node.args[0])
        operands = [self.bound[item] for item in held]
        made = ast.Call(self.visit(node.func), [expression, *operands], [])
        return ast.copy_location(made, self.call)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Return a function of NumPy's that the expression calls, or an argument's attribute."""
        if isinstance(node.value, ast.Name) and node.value.id == "np":
            return self.library_name(f"np.{node.attr}", getattr(np, node.attr))
        node.value = self.visit(node.value)
        return ast.copy_location(node, self.call)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the argument for a parameter, or a name of the library's."""
        if node.id in self.bound:
            return self.bound[node.id]
        # Imported at its first use, because the functions' sources are read then.
        modules = [import_module(f"numpy_plugin._frontend.{name}") for name in _LIBRARY]
        home = next(module for module in modules if hasattr(module, node.id))
        return self.library_name(node.id, getattr(home, node.id))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit the children."""
        made = super().generic_visit(node)
        if isinstance(made, ast.expr):
            ast.copy_location(made, self.call)
        return made

    def library_name(self, name: str, value: Any) -> LibraryName:
        """Return a name with the place of the call."""
        return library_name(self.call, f"<{name}>", value)


# The value of names that stand for operands evaluated before.
_OPERAND = Refused("an operand has no value here")


def _is_plain(node: ast.expr) -> bool:
    """Whether an argument may be evaluated several times: a name, a constant or an attribute."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))
