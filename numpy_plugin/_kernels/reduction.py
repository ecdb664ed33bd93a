"""`ReductionKernel`: CuPy's and PyCUDA's reductions, over `npp.reduction`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, get_overloads, overload

import numpy as np
import numpy.typing as npt

from numpy_plugin._cuda.spaces import space_of
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.declare import Options
from numpy_plugin._frontend.options import KernelOptions, checked_options
from numpy_plugin._kernels.indexed import placeholders
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
from numpy_plugin._reduction.reduction import Reduction, reduction

__all__ = ["ReductionKernel"]


class _Definition(NamedTuple):
    name: str
    inputs: list[Parameter]
    outputs: list[Parameter]
    map: str
    reduce: str
    post: str
    identity: object
    reduce_type: str
    preamble: str
    options: CompilerOptions


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
        self._compiled: dict[tuple[str, ...], _Compiled] = {}
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
        found = self._reduction(dtypes)
        with contextlib.nullcontext() if stream is None else stream:
            return found(operands, axis, keepdims, outputs)

    def ufuncs_of_float64(self) -> list[np.ufunc]:
        """Return the steps of the reduction for float64 in the place of placeholders."""
        parameters = [*self._definition.inputs, *self._definition.outputs]
        found = self._reduction(
            ["float64" if each.is_placeholder else each.type for each in parameters]
        )
        return [found.reduce.map, found.reduce.combine, found.finish]

    def _reduction(self, dtypes: list[str]) -> _Compiled:
        """Return the reduction for these types of the parameters."""
        key = tuple(dtypes)
        if key not in self._compiled:
            self._compiled[key] = _make_reduction(self._definition, dtypes)
        return self._compiled[key]


#: CuPy's declaration, and PyCUDA's.
_OVERLOADS = get_overloads(ReductionKernel.__init__)


def _read_cupys(given: dict[str, Any]) -> _Definition:
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


def _read_pycudas(given: dict[str, Any]) -> _Definition:
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


def _definition(given: dict[str, Any], **read: Any) -> _Definition:
    """Return a definition of what both declarations have, and of what was read of one."""
    return _Definition(
        name=check_text("name", given["name"]),
        reduce=_expression("reduce_expr", given["reduce_expr"]),
        preamble=check_text("preamble", given["preamble"]),
        options=_checked_options(given["options"]),
        **read,
    )


class _Compiled(NamedTuple):
    """A reduction for certain types.

    Attributes:
        reduce: the reduction, with the last step if that has no other operands than `a`.
        finish: the last step.
        numbers: the inputs that the last step names, by their places; they are numbers.
    """

    reduce: Reduction
    finish: np.ufunc
    numbers: list[int]

    def __call__(
        self, operands: list[Any], axis: Any, keepdims: bool, outputs: Sequence[Any]
    ) -> Any:
        """Reduce the operands."""
        if not self.numbers:
            return self.reduce(*operands, axis=axis, keepdims=keepdims, out=tuple(outputs))
        numbers = [operands[each] for each in self.numbers]
        if any(np.ndim(each) for each in numbers):
            message = f"the last step of '{self.reduce.name}' uses an input that is an array"
            raise mistaken(TypeError, message, "only numbers are the same for all elements")
        values = self.reduce(*operands, axis=axis, keepdims=keepdims)
        return self.finish(values, *numbers, out=tuple(outputs))


def _make_reduction(definition: _Definition, dtypes: list[str]) -> _Compiled:
    parameters = [*definition.inputs, *definition.outputs]
    n_inputs = len(definition.inputs)
    aliases = dict(placeholders(parameters, dtypes))
    value = aliases.get(definition.reduce_type, definition.reduce_type)
    aliases |= {"type_in0_raw": dtypes[0], "type_out0_raw": dtypes[n_inputs], "_type_reduce": value}
    operands, results = ", ".join(dtypes[:n_inputs]), ", ".join(dtypes[n_inputs:])

    def function(text: str, signature: str, args: list[str], outs: Sequence[str] = ()) -> np.ufunc:
        return _function(definition, text, signature, args, outs, list(aliases.items()))

    names = [each.name for each in definition.inputs]
    mapping = function(f"return {definition.map};", f"{value}({operands})", names)
    combining = function(f"return {definition.reduce};", f"{value}({value}, {value})", ["a", "b"])
    words = set(re.findall(r"\w+", definition.post))
    numbers = [place for place, name in enumerate(names) if name in words and name != "a"]
    finishing = function(
        definition.post,
        f"{results}({', '.join([value, *(dtypes[each] for each in numbers)])})",
        ["a", *(names[each] for each in numbers)],
        [each.name for each in definition.outputs],
    )
    identity = _identity(definition, value, list(aliases.items()))
    finish = None if numbers else finishing
    reduce = reduction(mapping, combining, finish=finish, identity=identity, name=definition.name)
    return _Compiled(reduce, finishing, numbers)


def _function(
    definition: _Definition,
    text: str,
    signature: str,
    args: list[str],
    outs: Sequence[str],
    aliases: list[tuple[str, str]],
) -> np.ufunc:
    chosen = checked_options(
        "ReductionKernel",
        KernelOptions,
        {
            "name": definition.name,
            "preamble": definition.options.defines + definition.preamble,
            "fastmath": definition.options.is_fast,
        },
    )
    options = Options([signature], None, body=text, args=args, outs=list(outs), **chosen)
    options.check()
    return options.from_body(aliases=aliases)


def _identity(definition: _Definition, value: str, aliases: list[tuple[str, str]]) -> object:
    """Return the identity as a scalar of the values' type."""
    identity = definition.identity
    if identity is None or (isinstance(identity, str) and not identity.strip()):
        return None
    if not isinstance(identity, str):
        return np.dtype(value).type(identity)
    text = identity.strip()
    if re.fullmatch(r"[-+]?\d+", text):
        return np.dtype(value).type(int(text))
    compute = _function(definition, f"return {text};", f"{value}(bool)", ["npp_any"], (), aliases)
    return compute(True)


def _pycudas_inputs(out: str, arguments: object, map_expr: object) -> tuple[list[Parameter], str]:
    """Return PyCUDA's parameters as elements, and the expression with `x` for `x[i]`.

    Raises:
        ValueError: the expression reads other elements.
    """
    parameters = parse("arguments", f"{out} *x" if arguments is None else arguments)
    first = parameters[0].name if parameters else "x"
    text = check_text("map_expr", f"{first}[i]" if map_expr is None else map_expr)
    for parameter in parameters:
        if parameter.is_pointer:
            text = re.sub(rf"\b{parameter.name}\s*\[\s*i\s*\]", parameter.name, text)
    if re.search(r"\bi\b|\[", text):
        message = "map_expr reads other elements than x[i]"
        raise mistaken(ValueError, message, "write it with npp.reduction(index=True)", "map_expr")
    return [each._replace(is_raw=False, is_pointer=False) for each in parameters], text


def _check_parameters(inputs: list[Parameter], outputs: list[Parameter]) -> None:
    check_names([*inputs, *outputs])
    for argument, parameters in (("in_params", inputs), ("out_params", outputs)):
        if not parameters:
            raise mistaken(ValueError, f"{argument} is empty", 'as in "T x"', argument)
        for parameter in parameters:
            if parameter.is_raw:
                message = f"reductions have no raw parameters, found '{parameter.name}'"
                hint = "npp.reduction(index=True) maps an element's number"
                raise mistaken(ValueError, message, hint, argument)


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
        return np.dtype(dtype).type(operand)
    return operand if operand.dtype == dtype else operand.astype(dtype)
