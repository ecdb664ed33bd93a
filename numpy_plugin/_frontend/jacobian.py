"""`jacobian`: the generalized ufunc of a generalized ufunc's derivatives by one operand."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.bindings import device_binding, function_binding
from numpy_plugin._frontend.declare import Options, parameter_names
from numpy_plugin._frontend.derivatives import check_kernel, declared, find_operand, loop_options
from numpy_plugin._frontend.options import GeneralizedOptions, checked_options
from numpy_plugin._frontend.syntax import (
    FunctionData,
    moved_syntax,
    text_syntax,
    with_derivatives,
    with_parameters,
)

__all__ = ["jacobian"]

#: Columns that are computed at once, which share the values.
_BLOCK = 4


class _Core(NamedTuple):
    """A generalized kernel: its parameters, and the core dimensions of each."""

    inputs: list[str]
    outputs: list[str]
    dimensions: dict[str, list[str]]


@without_own_frames
def jacobian(f: np.ufunc, wrt: str | int = 0) -> np.ufunc:
    """Return the generalized ufunc of the derivatives of all results by all elements of an operand.

    For `f` of layout `(n)->(m)` it has the layout `(n)->(m,n)`: element i, j is the derivative of
    result i by element j. By an operand without core dimensions it has the results' own shapes.

    Args:
        f: a generalized ufunc that `guvectorize` made of a Python function.
        wrt: the operand, by its name or its index, of float32, float64, complex64 or complex128.

    Returns:
        A generalized ufunc with the inputs, signatures and options of `f`; each result has the
        operand's core dimensions behind its own.

    Raises:
        TypeError: `f` is not such a ufunc, or changes its inputs.
        ValueError: `wrt` is not an operand.
        KernelError: the kernel has no derivative, as for `derivative`.
    """
    check_kernel("jacobian", f)
    if f.signature is None:
        message = f"jacobian takes a generalized ufunc, '{f.__name__}' works on numbers"
        raise mistaken(TypeError, message, "npp.gradient has all its derivatives", "f")
    data = declared(f)[0]
    if data["writable_args"]:
        message = f"jacobian takes a ufunc that keeps its inputs, '{f.__name__}' changes them"
        raise mistaken(TypeError, message, "store to outputs instead", "f")
    core = _core(f)
    operand = find_operand(f, core.inputs, wrt)
    name = f"{f.__name__}_jacobian"
    doc = f"The derivatives of {f.__name__} by the elements of {operand}."
    options = {"name": name, "doc": doc, "writable_args": (), **loop_options(f)}
    made = Options(
        None if data["signatures"] is None else list(f.types),
        _layout(core, operand),
        **checked_options("jacobian", GeneralizedOptions, options),
    )
    made.check()
    return made.from_syntax(_syntax(name, data["syntax"], core, operand), name, doc)


def _core(f: np.ufunc) -> _Core:
    names = parameter_names(declared(f)[0]["syntax"])
    shapes = re.findall(r"\(([^)]*)\)", str(f.signature))
    dimensions = {
        name: [each for each in shape.split(",") if each]
        for name, shape in zip(names, shapes, strict=True)
    }
    return _Core(names[: f.nin], names[f.nin :], dimensions)


def _layout(core: _Core, operand: str) -> str:
    def shape(name: str, more: list[str]) -> str:
        return f"({','.join([*core.dimensions[name], *more])})"

    inputs = ",".join(shape(each, []) for each in core.inputs)
    return f"{inputs}->{','.join(shape(each, core.dimensions[operand]) for each in core.outputs)}"


def _syntax(name: str, function: FunctionData, core: _Core, operand: str) -> FunctionData:
    """Return the kernel, the function with one tangent, and that with a block of them."""
    names = [*core.inputs, *core.outputs]
    blocks = (1, _BLOCK) if core.dimensions[operand] else (1,)
    lines = _lines(core, operand)
    known = {"np.empty": "numpy.empty", "np.zeros_like": "numpy.zeros_like"}
    known["range"] = "builtins.range"
    bindings = {name: function_binding(qualified) for name, qualified in known.items()}
    functions: list[Any] = []
    for size in blocks:
        index = 1 + len(functions)
        bindings[f"tangents_{size}_"] = device_binding(f"tangents_{size}_", index)
        functions += moved_syntax(_tangents(function, core, operand, size), index)
    return (*text_syntax(name, names, lines, bindings), *functions)


def _tangents(function: FunctionData, core: _Core, operand: str, size: int) -> FunctionData:
    """Return the function that stores its results and their tangents, by as many directions."""
    names = [*core.inputs, *core.outputs]
    columns = range(size)
    own = [operand, *core.outputs]
    added = [f".d{column}_{name}" for name in own for column in columns]
    carried = [
        (names.index(name), column, len(names) + added.index(f".d{column}_{name}"))
        for name in own
        for column in columns
    ]
    return with_derivatives(with_parameters(function, added), ((), (), tuple(carried)))


def _lines(core: _Core, operand: str) -> list[str]:
    depth = len(core.dimensions[operand])
    lines = [_scratch(core, name, operand) for name in core.outputs]
    values = [*core.inputs, *(f"value_{name}" for name in core.outputs)]
    if depth == 0:
        views = [name if core.dimensions[name] else f"{name}[:1]" for name in core.outputs]
        seed = f"{operand}.dtype.type(1)"
        return [*lines, f"tangents_1_({', '.join([*values, seed, *views])})"]
    lines += [f"seed_{column} = np.zeros_like({operand})" for column in range(_BLOCK)]
    lines += _outer_loops(operand, depth)
    return lines + _column_loops(core, operand, values, "    " * (depth - 1))


def _scratch(core: _Core, name: str, operand: str) -> str:
    sizes = [f"{name}.shape[{axis}]" for axis in range(len(core.dimensions[name]))] or ["1"]
    return f"value_{name} = np.empty(({', '.join(sizes)},), {name}.dtype)"


def _outer_loops(operand: str, depth: int) -> list[str]:
    return [
        f"{'    ' * axis}for i_{axis} in range({operand}.shape[{axis}]):"
        for axis in range(depth - 1)
    ]


def _column_loops(core: _Core, operand: str, values: list[str], indent: str) -> list[str]:
    """Return the loop over blocks of the last dimension, and that over the columns left."""
    axis = len(core.dimensions[operand]) - 1
    outer = [f"i_{each}" for each in range(axis)]
    lines = ["column_ = 0"]
    for size in (_BLOCK, 1):
        seeds = [f"seed_{column}" for column in range(size)]
        places = [f"[{', '.join([*outer, f'column_ + {column}'])}]" for column in range(size)]
        views = [
            _view(core, name, outer, f"column_ + {column}")
            for name in core.outputs
            for column in range(size)
        ]
        pairs = list(zip(seeds, places, strict=True))
        lines += [
            f"while column_ + {size} <= {operand}.shape[{axis}]:",
            *(f"    {seed}{place} = 1" for seed, place in pairs),
            f"    tangents_{size}_({', '.join([*values, *seeds, *views])})",
            *(f"    {seed}{place} = 0" for seed, place in pairs),
            f"    column_ += {size}",
        ]
    return [indent + line for line in lines]


def _view(core: _Core, name: str, outer: list[str], column: str) -> str:
    """Return the part of a result for one column: an array, of one element for a number."""
    own = [":"] * len(core.dimensions[name])
    last = column if own else f"{column}:{column} + 1"
    return f"{name}[{', '.join([*own, *outer, last])}]"
