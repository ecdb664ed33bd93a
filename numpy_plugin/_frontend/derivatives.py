"""`derivative` and its kin: ufuncs of the exact derivatives of another ufunc's kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from numpy_plugin import _core
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.bindings import bind_ufunc
from numpy_plugin._frontend.declare import (
    DeclarationData,
    Options,
    make_ufunc,
    parameter_names,
    vectorize,
)
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.options import KernelOptions, checked_options
from numpy_plugin._frontend.syntax import (
    FunctionData,
    function_syntax,
    n_derivatives,
    text_syntax,
    with_derivatives,
)

__all__ = [
    "Differentiable",
    "check_kernel",
    "declared",
    "derivative",
    "device_function",
    "find_operand",
    "gradient",
    "hessian",
    "loop_options",
    "propagate",
    "syntax_of",
    "value_and_derivative",
]

#: Stands for the function's own result where a direction is asked for.
_VALUE = -1
#: The most operands whose second derivatives NumPy's 64 operands have room for.
_MOST_OF_HESSIAN = 8
_MOST_ORDERS = 4
_OF_DEVICE_FUNCTIONS = ("derivative", "value_and_derivative", "gradient")

Differentiable = TypeVar("Differentiable", np.ufunc, DeviceFunction[..., Any])

# Results of a function, each with the number of an operand, or _VALUE.
_Parts = list[tuple[int, int]]
# The operands to differentiate by, and the parts.
_Row = tuple[list[int], _Parts]


@without_own_frames
def derivative(f: Differentiable, wrt: str | int, order: int = 1) -> Differentiable:
    """Return the ufunc of a partial derivative of another ufunc.

    The derivative is computed by the chain rule, exactly, with the kernel's own arithmetic: of the
    branch that is taken, and of the trips that a loop makes. Of `min` and `max` at a tie it is the
    first operand's, of `clip` the bound's; of `abs` at 0, of `floor`, `round` and comparisons it
    is 0.

    Args:
        f: a ufunc that `vectorize`, `fuse` or `compose` made of a Python function, or a device
            function with one result, for kernels to call.
        wrt: the operand, by its name or its index: a float32, float64, complex64 or complex128.
        order: how often to differentiate by it, 1 to 4. Mixed derivatives are those of derivatives.

    Returns:
        A ufunc with the signatures, options and operands of `f`, named as `f` with "_dx" for an
        operand x; it returns a derivative for each result of `f`. Of a device function, one.

    Raises:
        TypeError: `f` is no such function.
        ValueError: `wrt` is not an operand, or `order` is out of range.
        KernelError: the kernel has no derivative: it prints, sorts, calls a function without a
            derivative, or the operand or the result is no such number; for a ufunc without
            signatures at the first call of such types.
    """
    operand = _operand("derivative", f, wrt)
    if type(order) is not int or not 1 <= order <= _MOST_ORDERS:
        message = f"order must be an int from 1 to {_MOST_ORDERS}, found {order!r}"
        raise mistaken(ValueError, message, "", "order")
    name = _names(f)[operand]
    parts = [(result, 0) for result in range(_n_results(f))]
    suffix = f"_d{name}"
    shown = f"The derivative of {f.__name__}{suffix * (order - 1)} by {name}."
    return _differentiated(f, [([operand], parts)] * order, suffix * order, shown)


@without_own_frames
def value_and_derivative(f: Differentiable, wrt: str | int) -> Differentiable:
    """Return the ufunc of a ufunc's results and of their derivatives, in one pass.

    Args:
        f: a ufunc, as for `derivative`.
        wrt: the operand, by its name or its index.

    Returns:
        A ufunc that returns the results of `f`, then a derivative for each.

    Raises:
        TypeError, ValueError, KernelError: as `derivative`.
    """
    operand = _operand("value_and_derivative", f, wrt)
    results: Iterable[int] = range(_n_results(f))
    parts = [*((each, _VALUE) for each in results), *((each, 0) for each in results)]
    name = _names(f)[operand]
    shown = f"The results of {f.__name__} and their derivatives by {name}."
    return _differentiated(f, [([operand], parts)], f"_and_d{name}", shown)


@without_own_frames
def gradient(f: Differentiable) -> Differentiable:
    """Return the ufunc of all partial derivatives of a ufunc with one result.

    Args:
        f: a ufunc, as for `derivative`; all its operands are numbers that have derivatives.

    Returns:
        A ufunc that returns a derivative by each operand, in their order.

    Raises:
        TypeError: `f` is not such a ufunc, or has several results.
        KernelError: as `derivative`.
    """
    _check_function("gradient", f, one_result=True)
    names = _names(f)
    operands = list(range(len(names)))
    shown = f"The partial derivatives of {f.__name__} by {', '.join(names)}."
    return _differentiated(f, [_gradient_row(operands)], "_gradient", shown)


@without_own_frames
def hessian(f: np.ufunc) -> np.ufunc:
    """Return the ufunc of all second partial derivatives of a ufunc with one result.

    Args:
        f: a ufunc, as for `derivative`, with at most 8 operands.

    Returns:
        A ufunc that returns the upper triangle of the Hessian by rows. For operands x and y these
        are the derivatives by x and x, x and y, y and y.

    Raises:
        TypeError: `f` is not such a ufunc, or has several results or more than 8 operands.
        KernelError: as `derivative`.
    """
    _check_function("hessian", f, one_result=True)
    if f.nin > _MOST_OF_HESSIAN:
        message = (
            f"hessian takes a ufunc of at most {_MOST_OF_HESSIAN} operands, "
            f"'{f.__name__}' has {f.nin}"
        )
        raise mistaken(TypeError, message, "npp.derivative twice gives one element", "f")
    operands = list(range(f.nin))
    parts = [(row, column) for row in operands for column in operands[row:]]
    shown = f"The second partial derivatives of {f.__name__} by {', '.join(_names(f))}."
    return _differentiated(f, [_gradient_row(operands), (operands, parts)], "_hessian", shown)


@without_own_frames
def propagate(f: np.ufunc, *, correlation: Sequence[tuple[str, str]] = ()) -> np.ufunc:
    """Return the ufunc that propagates standard uncertainties through a ufunc, to first order.

    Args:
        f: a ufunc, as for `gradient`.
        correlation: pairs of operands whose errors are correlated; others are independent.

    Returns:
        A ufunc of the operands of `f`, their standard deviations in the same order, and the
        coefficient of correlation of each pair; it returns the result of `f` and its standard
        deviation, the root of the sum of (df/dx * s_x)**2, and of 2 * r * df/dx * df/dy * s_x * s_y
        for each pair (GUM, JCGM 100:2008, 5.1.2 and 5.2.2).

    Raises:
        TypeError: `f` is not such a ufunc, or has several results.
        ValueError: a pair names something else than two operands.
        KernelError: as `derivative`.
    """
    _check_function("propagate", f, one_result=True)
    names = _names(f)
    pairs = [_pair(f, names, pair) for pair in correlation]
    operands = list(range(f.nin))
    parts = [(0, _VALUE), *((0, each) for each in operands)]
    slopes = _differentiated(f, [(operands, parts)], "_and_gradient", "")
    deviations = [f"s_{name}" for name in names]
    coefficients = [f"r_{names[left]}_{names[right]}" for left, right in pairs]
    own = f"{f.__name__}_propagated"
    shown = f"The result of {f.__name__} and its standard deviation."
    types = _propagated_types(f, len(pairs))
    options: dict[str, Any] = {"name": own, "doc": shown, **loop_options(f)}
    declared = Options(types, None, **checked_options("propagate", KernelOptions, options))
    declared.check()
    syntax = text_syntax(
        own,
        [*names, *deviations, *coefficients],
        _propagated_lines(names, deviations, coefficients, pairs),
        {"slopes_": bind_ufunc(slopes), "sqrt_": bind_ufunc(np.sqrt)},
    )
    return declared.from_syntax(syntax, own, shown)


def _propagated_lines(
    names: list[str],
    deviations: list[str],
    coefficients: list[str],
    pairs: list[tuple[int, int]],
) -> list[str]:
    terms = [f"t{each}_" for each in range(len(names))]
    slopes = ", ".join(f"d{each}_" for each in range(len(names)))
    lines = [f"value_, {slopes} = slopes_({', '.join(names)})"]
    for number, (term, deviation) in enumerate(zip(terms, deviations, strict=True)):
        lines.append(f"{term} = d{number}_ * {deviation}")
    squares = [f"{term} * {term}" for term in terms]
    products = [
        f"2 * {coefficient} * {terms[left]} * {terms[right]}"
        for coefficient, (left, right) in zip(coefficients, pairs, strict=True)
    ]
    lines.append(f"return value_, sqrt_({' + '.join([*squares, *products])})")
    return lines


def _propagated_types(f: np.ufunc, n_pairs: int) -> list[str] | None:
    if declared(f)[0].get("signatures") is None:
        return None
    types = []
    for text in f.types:
        inputs, result = text.split("->")
        types.append(f"{inputs}{inputs}{inputs[0] * n_pairs}->{result}{result}")
    return types


def _pair(f: np.ufunc, names: list[str], pair: Any) -> tuple[int, int]:
    is_pair = isinstance(pair, tuple) and len(pair) == 2 and pair[0] != pair[1]
    if not is_pair or not set(pair) <= set(names):
        message = f"correlation has pairs of operands of '{f.__name__}', found {pair!r}"
        raise mistaken(ValueError, message, f"it has {', '.join(names)}", "correlation")
    return names.index(pair[0]), names.index(pair[1])


def loop_options(f: np.ufunc) -> dict[str, Any]:
    """Return the options of a ufunc's loops, which those made of it have, too."""
    data = declared(f)[0]
    options = {name: data[name] for name in ("target", "math", "cache")}
    return {**options, "fastmath": set(data["fastmath"])}


def declared(f: np.ufunc) -> tuple[DeclarationData, object, dict[str, str]]:
    """Return a ufunc's declaration, its identity and its attributes."""
    made_from: tuple[DeclarationData, object, dict[str, str]] = f.__dict__["_made_from"]
    return made_from


def syntax_of(f: np.ufunc | DeviceFunction[..., Any]) -> FunctionData:
    """Return the syntax of a ufunc's kernel, or of a device function."""
    if isinstance(f, DeviceFunction):
        return function_syntax(f)
    syntax: FunctionData = declared(f)[0]["syntax"]
    return syntax


def _names(f: np.ufunc | DeviceFunction[..., Any]) -> list[str]:
    return parameter_names(syntax_of(f))


def _n_results(f: np.ufunc | DeviceFunction[..., Any]) -> int:
    return 1 if isinstance(f, DeviceFunction) else f.nout


def check_kernel(function: str, f: object) -> None:
    """Raise a TypeError for what has no kernel in Python."""
    if not isinstance(f, np.ufunc):
        hint = "make the function a ufunc with npp.vectorize" if callable(f) else ""
        raise mistaken(TypeError, wrong_class("f", "a ufunc", f), hint, "f")
    own = getattr(f, "__dict__", {}).get("_made_from")
    if own is None:
        message = f"{function} takes a ufunc of this package, found '{f.__name__}'"
        hint = "call it in a function of your own: npp.vectorize(lambda x: np.sin(x))"
        raise mistaken(TypeError, message, hint, "f")
    if "syntax" not in own[0]:
        message = f"{function} takes a ufunc of a Python function, '{f.__name__}' has a C++ body"
        hint = "its text is not read here: write the kernel in Python"
        raise mistaken(TypeError, message, hint, "f")
    if "records" in own[0]:
        message = f"{function} takes a ufunc of numbers, '{f.__name__}' works on records"
        raise mistaken(TypeError, message, "pass the fields as operands", "f")


def _check_function(
    function: str, f: np.ufunc | DeviceFunction[..., Any], *, one_result: bool = False
) -> None:
    if isinstance(f, DeviceFunction) and function in _OF_DEVICE_FUNCTIONS:
        return
    check_kernel(function, f)
    ufunc: Any = f
    if ufunc.signature is not None:
        message = (
            f"{function} takes a ufunc of numbers, '{f.__name__}' works on core arrays "
            f"{ufunc.signature}"
        )
        raise mistaken(TypeError, message, "npp.jacobian differentiates it", "f")
    if one_result and ufunc.nout != 1:
        message = f"{function} takes a ufunc with one result, '{f.__name__}' has {ufunc.nout}"
        raise mistaken(TypeError, message, "npp.derivative differentiates every result", "f")


def _operand(function: str, f: np.ufunc | DeviceFunction[..., Any], wrt: object) -> int:
    _check_function(function, f)
    names = _names(f)
    return names.index(find_operand(f, names, wrt))


def find_operand(f: np.ufunc | DeviceFunction[..., Any], names: list[str], wrt: object) -> str:
    """Return the name of an operand that is given by its name or its index.

    Raises:
        TypeError: it is neither.
        ValueError: there is no such operand.
    """
    if type(wrt) is int and -len(names) <= wrt < len(names):
        return names[wrt]
    if isinstance(wrt, str) and wrt in names:
        return wrt
    if not isinstance(wrt, str | int):
        hint = f"the operands are {', '.join(names)}"
        raise mistaken(TypeError, wrong_class("wrt", "a name or an index", wrt), hint, "wrt")
    near = _core.nearest(wrt, names) if isinstance(wrt, str) else ""
    hint = f"did you mean '{near}'?" if near else f"it has {', '.join(names)}"
    raise mistaken(ValueError, f"'{f.__name__}' has no operand {wrt!r}", hint, "wrt")


def _gradient_row(operands: list[int]) -> _Row:
    return operands, [(0, each) for each in operands]


def _differentiated(f: Differentiable, rows: list[_Row], suffix: str, doc: str) -> Differentiable:
    """Return the function of parts of a function's results and derivatives.

    Each row differentiates what the one before it makes; only the last one's function is compiled.
    """
    syntax = syntax_of(f)
    order = n_derivatives(syntax)
    if order + len(rows) > _MOST_ORDERS:
        is_last = order == _MOST_ORDERS
        limit = "the highest there is" if is_last else f"{_MOST_ORDERS} is the highest"
        message = f"'{f.__name__}' is of order {order}, {limit}"
        raise mistaken(ValueError, message, "", "f")
    for operands, parts in rows:
        syntax = with_derivatives(syntax, (tuple(operands), tuple(parts), ()))
    name = f.__name__ + suffix
    if isinstance(f, DeviceFunction):
        return device_function(syntax, name, f.__module__, doc, _Called(f, rows, suffix, doc))
    data, _, attributes = declared(f)
    made = {**data, "name": name, "doc": doc, "syntax": syntax}
    qualified = attributes["__qualname__"].rpartition(".")[0]
    own = {**attributes, "__qualname__": f"{qualified}.{name}" if qualified else name}
    return make_ufunc(made, None, own)


def device_function(
    syntax: FunctionData, name: str, module: str, doc: str, called: Callable[..., Any]
) -> DeviceFunction[..., Any]:
    """Return a device function of a syntax, for which Python calls another function."""
    from numpy_plugin._frontend.pickle import rebuild_device_function

    made = rebuild_device_function(syntax, name, name, module, doc)
    made.__wrapped__ = called
    return made


class _Called:
    """What Python calls as a derivative of a device function: the same of a ufunc."""

    def __init__(self, *made_from: Any) -> None:
        self.made_from = made_from
        self.ufunc: np.ufunc | None = None

    def __call__(self, *args: object) -> Any:
        return self.made()(*args)

    def made(self) -> np.ufunc:
        if self.ufunc is None:
            f, rows, suffix, doc = self.made_from
            inner = f.__wrapped__
            base: Any = inner.made() if isinstance(inner, _Called) else vectorize(inner)
            ufunc: np.ufunc = _differentiated(base, rows, suffix, doc)
            self.ufunc = ufunc
            return ufunc
        return self.ufunc
