"""LLVM code for calls of ufuncs in functions that Numba compiles.

A call of a loop has NumPy's parameters: pointers to the operands, a count, steps in bytes, data.
"""

# Numba is optional, and its types are incomplete.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from llvmlite import ir
from numba.core import cgutils
from numba.np import npyimpl

from numpy_plugin import _core

__all__ = ["Code", "CompiledLoop", "array_code", "scalar_code"]

#: Generates a call: `code(context, builder, signature, args)` returns the value of its result.
Code = Callable[[Any, Any, Any, Sequence[Any]], Any]

_BYTE_POINTER = ir.IntType(8).as_pointer()
_INTP = ir.IntType(64)


class CompiledLoop(NamedTuple):
    """The loop of a ufunc for the types of a call.

    Attributes:
        name: of the ufunc.
        inputs: Numba's types of its inputs.
        outputs: likewise of its outputs.
        address: of the function.
        data: its last argument.
        can_raise: whether it returns an int, 1 if an element raised.
    """

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    address: int
    data: int
    can_raise: bool


class KernelException(Exception):
    """The exception of a kernel, as long as Numba's code handles it: Python gets the kernel's own.

    Numba makes the object when an exception leaves its code.
    """

    def __new__(cls) -> NoReturn:
        """Raise the kernel's exception."""
        _core.raise_kept_exception()


def scalar_code(loop: CompiledLoop) -> Code:
    """Return the code for numbers of the loop's types."""

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        results = _Caller(context, builder, loop).call_with_values(args)
        return _packed(context, builder, signature.return_type, results)

    return generate


def array_code(loop: CompiledLoop) -> Code:
    """Return the code for arrays: one call for each row, or for each element with another type."""

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        caller = _Caller(context, builder, loop)
        arrays = _ArrayLoops(caller, *_operands(caller, signature, args))
        arrays.check_shapes()
        if arrays.have_loop_types():
            arrays.fill_rows()
        else:
            arrays.fill_elements()
        results = [item.return_val for item in arrays.outputs]
        return _packed(context, builder, signature.return_type, results)

    return generate


def _packed(context: Any, builder: Any, of: Any, results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else context.make_tuple(builder, of, results)


class _Caller:
    """Generates calls of a loop, which share their memory on the stack."""

    def __init__(self, context: Any, builder: Any, loop: CompiledLoop) -> None:
        self.context = context
        self.builder = builder
        self.loop = loop
        self.types = [*loop.inputs, *loop.outputs]
        slot_types = [context.get_data_type(of) for of in self.types]
        self.slots = [cgutils.alloca_once(builder, of) for of in slot_types]
        self.sizes = [_INTP(context.get_abi_sizeof(of)) for of in slot_types]
        self.pointers = cgutils.alloca_once(builder, _BYTE_POINTER, size=len(self.types))
        self.steps = cgutils.alloca_once(builder, _INTP, size=len(self.types))
        self.count = cgutils.alloca_once(builder, _INTP)

    def call_with_values(self, values: Sequence[Any]) -> list[Any]:
        """Call the loop for one element of the loop's types; return its outputs."""
        for of, value, slot in zip(self.loop.inputs, values, self.slots, strict=False):
            self.context.pack_value(self.builder, of, value, slot)
        self.call(self.slots, self.sizes, _INTP(1))
        n_inputs = len(self.loop.inputs)
        made = zip(self.loop.outputs, self.slots[n_inputs:], strict=True)
        return [self.context.unpack_value(self.builder, of, slot) for of, slot in made]

    def call(self, pointers: Sequence[Any], steps: Sequence[Any], count: Any) -> None:
        """Call the loop; return from the function if an element raised."""
        builder = self.builder
        for i, (pointer, step) in enumerate(zip(pointers, steps, strict=True)):
            address = builder.bitcast(pointer, _BYTE_POINTER)
            builder.store(address, cgutils.gep_inbounds(builder, self.pointers, i))
            builder.store(step, cgutils.gep_inbounds(builder, self.steps, i))
        builder.store(count, self.count)
        data = _INTP(self.loop.data).inttoptr(_BYTE_POINTER)
        status = self.call_address([self.pointers, self.count, self.steps, data])
        if self.loop.can_raise:
            self.return_if_raised(status)

    def call_address(self, args: list[Any]) -> Any:
        """Call the function; its dynamic address keeps Numba from caching the code on disk."""
        loop = self.loop
        address = self.context.add_dynamic_addr(self.builder, loop.address, info=loop.name)
        result = ir.IntType(32) if loop.can_raise else ir.VoidType()
        function = ir.FunctionType(result, [item.type for item in args]).as_pointer()
        return self.builder.call(self.builder.bitcast(address, function), args)

    def return_if_raised(self, status: Any) -> None:
        """Return as a `raise` statement does, if the loop has kept an exception."""
        has_raised = self.builder.icmp_unsigned("!=", status, status.type(0))
        with cgutils.if_unlikely(self.builder, has_raised):
            self.context.call_conv.return_user_exc(self.builder, KernelException)


def _is_array(operand: Any) -> bool:
    """Whether one of Numba's helpers for operands is that of an array."""
    return hasattr(operand, "strides")


def _operands(caller: _Caller, signature: Any, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
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

    def __init__(self, caller: _Caller, inputs: list[Any], outputs: list[Any]) -> None:
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
            return _INTP(0)
        stride = operand.strides[own]
        if any(operand is output for output in self.outputs):
            return stride
        is_one = self.builder.icmp_unsigned("==", operand.shape[own], _INTP(1))
        return self.builder.select(is_one, _INTP(0), stride)

    def check_shapes(self) -> None:
        """Raise a ValueError at run time if operands do not have the shape of the outputs."""
        builder = self.builder
        is_wrong = ir.IntType(1)(0)
        for number, operand in enumerate(self.operands):
            sizes = reversed(operand.shape) if _is_array(operand) else ()
            for size, wanted in zip(sizes, reversed(self.shape), strict=False):
                differs = builder.icmp_unsigned("!=", size, wanted)
                if number < len(self.inputs):
                    is_broadcast = builder.icmp_unsigned("==", size, _INTP(1))
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
        offset = _INTP(0)
        for axis, index in zip(axes, indices, strict=True):
            offset = builder.add(offset, builder.mul(index, self.steps[number][axis]))
        data = builder.bitcast(self.operands[number].data, _BYTE_POINTER)
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
        with cgutils.loop_nest(self.builder, self.shape, intp=_INTP) as indices:
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
        for number, item in enumerate(self.inputs):
            if not _is_array(item):
                value = self.input_value(number, ())
                of, slot = self.caller.types[number], self.caller.slots[number]
                self.context.pack_value(builder, of, value, slot)
        with cgutils.loop_nest(builder, [self.shape[axis] for axis in outer], intp=_INTP) as at:
            pointers = [
                self.address(number, outer, at) if _is_array(item) else self.caller.slots[number]
                for number, item in enumerate(self.operands)
            ]
            count = self.shape[inner]
            with builder.if_then(builder.icmp_signed(">", count, _INTP(0))):
                self.caller.call(pointers, [steps[inner] for steps in self.steps], count)
