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

from numpy_plugin import _core

__all__ = ["BYTE_POINTER", "INTP", "Caller", "Code", "CompiledLoop", "packed", "scalar_code"]

#: Generates a call: `code(context, builder, signature, args)` returns the value of its result.
Code = Callable[[Any, Any, Any, Sequence[Any]], Any]

BYTE_POINTER = ir.IntType(8).as_pointer()
INTP = ir.IntType(64)


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
        results = Caller(context, builder, loop).call_with_values(args)
        return packed(context, builder, signature.return_type, results)

    return generate


def packed(context: Any, builder: Any, of: Any, results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else context.make_tuple(builder, of, results)


class Caller:
    """Generates calls of a loop, which share their memory on the stack."""

    def __init__(
        self, context: Any, builder: Any, loop: CompiledLoop, cores: Sequence[Sequence[str]] = ()
    ) -> None:
        """Allocate the memory; `cores` has the names of the operands' core dimensions."""
        self.context = context
        self.builder = builder
        self.loop = loop
        self.types = [*loop.inputs, *loop.outputs]
        slot_types = [context.get_data_type(of) for of in self.types]
        self.slots = [cgutils.alloca_once(builder, of) for of in slot_types]
        self.sizes = [INTP(context.get_abi_sizeof(of)) for of in slot_types]
        names = [name for core in cores for name in core]
        self.pointers = cgutils.alloca_once(builder, BYTE_POINTER, size=len(self.types))
        self.steps = cgutils.alloca_once(builder, INTP, size=len(self.types) + len(names))
        self.counts = cgutils.alloca_once(builder, INTP, size=1 + len(set(names)))

    def call_with_values(self, values: Sequence[Any]) -> list[Any]:
        """Call the loop for one element of the loop's types; return its outputs."""
        for of, value, slot in zip(self.loop.inputs, values, self.slots, strict=False):
            self.context.pack_value(self.builder, of, value, slot)
        self.call(self.slots, self.sizes, [INTP(1)])
        n_inputs = len(self.loop.inputs)
        made = zip(self.loop.outputs, self.slots[n_inputs:], strict=True)
        return [self.context.unpack_value(self.builder, of, slot) for of, slot in made]

    def call(self, pointers: Sequence[Any], steps: Sequence[Any], counts: Sequence[Any]) -> None:
        """Call the loop; return from the function if an element raised.

        Args:
            pointers: to the operands.
            steps: of the operands, then along each of their core dimensions.
            counts: of elements, then the size of each core dimension.
        """
        addresses = [self.builder.bitcast(pointer, BYTE_POINTER) for pointer in pointers]
        rows = ((self.pointers, addresses), (self.steps, steps), (self.counts, counts))
        for array, values in rows:
            for i, value in enumerate(values):
                self.builder.store(value, cgutils.gep_inbounds(self.builder, array, i))
        data = INTP(self.loop.data).inttoptr(BYTE_POINTER)
        status = self.call_address([self.pointers, self.counts, self.steps, data])
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
