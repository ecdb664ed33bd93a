"""`ReductionKernel`: CuPy's and PyCUDA's reductions, over `npp.reduction`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, get_overloads, overload

import numpy as np
import numpy.typing as npt

from numpy_plugin._cuda.spaces import space_of
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._kernels.indexed import Operation
from numpy_plugin._kernels.options import (
    CompilerOptions,
    bound,
    check_text,
    read_options,
)
from numpy_plugin._kernels.parameters import (
    Parameter,
    check_names,
    parse,
    resolve,
    type_name,
    wrong_count,
)
from numpy_plugin._kernels.reduction_definition import Definition
from numpy_plugin._kernels.reduction_steps import OfElements, OfStored, make_steps

__all__ = ["ReductionKernel"]


class ReductionKernel:
    """A reduction in C++, as CuPy and PyCUDA declare it.

    `ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")` maps each element,
    combines the values `a` and `b`, and assigns the outputs from the last `a`. PyCUDA's is
    `ReductionKernel(np.float32, neutral="0", reduce_expr="a + b", map_expr="x[i] * y[i]",
    arguments="float *x, float *y")`.

    Attributes:
        name: the kernel's name.
        nin: the number of inputs.
        nout: the number of outputs.
        nargs: the number of parameters.
    """

    __module__ = "numpy_plugin"

    @overload
    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: object,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Iterable[str] = (),
    ) -> None: ...
    @overload
    def __init__(
        self,
        dtype_out: npt.DTypeLike,
        neutral: object,
        reduce_expr: str,
        map_expr: str | None = None,
        arguments: str | None = None,
        name: str = "reduce_kernel",
        keep: bool = False,
        options: Iterable[str] = (),
        preamble: str = "",
    ) -> None: ...
    @without_own_frames
    def __init__(self, *declared: Any, **keywords: Any) -> None:
        """Declare a reduction; it is compiled for the types of each call.

        Args:
            *declared: CuPy's `in_params`, `out_params`, `map_expr`, `reduce_expr`, `post_map_expr`,
                `identity`, `name`, `reduce_type`, `reduce_dims`, `preamble` and `options`; or
                PyCUDA's `dtype_out`, `neutral`, `reduce_expr`, `map_expr`, `arguments`, `name`,
                `keep`, `options` and `preamble`. An identity is a number or a C++ expression;
                without one, reductions of no elements are errors. Values have the type
                `reduce_type`, by default that of the first output. Of NVRTC's options, `-D`,
                `-std` and `--use_fast_math` are taken. `reduce_dims` and `keep` have no effect.
            **keywords: the same by name.

        Raises:
            SignatureError: a parameter list is malformed; the message underlines the place.
            TypeError: an argument is missing or has the wrong class.
        """
        is_pycudas = bool(
            keywords.keys() & {"dtype_out", "neutral", "arguments"}
            or (declared and not isinstance(declared[0], str))
        )
        given = bound(_OVERLOADS[is_pycudas], "ReductionKernel", declared, keywords)
        definition = _read_pycudas(given) if is_pycudas else _read_cupys(given)
        self._definition = definition
        self._compiled: dict[tuple[str, ...], OfElements | OfStored] = {}
        self.name = definition.name
        self.nin = len(definition.inputs)
        self.nout = len(definition.outputs)
        self.nargs = self.nin + self.nout

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes; a pickled kernel is compiled again, or found in the cache."""
        return {**self.__dict__, "_compiled": {}}

    def __repr__(self) -> str:
        """Return the kernel's name."""
        return f"<reduction kernel '{self.name}'>"

    @without_own_frames
    def __call__(
        self,
        *args: Any,
        out: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        stream: Any = None,
    ) -> Any:
        """Reduce the inputs, broadcast against each other, on their device or on the CPU.

        Args:
            *args: the inputs, and the outputs if they are given.
            out: an array for the result, or a tuple of them.
            axis: the axis or axes that are reduced; None: all of them.
            keepdims: keep reduced axes with size 1.
            stream: of a launch on a device; None: this thread's.

        Returns:
            The result, or a tuple of results.

        Raises:
            TypeError: the number of arguments is wrong, or types do not fit the parameters.
            ValueError: shapes do not match, or there is no element and no identity.
        """
        definition = self._definition
        parameters = [*definition.inputs, *definition.outputs]
        if len(args) not in (self.nin, self.nargs):
            raise wrong_count(self.name, parameters, self.nin, len(args))
        outputs = args[self.nin :] or (out if isinstance(out, tuple) else (out,) * self.nout)
        space = space_of(args)
        operands = [each if _is_number(each) else space.array(each) for each in args[: self.nin]]
        given = [each if each is None else space.output(each) for each in outputs]
        dtypes = resolve(self.name, parameters, self.nin, [*operands, *given])
        operands = [_cast(each, dtype) for each, dtype in zip(operands, dtypes, strict=False)]
        found = self._steps(dtypes)
        with contextlib.nullcontext() if stream is None else stream:
            return found(operands, axis, keepdims, outputs)

    def parts_of_float64(self) -> list[np.ufunc | Operation]:
        """Return what is compiled for float64 in the place of placeholders."""
        parameters = [*self._definition.inputs, *self._definition.outputs]
        dtypes = ["float64" if each.is_placeholder else each.type for each in parameters]
        return self._steps(dtypes).parts()

    def _steps(self, dtypes: list[str]) -> OfElements | OfStored:
        """Return the steps for these types of the parameters."""
        key = tuple(dtypes)
        if key not in self._compiled:
            self._compiled[key] = make_steps(self._definition, dtypes)
        return self._compiled[key]


#: CuPy's declaration, and PyCUDA's.
_OVERLOADS = get_overloads(ReductionKernel.__init__)


def _read_cupys(given: dict[str, Any]) -> Definition:
    inputs, outputs = (parse(each, given[each]) for each in ("in_params", "out_params"))
    _check_parameters(inputs, outputs)
    post, kind = given["post_map_expr"], given["reduce_type"]
    return _definition(
        given,
        inputs=inputs,
        outputs=outputs,
        map=_expression("map_expr", given["map_expr"]),
        post=check_text("post_map_expr", post).strip() or f"{outputs[0].name} = a",
        identity=given["identity"],
        reduce_type=outputs[0].type if kind is None else type_name("reduce_type", kind),
    )


def _read_pycudas(given: dict[str, Any]) -> Definition:
    out = type_name("dtype_out", given["dtype_out"])
    inputs, mapped = _pycudas_inputs(out, given["arguments"], given["map_expr"])
    outputs = [Parameter("npp_result", out, False, False, False, False)]
    _check_parameters(inputs, outputs)
    return _definition(
        given,
        inputs=inputs,
        outputs=outputs,
        map=_expression("map_expr", mapped),
        post="npp_result = a",
        identity=given["neutral"],
        reduce_type=out,
    )


def _definition(given: dict[str, Any], **read: Any) -> Definition:
    """Return a definition of what both declarations have, and of what was read of one."""
    return Definition(
        name=check_text("name", given["name"]),
        reduce=_expression("reduce_expr", given["reduce_expr"]),
        preamble=check_text("preamble", given["preamble"]),
        options=_checked_options(given["options"]),
        **read,
    )


def _pycudas_inputs(out: str, arguments: object, map_expr: object) -> tuple[list[Parameter], str]:
    """Return PyCUDA's parameters and the expression, with elements and `x` for `x[i]` if it can."""
    parameters = parse("arguments", f"{out} *x" if arguments is None else arguments)
    first = parameters[0].name if parameters else "x"
    text = check_text("map_expr", f"{first}[i]" if map_expr is None else map_expr)
    of_elements = text
    for parameter in parameters:
        if parameter.is_pointer:
            of_elements = re.sub(rf"\b{parameter.name}\s*\[\s*i\s*\]", parameter.name, of_elements)
    if re.search(r"\b[in]\b|\[", of_elements):
        return parameters, text
    return [each._replace(is_raw=False, is_pointer=False) for each in parameters], of_elements


def _check_parameters(inputs: list[Parameter], outputs: list[Parameter]) -> None:
    check_names([*inputs, *outputs])
    for argument, parameters in (("in_params", inputs), ("out_params", outputs)):
        if not parameters:
            raise mistaken(ValueError, f"{argument} is empty", 'as in "T x"', argument)
    for parameter in outputs:
        if parameter.is_raw:
            message = f"reductions have no raw outputs, found '{parameter.name}'"
            raise mistaken(ValueError, message, "leave out raw", "out_params")


def _checked_options(options: Iterable[str]) -> CompilerOptions:
    read = read_options(options)
    if read.others:
        message = f"a reduction takes -D, -std and --use_fast_math, found {read.others[0]!r}"
        raise mistaken(ValueError, message, "leave it out", "options")
    return read


def _expression(argument: str, text: object) -> str:
    checked = check_text(argument, text).strip().rstrip(";")
    if not checked:
        raise mistaken(ValueError, f"{argument} is empty", 'as in "a + b"', argument)
    return checked


def _is_number(value: object) -> bool:
    return type(value) in (bool, int, float, complex)


def _cast(operand: Any, dtype: str) -> Any:
    if _is_number(operand):
        return np.asarray(operand, dtype)[()]
    return operand if operand.dtype == dtype else operand.astype(dtype)
