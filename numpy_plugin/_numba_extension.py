"""Ufuncs of this package in functions that Numba compiles with `njit`.

Numba calls `init` through the entry point `numba_extensions` before it compiles anything. A call of
a ufunc is typed by the ufunc's own promotion, and runs the machine code that calls outside of
`njit` run, so that both return the same bits.
"""

# Numba is optional, and its types are incomplete.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.target_extension import CPU, get_local_target
from numba.core.typing.npydecl import Numpy_rules_ufunc
from numba.core.typing.templates import AbstractTemplate
from numba.core.typing.typeof import Purpose
from numba.extending import lower_builtin, typeof_impl
from numba.np import npyimpl
from numba.np.numpy_support import _ufunc_loop_sig, as_dtype, from_dtype

from numpy_plugin import _core

__all__ = ["init"]

_BYTE_POINTER = ir.IntType(8).as_pointer()
_INTP = ir.IntType(64)


class _Loop(NamedTuple):
    """The loop of a ufunc for the types of a call.

    Attributes:
        name: of the ufunc.
        inputs: Numba's types of its inputs.
        outputs: likewise of its outputs.
        address: of the function, with NumPy's parameters.
        data: the last argument.
        can_raise: whether it returns an int, 1 with the Python error set.
    """

    name: str
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    address: int
    data: int
    can_raise: bool


def init() -> None:
    """Tell Numba the types of this package's ufuncs."""
    typeof_impl.register(np.ufunc)(_type_of)


def _type_of(ufunc: np.ufunc, context: Any) -> Any:
    """Return the type of a ufunc that compiled code refers to; None: NumPy's are Numba's own."""
    if context.purpose is not Purpose.constant or not _core.is_own_ufunc(ufunc):
        return None
    return _function_type(ufunc)


# The cache keeps ufuncs alive: compiled functions contain the addresses of their loops.
@cache
def _function_type(ufunc: np.ufunc) -> Any:
    name = f"Ufunc_{ufunc.__name__}"
    return types.Function(type(name, (_UfuncTemplate,), {"key": ufunc}))


class _UfuncTemplate(AbstractTemplate):  # type: ignore[misc]
    """The typing of calls of one ufunc, the class's `key`."""

    # Python's int literals are weak, as in NumPy.
    prefer_literal = True
    key: np.ufunc

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Return the signature of a call, and keep the function that generates its code."""
        ufunc = self.key
        self.check(kws)
        args = tuple(item.type if isinstance(item, types.Optional) else item for item in args)
        elements, outputs, ndim, layout = Numpy_rules_ufunc._handle_inputs(ufunc, args, kws)
        loop = _find_loop(ufunc, tuple(elements[: ufunc.nin]))
        if ndim == 0:
            signature = _ufunc_loop_sig(loop.outputs, loop.inputs)
            self.generate = _scalar_code(loop)
        else:
            made = [types.Array(of, ndim, layout) for of in loop.outputs[len(outputs) :]]
            plain = [types.unliteral(item) for item in args]
            signature = _ufunc_loop_sig([*outputs, *made], plain)
            self.generate = _array_code(ufunc, loop)
        lower_builtin(self.generate, *signature.args)(self.generate)
        return signature

    def get_impl_key(self, sig: Any) -> Any:
        """Return the function that generates the code of the call typed last."""
        return self.generate

    def check(self, kws: dict[str, Any]) -> None:
        """Raise a TypingError for calls that can't be compiled, whatever their types."""
        name = self.key.__name__
        if not issubclass(get_local_target(self.context), CPU):
            raise errors.TypingError(
                f"ufunc '{name}' has code for the CPU here; kernels of numpy_plugin.cuda call it"
            )
        if self.key.signature is not None:
            raise errors.TypingError(
                f"gufunc '{name}' cannot be called in njit: call it outside, or in a block of "
                "numba.objmode"
            )
        if kws:
            raise errors.TypingError(
                f"ufunc '{name}' takes no keywords in njit, found {', '.join(kws)}: give outputs "
                "by position"
            )


def _find_loop(ufunc: np.ufunc, given: tuple[Any, ...]) -> _Loop:
    """Return the loop that NumPy chooses for types of Numba's; compile it if necessary.

    Raises:
        TypingError: there is none, or Numba does not have its types.
    """
    name = ufunc.__name__
    try:
        asked = (*map(_numpy_type, given), *[None] * ufunc.nout)
        dtypes = _core.resolve_dtypes(ufunc, asked)
        found = tuple(map(_numba_type, dtypes))
        _check_literals(given, dtypes)
        loop = _core.compiled_loop(ufunc, [dtype.num for dtype in dtypes])
    except errors.NumbaError as error:
        raise errors.TypingError(f"ufunc '{name}': {error}") from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise errors.TypingError(f"ufunc '{name}': {error}") from error
    return _Loop(name, found[: ufunc.nin], found[ufunc.nin :], *loop)


def _numpy_type(given: Any) -> Any:
    """Return what `resolve_dtypes` takes for an operand: `int` for a literal."""
    if isinstance(given, types.IntegerLiteral):
        return int
    return as_dtype(types.unliteral(given))


def _numba_type(dtype: np.dtype[Any]) -> Any:
    if dtype == np.float16:
        raise errors.TypingError("Numba computes in no float16 on the CPU")
    return from_dtype(dtype)


def _check_literals(given: Sequence[Any], dtypes: Sequence[np.dtype[Any]]) -> None:
    """Raise an OverflowError for a literal that its dtype can't hold, as NumPy does."""
    for item, dtype in zip(given, dtypes, strict=False):
        if isinstance(item, types.IntegerLiteral):
            dtype.type(item.literal_value)


def _scalar_code(loop: _Loop) -> Callable[..., Any]:
    """Return the function that generates the call of a loop for one element."""

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        results = _call(context, builder, loop, args)
        return _packed(context, builder, signature.return_type, results)

    return generate


def _array_code(ufunc: np.ufunc, loop: _Loop) -> Callable[..., Any]:
    """Return the function that generates the loops over arrays around a call, which are Numba's."""

    class Kernel(npyimpl._Kernel):  # type: ignore[misc]
        def generate(self, *args: Any) -> Any:
            given = zip(args, self.outer_sig.args, loop.inputs, strict=True)
            inputs = [self.cast(value, own, of) for value, own, of in given]
            results = _call(self.context, self.builder, loop, inputs)
            wanted = npyimpl._unpack_output_types(ufunc, self.outer_sig)
            made = zip(results, loop.outputs, wanted, strict=True)
            outputs = [self.cast(value, of, own) for value, of, own in made]
            return _packed(self.context, self.builder, self.outer_sig.return_type, outputs)

    def generate(context: Any, builder: Any, signature: Any, args: Sequence[Any]) -> Any:
        return npyimpl.numpy_ufunc_kernel(context, builder, signature, args, ufunc, Kernel)

    return generate


def _packed(context: Any, builder: Any, of: Any, results: Sequence[Any]) -> Any:
    return results[0] if len(results) == 1 else context.make_tuple(builder, of, results)


def _call(context: Any, builder: Any, loop: _Loop, inputs: Sequence[Any]) -> list[Any]:
    """Generate the call of a loop for one element; return its outputs."""
    operands = [*loop.inputs, *loop.outputs]
    slots = [cgutils.alloca_once(builder, context.get_data_type(of)) for of in operands]
    for of, value, slot in zip(loop.inputs, inputs, slots, strict=False):
        context.pack_value(builder, of, value, slot)
    pointers = cgutils.alloca_once(builder, _BYTE_POINTER, size=len(operands))
    steps = cgutils.alloca_once(builder, _INTP, size=len(operands))
    for i, (of, slot) in enumerate(zip(operands, slots, strict=True)):
        address = builder.bitcast(slot, _BYTE_POINTER)
        builder.store(address, cgutils.gep_inbounds(builder, pointers, i))
        n_bytes = context.get_abi_sizeof(context.get_data_type(of))
        builder.store(_INTP(n_bytes), cgutils.gep_inbounds(builder, steps, i))
    count = cgutils.alloca_once_value(builder, _INTP(1))
    data = _INTP(loop.data).inttoptr(_BYTE_POINTER)
    status = _call_address(context, builder, loop, [pointers, count, steps, data])
    if loop.can_raise:
        _return_if_raised(context, builder, loop, status)
    n_inputs = len(loop.inputs)
    made = zip(loop.outputs, slots[n_inputs:], strict=True)
    return [context.unpack_value(builder, of, slot) for of, slot in made]


def _call_address(context: Any, builder: Any, loop: _Loop, args: list[Any]) -> Any:
    # A dynamic address keeps Numba from caching the code on disk.
    address = context.add_dynamic_addr(builder, loop.address, info=loop.name)
    result = ir.IntType(32) if loop.can_raise else ir.VoidType()
    function = ir.FunctionType(result, [item.type for item in args])
    return builder.call(builder.bitcast(address, function.as_pointer()), args)


def _return_if_raised(context: Any, builder: Any, loop: _Loop, status: Any) -> None:
    if getattr(builder, "_in_try_block", False):
        raise errors.UnsupportedError(
            f"ufunc '{loop.name}' can raise, and a try block in njit cannot catch that: call it "
            "outside of the block"
        )
    with cgutils.if_unlikely(builder, builder.icmp_unsigned("!=", status, status.type(0))):
        context.call_conv.return_exc(builder)
