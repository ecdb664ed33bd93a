"""LLVM code for calls of ufuncs and gufuncs with arrays, in functions that Numba compiles."""

# Numba is optional, and its types are incomplete.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.np import npyimpl

from numpy_plugin._njit.code import BYTE_POINTER, INTP, Caller, Code, CompiledLoop, packed

__all__ = ["array_code", "generalized_code"]


def array_code(loop: CompiledLoop) -> Code:
    """Return the code for arrays: one call for each row, or for each element with another type."""

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        caller = Caller(context, builder, loop)
        arrays = _ArrayLoops(caller, *_operands(caller, signature, args))
        arrays.check_shapes()
        if arrays.have_loop_types():
            arrays.fill_rows()
        else:
            arrays.fill_elements()
        results = [item.return_val for item in arrays.outputs]
        return packed(context, builder, signature.return_type, results)

    return generate


def generalized_code(loop: CompiledLoop, cores: Sequence[Sequence[str]]) -> Code:
    """Return the code for a gufunc with all operands given, arrays of the loop's types.

    `cores` has the names of the core dimensions of each operand; a number is a fixed size.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        caller = Caller(context, builder, loop, cores)
        inputs, outputs = _operands(caller, signature, args)
        steps, sizes = _core_dimensions(caller, [*inputs, *outputs], cores)
        outer = [
            item._replace(shape=item.shape[: item.ndim - len(core)]) if _is_array(item) else item
            for item, core in zip([*inputs, *outputs], cores, strict=True)
        ]
        arrays = _ArrayLoops(caller, outer[: len(inputs)], outer[len(inputs) :])
        arrays.check_shapes()
        arrays.fill_cores(steps, sizes)
        results = [item.return_val for item in outputs]
        return packed(context, builder, signature.return_type, results)

    return generate


def _core_dimensions(
    caller: Caller, operands: Sequence[Any], cores: Sequence[Sequence[str]]
) -> tuple[list[Any], list[Any]]:
    """Return the steps along core dimensions and their sizes; raise a ValueError at run time."""
    builder = caller.builder
    steps: list[Any] = []
    sizes: dict[str, Any] = {}
    is_wrong = ir.IntType(1)(0)
    for operand, core in zip(operands, cores, strict=True):
        for axis, name in enumerate(core, len(operand.shape) - len(core)):
            size = operand.shape[axis]
            known = sizes.setdefault(name, INTP(int(name)) if name.isdigit() else size)
            is_wrong = builder.or_(is_wrong, builder.icmp_unsigned("!=", size, known))
            steps.append(operand.strides[axis])
    with cgutils.if_unlikely(builder, is_wrong):
        message = f"core dimensions of the operands of '{caller.loop.name}' have different sizes"
        caller.context.call_conv.return_user_exc(builder, ValueError, (message,))
    return steps, list(sizes.values())


def _is_array(operand: Any) -> bool:
    """Whether one of Numba's helpers for operands is that of an array."""
    return hasattr(operand, "strides")


def _operands(caller: Caller, signature: Any, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the inputs and the outputs, some of them new arrays, as Numba's helpers."""
    context, builder = caller.context, caller.builder
    given = zip(args, signature.args, strict=True)
    found = [npyimpl._prepare_argument(context, builder, value, of) for value, of in given]
    n_inputs = len(caller.loop.inputs)
    inputs, outputs = found[:n_inputs], found[n_inputs:]
    results = signature.return_type
    result_types = [results] if len(caller.loop.outputs) == 1 else list(results)
    for i, of in enumerate(result_types):
        if i < len(outputs):
            context.nrt.incref(builder, of, args[n_inputs + i])
        else:
            made = npyimpl._build_array(context, builder, of, signature.args, inputs)
            outputs.append(made)
    return inputs, outputs


class _ArrayLoops:
    """Generates the loops over the elements of arrays around the calls of a ufunc's loop."""

    def __init__(self, caller: Caller, inputs: list[Any], outputs: list[Any]) -> None:
        self.caller = caller
        self.context = caller.context
        self.builder = caller.builder
        self.inputs = inputs
        self.outputs = outputs
        self.operands = [*inputs, *outputs]
        self.shape = outputs[0].shape
        self.axes = range(len(self.shape))
        self.steps = [[self.step(item, axis) for axis in self.axes] for item in self.operands]

    def step(self, operand: Any, axis: int) -> Any:
        """Return the bytes between elements along an axis; 0 where an input is broadcast."""
        own = axis - len(self.shape) + len(operand.shape)
        if not _is_array(operand) or own < 0:
            return INTP(0)
        stride = operand.strides[own]
        if any(operand is output for output in self.outputs):
            return stride
        is_one = self.builder.icmp_unsigned("==", operand.shape[own], INTP(1))
        return self.builder.select(is_one, INTP(0), stride)

    def check_shapes(self) -> None:
        """Raise a ValueError at run time if operands do not have the shape of the outputs."""
        builder = self.builder
        is_wrong = ir.IntType(1)(0)
        for number, operand in enumerate(self.operands):
            sizes = reversed(operand.shape) if _is_array(operand) else ()
            for size, wanted in zip(sizes, reversed(self.shape), strict=False):
                differs = builder.icmp_unsigned("!=", size, wanted)
                if number < len(self.inputs):
                    is_broadcast = builder.icmp_unsigned("==", size, INTP(1))
                    differs = builder.and_(differs, builder.not_(is_broadcast))
                is_wrong = builder.or_(is_wrong, differs)
        with cgutils.if_unlikely(builder, is_wrong):
            message = f"operands of '{self.caller.loop.name}' do not have the shape of its output"
            self.context.call_conv.return_user_exc(builder, ValueError, (message,))

    def have_loop_types(self) -> bool:
        """Whether the elements of all arrays have the loop's types."""
        pairs = zip(self.operands, self.caller.types, strict=True)
        return all(item.base_type == of for item, of in pairs if _is_array(item))

    def address(self, number: int, axes: Sequence[int], indices: Sequence[Any]) -> Any:
        """Return a pointer to an operand's element with these indices along some axes."""
        builder = self.builder
        offset = INTP(0)
        for axis, index in zip(axes, indices, strict=True):
            offset = builder.add(offset, builder.mul(index, self.steps[number][axis]))
        data = builder.bitcast(self.operands[number].data, BYTE_POINTER)
        return builder.gep(data, [offset])

    def element(self, number: int, indices: Sequence[Any]) -> Any:
        """Return a typed pointer to an operand's element."""
        of = self.context.get_data_type(self.operands[number].base_type)
        return self.builder.bitcast(self.address(number, self.axes, indices), of.as_pointer())

    def input_value(self, number: int, indices: Sequence[Any]) -> Any:
        """Return an input's element, or number, in the loop's type."""
        item = self.inputs[number]
        value = item.load_data(None) if not _is_array(item) else self.loaded(number, indices)
        of = self.caller.types[number]
        return self.context.cast(self.builder, value, item.base_type, of)

    def loaded(self, number: int, indices: Sequence[Any]) -> Any:
        """Return the element of an array."""
        of = self.operands[number].base_type
        return self.context.unpack_value(self.builder, of, self.element(number, indices))

    def fill_elements(self) -> None:
        """Call the loop once for each element, with casts before and after."""
        with cgutils.loop_nest(self.builder, self.shape, intp=INTP) as indices:
            values = [self.input_value(number, indices) for number in range(len(self.inputs))]
            results = self.caller.call_with_values(values)
            for number, result in enumerate(results, len(self.inputs)):
                own, of = self.operands[number].base_type, self.caller.types[number]
                value = self.context.cast(self.builder, result, of, own)
                self.context.pack_value(self.builder, own, value, self.element(number, indices))

    def fill_rows(self) -> None:
        """Call the loop once for each row along the axis that is contiguous in memory."""
        builder = self.builder
        is_fortran = self.outputs[0].layout == "F"
        inner = 0 if is_fortran else len(self.shape) - 1
        outer = [axis for axis in self.axes if axis != inner]
        self.pack_numbers()
        with cgutils.loop_nest(builder, [self.shape[axis] for axis in outer], intp=INTP) as at:
            count = self.shape[inner]
            with builder.if_then(builder.icmp_signed(">", count, INTP(0))):
                steps = [steps[inner] for steps in self.steps]
                self.caller.call(self.pointers(outer, at), steps, [count])

    def fill_cores(self, steps: Sequence[Any], sizes: Sequence[Any]) -> None:
        """Call the loop of a gufunc once for each element of the loop dimensions.

        Args:
            steps: along the core dimensions of each operand.
            sizes: of the core dimensions, each once.
        """
        self.pack_numbers()
        own_steps = [INTP(0) for _ in self.operands]  # for one element
        with cgutils.loop_nest(self.builder, self.shape, intp=INTP) as at:
            pointers = self.pointers(self.axes, at)
            self.caller.call(pointers, [*own_steps, *steps], [INTP(1), *sizes])

    def pack_numbers(self) -> None:
        """Store the inputs that are no arrays in their slots."""
        for number, item in enumerate(self.inputs):
            if not _is_array(item):
                value = self.input_value(number, ())
                of, slot = self.caller.types[number], self.caller.slots[number]
                self.context.pack_value(self.builder, of, value, slot)

    def pointers(self, axes: Sequence[int], indices: Sequence[Any]) -> list[Any]:
        """Return pointers to the operands' elements with these indices along some axes."""
        return [
            self.address(number, axes, indices) if _is_array(item) else self.caller.slots[number]
            for number, item in enumerate(self.operands)
        ]
