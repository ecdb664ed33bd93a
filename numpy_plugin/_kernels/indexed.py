"""Calls of kernels over whole arrays: CuPy's with `raw` operands and the like, and PyCUDA's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin import _core
from numpy_plugin._cuda.spaces import DeviceSpace, HostSpace, Space
from numpy_plugin._kernels.options import CompilerOptions
from numpy_plugin._kernels.parameters import Parameter, resolve

__all__ = [
    "Operation",
    "Prepared",
    "compile_operation",
    "index_shape",
    "placeholders",
    "prepare",
    "run",
]

#: Threads in a block, where the call gives no number.
BLOCK_SIZE = 128


class Operation(NamedTuple):
    """An operation, before the types of a call are known; inputs come first."""

    name: str
    parameters: list[Parameter]
    n_inputs: int
    text: str
    preamble: str
    loop_prep: str
    after_loop: str
    options: CompilerOptions
    compiled: dict[tuple[Any, ...], Any]
    before_element: str = ""
    aliases: Sequence[tuple[str, str]] = ()

    def is_written(self, number: int) -> bool:
        """Whether the kernel may write a parameter."""
        parameter = self.parameters[number]
        return number >= self.n_inputs or (parameter.is_pointer and not parameter.is_const)


class Prepared(NamedTuple):
    """A call's arguments: arrays of the parameters' dtypes and Python's or NumPy's numbers."""

    arguments: list[Any]
    dtypes: list[str]
    roles: list[str]


def index_shape(
    operation: Operation, arguments: Sequence[Any], roles: Sequence[str], size: int | None
) -> tuple[int, ...]:
    """Return the shape that a kernel runs over: that of its elements, or the given size.

    Raises:
        ValueError: neither is known, both are given, or shapes do not match.
    """
    shapes = [
        each.shape
        for each, role in zip(arguments, roles, strict=True)
        if role in ("element", "output")
    ]
    if size is not None:
        if shapes:
            raise ValueError(
                f"'size' of '{operation.name}' can be specified only if every array is 'raw'"
            )
        return (size,)
    if not shapes:
        raise ValueError(
            f"Loop size of '{operation.name}' is undecided: every array is 'raw'; pass size="
        )
    return np.broadcast_shapes(*shapes)


def run(
    operation: Operation,
    space: Space,
    prepared: Prepared,
    shape: tuple[int, ...],
    *,
    flattens: bool = True,
    block_size: int = BLOCK_SIZE,
    stream: Any = None,
) -> None:
    """Run an operation for every index of a shape."""
    is_flat = flattens and all(
        space.is_contiguous(each) and each.shape == shape
        for each, role in zip(prepared.arguments, prepared.roles, strict=True)
        if role in ("element", "output")
    )
    sizes = (math.prod(shape),) if is_flat or not shape else shape
    arguments = [
        _placed(each, role, sizes)
        for each, role in zip(prepared.arguments, prepared.roles, strict=True)
    ]
    kernel = _kernel(operation, space, prepared._replace(arguments=arguments), len(sizes))
    given = [*arguments, *map(np.int64, sizes)]
    space.run(kernel, given, math.prod(sizes), block_size, stream)


def _placed(argument: Any, role: str, sizes: tuple[int, ...]) -> Any:
    """Return an argument with the dimensions that the kernel expects."""
    if role == "scalar":
        return argument
    if role in ("raw", "pointer"):
        return argument.reshape(1) if argument.ndim == 0 else argument
    if argument.size == math.prod(sizes):
        return argument if argument.shape == sizes else argument.reshape(sizes)
    return np.broadcast_to(argument, sizes)


def _kernel(operation: Operation, space: Space, prepared: Prepared, n_dimensions: int) -> Any:
    """Return the kernel for these types and dimensions, compiled at first use."""
    arguments, dtypes, roles = prepared
    dimensions = [
        0 if role == "scalar" else each.ndim for each, role in zip(arguments, roles, strict=True)
    ]
    key = (isinstance(space, HostSpace), n_dimensions, *dtypes, *roles, *dimensions)
    if key not in operation.compiled:
        native = _native(operation, n_dimensions)
        native.set_operands(
            [
                (parameter.name, dtypes[i], dimensions[i], roles[i], operation.is_written(i))
                for i, parameter in enumerate(operation.parameters)
            ]
        )
        aliases = [*placeholders(operation.parameters, dtypes), *operation.aliases]
        native.set_aliases(aliases)
        fast = ["--use_fast_math"] if operation.options.is_fast else []
        operation.compiled[key] = space.compile(native, operation.options.others + fast)
    return operation.compiled[key]


def compile_operation(operation: Operation, arch: str) -> None:
    """Compile an operation, with float64 for placeholders, for an architecture; "": for the CPU.

    Raises:
        CompilerError: the compiler rejected it.
    """
    parameters = operation.parameters
    dtypes = ["float64" if each.is_placeholder else each.type for each in parameters]
    has_pointers = any(each.is_pointer for each in parameters)
    roles = [_role_of_array(operation, number, has_pointers) for number in range(len(parameters))]
    arrays = [np.empty(0, dtype) for dtype in dtypes]
    space: Space = DeviceSpace(None) if arch else HostSpace()
    kernel = _kernel(operation, space, Prepared(arrays, dtypes, roles), 1)
    if arch:
        kernel.compile(arch)


def _role_of_array(operation: Operation, number: int, has_pointers: bool) -> str:
    """Return the role of a parameter for which an array is given, if it takes one."""
    is_number = has_pointers and not operation.parameters[number].is_pointer
    return "scalar" if is_number else _role(operation, number, None)


def _native(operation: Operation, n_dimensions: int) -> _core.IndexedOperation:
    native = _core.IndexedOperation()
    native.name = operation.name
    native.preamble = operation.options.defines + operation.preamble
    native.text = operation.text
    native.before_loop = operation.loop_prep
    native.after_loop = operation.after_loop
    native.before_element = operation.before_element
    native.n_dimensions = n_dimensions
    return native


def placeholders(parameters: Sequence[Parameter], dtypes: Sequence[str]) -> list[tuple[str, str]]:
    """Return each type placeholder with its dtype's name."""
    return list(
        {
            parameter.type: dtype
            for parameter, dtype in zip(parameters, dtypes, strict=True)
            if parameter.is_placeholder
        }.items()
    )


def prepare(operation: Operation, space: Space, arguments: Sequence[Any]) -> Prepared:
    """Return arguments with the parameters' dtypes; None stands for an output to be made.

    Raises:
        TypeError: a type does not fit its parameter.
    """
    given = [_argument(operation, space, *item) for item in enumerate(arguments)]
    dtypes = resolve(operation.name, operation.parameters, operation.n_inputs, given)
    roles = [_role(operation, number, each) for number, each in enumerate(given)]
    for number, (each, dtype, role) in enumerate(zip(given, dtypes, roles, strict=True)):
        if role == "scalar":
            given[number] = np.asarray(each, dtype)[()]
        elif each is not None and each.dtype != dtype:
            if operation.is_written(number):
                raise TypeError(
                    f"'{operation.parameters[number].name}' of '{operation.name}' is {dtype}, "
                    f"found an array of {each.dtype}"
                )
            given[number] = each.astype(dtype)
    return Prepared(given, dtypes, roles)


def _argument(operation: Operation, space: Space, number: int, value: Any) -> Any:
    parameter = operation.parameters[number]
    if value is None:
        return None
    if number >= operation.n_inputs:
        return space.output(value)
    if type(value) in (bool, int, float, complex) or isinstance(value, np.generic):
        if parameter.is_pointer:
            raise TypeError(
                f"'{parameter.name}' of '{operation.name}' takes an array, "
                f"found {type(value).__name__}"
            )
        return value
    if parameter.is_pointer:
        array = space.output(value) if operation.is_written(number) else space.array(value)
        if not space.is_contiguous(array):
            raise ValueError(
                f"'{parameter.name}' of '{operation.name}' takes a contiguous array; "
                "copy it, or use the parameter list of CuPy"
            )
        return array
    return space.array(value)


def _role(operation: Operation, number: int, argument: Any) -> str:
    parameter = operation.parameters[number]
    if parameter.is_pointer:
        return "pointer"
    if isinstance(argument, (bool, int, float, complex, np.generic)):
        return "scalar"
    if parameter.is_raw:
        return "raw"
    return "output" if number >= operation.n_inputs else "element"
