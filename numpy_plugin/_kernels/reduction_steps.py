"""A `ReductionKernel` for certain types: in one pass, or of stored values.

Texts that name only elements are a reduction in one pass. Those with raw operands, indices or sizes
are kernels over whole arrays before and behind a reduction of the values that the map stores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from numpy_plugin._cuda.spaces import HostSpace, Space, space_of
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._kernels.indexed import Operation, placeholders, prepare, run
from numpy_plugin._kernels.parameters import Parameter
from numpy_plugin._kernels.reduction_definition import Definition, function, identity_of
from numpy_plugin._reduction.arguments import reduced_axes
from numpy_plugin._reduction.reduction import Reduction, reduction

__all__ = ["OfElements", "OfStored", "make_steps"]

#: What CuPy's texts name besides their parameters.
_INDEX = re.compile(r"\b(_in_ind|_out_ind|_raw_\w+|_i|_j|_J)\b")
_SIZES = [
    Parameter(name, "int64", False, False, False, False) for name in ("npp_in_size", "npp_out_size")
]
#: Each step runs over its own index, the map over reduced axes before the others.
_IN_MAP = """\
    [[maybe_unused]] const auto& _in_ind = _ind;
    [[maybe_unused]] const npp::Indexer<1> _out_ind({npp_out_size});
    [[maybe_unused]] const npp::intp _j = i, _J = i / npp_out_size, _i = i % npp_out_size;
"""
_IN_LAST_STEP = """\
    [[maybe_unused]] const npp::Indexer<1> _in_ind({npp_in_size});
    [[maybe_unused]] const auto& _out_ind = _ind;
    [[maybe_unused]] const npp::intp _i = i;
"""
_ARRAY = "    [[maybe_unused]] const auto& _raw_{0} = npp_raw_{0};\n"


class OfElements(NamedTuple):
    """A reduction in one pass.

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
        for each in numbers:
            _check_number(self.reduce.name, each)
        values = self.reduce(*operands, axis=axis, keepdims=keepdims)
        return self.finish(values, *numbers, out=tuple(outputs))

    def parts(self) -> list[Any]:
        """Return what is compiled."""
        return [self.reduce.map, self.reduce.combine, self.finish]


class OfStored(NamedTuple):
    """A reduction of values that a kernel over whole arrays stores.

    Attributes:
        map: the kernel of all inputs and both sizes, which stores a value for each element.
        reduce: the reduction of the values.
        finish: the kernel of `a`, what the last step names, and both sizes.
        named: the inputs that the last step names, by their places.
        whole: those that it names as arrays, `_raw_x`.
    """

    map: Operation
    reduce: Reduction
    finish: Operation
    named: list[int]
    whole: list[int]

    def __call__(
        self, operands: list[Any], axis: Any, keepdims: bool, outputs: Sequence[Any]
    ) -> Any:
        """Reduce the operands."""
        space = space_of((*operands, *outputs))
        shape = self._shape(operands)
        axes = reduced_axes(axis, len(shape))
        kept = [each for each in range(len(shape)) if each not in axes]
        operands = [self._moved(i, each, shape, [*axes, *kept]) for i, each in enumerate(operands)]
        sizes = math.prod(shape), math.prod(shape[each] for each in kept)
        values = self._values(space, [*operands, *sizes], [shape[each] for each in [*axes, *kept]])
        reduced = space.array(self.reduce(values, axis=tuple(range(len(axes)))))
        if keepdims:
            reduced = reduced.reshape(
                tuple(1 if each in axes else size for each, size in enumerate(shape))
            )
        return self._finished(space, reduced, [*operands, *sizes], outputs)

    def parts(self) -> list[Any]:
        """Return what is compiled."""
        return [self.map, self.reduce.combine, self.finish]

    def _shape(self, operands: list[Any]) -> tuple[int, ...]:
        pairs = list(zip(operands, self.map.parameters, strict=False))
        for operand, parameter in pairs:
            if parameter.is_pointer:
                return (operand.size,)
        arrays = [each for each, parameter in pairs if np.ndim(each) and not parameter.is_raw]
        if not arrays:
            message = f"the size of '{self.map.name}' is undecided: every array is raw"
            raise mistaken(ValueError, message, "declare one of its inputs without raw")
        return np.broadcast_shapes(*(each.shape for each in arrays))

    def _moved(self, number: int, operand: Any, shape: tuple[int, ...], order: list[int]) -> Any:
        """Return an operand with the reduced axes first."""
        parameter = self.map.parameters[number]
        if parameter.is_raw or not np.ndim(operand):
            return operand
        return np.broadcast_to(operand, shape).transpose(order)

    def _values(self, space: Space, arguments: list[Any], shape: list[int]) -> Any:
        prepared = prepare(self.map, space, [*arguments, None])
        values = space.new(tuple(shape), prepared.dtypes[-1])
        prepared.arguments[-1] = values
        run(self.map, space, prepared, tuple(shape))
        return values

    def _finished(
        self, space: Space, reduced: Any, arguments: list[Any], outputs: Sequence[Any]
    ) -> Any:
        """Return the results of the last step, or the outputs that are given."""
        for each in self.named:
            if not self.map.parameters[each].is_raw:
                _check_number(self.map.name, arguments[each])
        used = [arguments[each] for each in [*self.named, *self.whole]]
        prepared = prepare(self.finish, space, [reduced, *used, *arguments[-2:], *outputs])
        first = self.finish.n_inputs
        for number, dtype in enumerate(prepared.dtypes[first:], first):
            given = prepared.arguments[number]
            if given is None:
                prepared.arguments[number] = space.new(reduced.shape, dtype)
            elif given.shape != reduced.shape:
                raise ValueError(
                    f"out of '{self.map.name}' must have the shape {reduced.shape}, "
                    f"found {given.shape}"
                )
        run(self.finish, space, prepared, reduced.shape)
        made = zip(prepared.arguments[first:], outputs, strict=True)
        results = [_delivered(space, each) if out is None else out for each, out in made]
        return results[0] if len(results) == 1 else tuple(results)


def make_steps(definition: Definition, dtypes: list[str]) -> OfElements | OfStored:
    """Return the steps for these types of the parameters, inputs first."""
    parameters = [*definition.inputs, *definition.outputs]
    n_inputs = len(definition.inputs)
    names = dict(placeholders(parameters, dtypes))
    value = names.get(definition.reduce_type, definition.reduce_type)
    names |= {"type_in0_raw": dtypes[0], "type_out0_raw": dtypes[n_inputs], "_type_reduce": value}
    typed = [
        each._replace(type=dtype, is_placeholder=False)
        for each, dtype in zip(parameters, dtypes, strict=True)
    ]
    make = _of_stored if _is_indexed(definition) else _of_elements
    return make(definition, typed, value, list(names.items()))


def _is_indexed(definition: Definition) -> bool:
    return bool(
        any(each.is_raw or each.is_pointer for each in definition.inputs)
        or _INDEX.search(definition.map)
        or _INDEX.search(definition.post)
    )


def _of_elements(
    definition: Definition, parameters: list[Parameter], value: str, aliases: list[tuple[str, str]]
) -> OfElements:
    n_inputs = len(definition.inputs)
    inputs, outputs = parameters[:n_inputs], parameters[n_inputs:]
    operands, results = (", ".join(each.type for each in some) for some in (inputs, outputs))
    names = [each.name for each in inputs]
    text, signature = f"return {definition.map};", f"{value}({operands})"
    mapping = function(definition, text, signature, names, [], aliases)
    numbers = _named_in_last_step(definition)
    finishing = function(
        definition,
        definition.post,
        f"{results}({', '.join([value, *(inputs[each].type for each in numbers)])})",
        ["a", *(names[each] for each in numbers)],
        [each.name for each in outputs],
        aliases,
    )
    reduce = _reduction(definition, mapping, None if numbers else finishing, value, aliases)
    return OfElements(reduce, finishing, numbers)


def _of_stored(
    definition: Definition, parameters: list[Parameter], value: str, aliases: list[tuple[str, str]]
) -> OfStored:
    n_inputs = len(definition.inputs)
    inputs, outputs = parameters[:n_inputs], parameters[n_inputs:]
    stored = Parameter("npp_value", value, False, False, False, False)
    mapping = Operation(
        definition.name,
        [*inputs, *_SIZES, stored],
        n_inputs + len(_SIZES),
        f"npp_value = {definition.map};",
        definition.preamble,
        "",
        "",
        definition.options,
        {},
        _IN_MAP,
        aliases,
    )
    named = _named_in_last_step(definition)
    whole = [i for i, each in enumerate(inputs) if f"_raw_{each.name}" in definition.post]
    operands = [
        stored._replace(name="a"),
        *(inputs[each] for each in named),
        *(
            inputs[each]._replace(name=f"npp_raw_{inputs[each].name}", is_raw=True)
            for each in whole
        ),
        *_SIZES,
    ]
    finishing = mapping._replace(
        parameters=[*operands, *outputs],
        n_inputs=len(operands),
        text=definition.post + ";",
        before_element=_IN_LAST_STEP + "".join(_ARRAY.format(inputs[each].name) for each in whole),
        compiled={},
    )
    copy = function(definition, "return x;", f"{value}({value})", ["x"], [], aliases)
    reduce = _reduction(definition, copy, None, value, aliases)
    return OfStored(mapping, reduce, finishing, named, whole)


def _reduction(
    definition: Definition,
    mapping: np.ufunc,
    finish: np.ufunc | None,
    value: str,
    aliases: list[tuple[str, str]],
) -> Reduction:
    text, signature = f"return {definition.reduce};", f"{value}({value}, {value})"
    combining = function(definition, text, signature, ["a", "b"], [], aliases)
    identity = identity_of(definition, value, aliases)
    return reduction(mapping, combining, finish=finish, identity=identity, name=definition.name)


def _named_in_last_step(definition: Definition) -> list[int]:
    """Return the places of inputs that the last step names."""
    words = set(re.findall(r"\w+", definition.post))
    names = [each.name for each in definition.inputs]
    return [place for place, name in enumerate(names) if name in words and name != "a"]


def _check_number(name: str, operand: Any) -> None:
    """Raise a TypeError for an array, of which the last step has no element."""
    if np.ndim(operand):
        message = f"the last step of '{name}' uses an input that is an array"
        raise mistaken(TypeError, message, "only numbers are the same for all elements")


def _delivered(space: Space, result: Any) -> Any:
    """Return a new result; NumPy has scalars where all axes are reduced."""
    is_scalar = isinstance(space, HostSpace) and not result.ndim
    return result[()] if is_scalar else space.delivered(result)
