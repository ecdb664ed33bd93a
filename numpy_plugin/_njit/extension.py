"""Ufuncs of this package in functions that Numba compiles with `njit`.

Numba calls `init` through the entry point `numba_extensions` before it compiles anything. A call of
a ufunc is typed by the ufunc's own promotion, and runs the machine code that calls outside of
`njit` run, so that both return the same bits.
"""

# Numba is optional, and its types are incomplete.
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numba.core import errors, types
from numba.core.target_extension import CPU, get_local_target
from numba.core.typing.npydecl import Numpy_rules_ufunc
from numba.core.typing.templates import AbstractTemplate
from numba.core.typing.typeof import Purpose
from numba.extending import lower_builtin, typeof_impl
from numba.np.numpy_support import _ufunc_loop_sig, as_dtype, from_dtype

from numpy_plugin import _core
from numpy_plugin._njit.arrays import array_code, generalized_code
from numpy_plugin._njit.code import CompiledLoop, scalar_code

__all__ = ["init"]


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
    return types.Function(type(name, (_UfuncTemplate,), {"key": _Key(ufunc)}))


class _Key:
    """A ufunc as the key of its type: Numba fuses array calls of keys that are NumPy's ufuncs."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc
        self.__name__ = ufunc.__name__  # in Numba's messages

    def __repr__(self) -> str:
        return repr(self.ufunc)


class _UfuncTemplate(AbstractTemplate):  # type: ignore[misc]
    """The typing of calls of one ufunc, that of the class's `key`."""

    # Python's int literals are weak, as in NumPy.
    prefer_literal = True
    key: _Key

    def generic(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Return the signature of a call, and keep the function that generates its code."""
        ufunc = self.key.ufunc
        self.check(kws)
        args = tuple(item.type if isinstance(item, types.Optional) else item for item in args)
        elements, outputs, ndim, layout = Numpy_rules_ufunc._handle_inputs(ufunc, args, kws)
        loop = _find_loop(ufunc, tuple(elements[: ufunc.nin]))
        if ufunc.signature is not None:
            return self.generic_of_cores(loop, args)
        if not any(isinstance(item, types.ArrayCompatible) for item in args):
            signature = _ufunc_loop_sig(loop.outputs, loop.inputs)
            self.generate = scalar_code(loop)
        else:
            _check_outputs(ufunc, loop, outputs, ndim)
            made = [types.Array(of, ndim, layout) for of in loop.outputs[len(outputs) :]]
            plain = [types.unliteral(item) for item in args]
            signature = _ufunc_loop_sig([*outputs, *made], plain)
            self.generate = array_code(loop)
        lower_builtin(self.generate, *signature.args)(self.generate)
        return signature

    def generic_of_cores(self, loop: CompiledLoop, args: tuple[Any, ...]) -> Any:
        """Return the signature of a call of a gufunc, to which all operands are given."""
        ufunc = self.key.ufunc
        cores = [
            [name for name in core.split(",") if name]
            for core in re.findall(r"\(([^)]*)\)", ufunc.signature or "")
        ]
        _check_cores(ufunc, loop, args, cores)
        pairs = zip(args, (*loop.inputs, *loop.outputs), strict=True)
        plain = [item if isinstance(item, types.Array) else of for item, of in pairs]
        signature = _ufunc_loop_sig(plain[ufunc.nin :], plain)
        self.generate = generalized_code(loop, cores)
        lower_builtin(self.generate, *signature.args)(self.generate)
        return signature

    def get_impl_key(self, sig: Any) -> Any:
        """Return the function that generates the code of the call typed last."""
        return self.generate

    def check(self, kws: dict[str, Any]) -> None:
        """Raise a TypingError for calls that can't be compiled, whatever their types."""
        name = self.key.ufunc.__name__
        if not issubclass(get_local_target(self.context), CPU):
            raise errors.TypingError(
                f"ufunc '{name}' has code for the CPU here; kernels of numpy_plugin.cuda call it"
            )
        if kws:
            raise errors.TypingError(
                f"ufunc '{name}' takes no keywords in njit, found {', '.join(kws)}: give outputs "
                "by position"
            )


def _find_loop(ufunc: np.ufunc, given: tuple[Any, ...]) -> CompiledLoop:
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
        loop = _core.compiled_loop(ufunc, list(dtypes))
    except errors.NumbaError as error:
        raise errors.TypingError(f"ufunc '{name}': {error}") from None
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise errors.TypingError(f"ufunc '{name}': {error}") from error
    return CompiledLoop(name, found[: ufunc.nin], found[ufunc.nin :], *loop)


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


def _check_outputs(ufunc: np.ufunc, loop: CompiledLoop, given: Sequence[Any], ndim: int) -> None:
    """Raise a TypingError for arrays that cannot take the results, as NumPy does."""
    name = ufunc.__name__
    if ndim == 0:
        raise errors.TypingError(
            f"ufunc '{name}' takes no 0-dimensional arrays in njit: pass a[()]"
        )
    for output, of in zip(given, loop.outputs, strict=False):
        if output.ndim != ndim:
            raise errors.TypingError(
                f"ufunc '{name}': the output has {output.ndim} dimensions, the operands {ndim}"
            )
        if not np.can_cast(as_dtype(of), as_dtype(output.dtype), "same_kind"):
            raise errors.TypingError(
                f"ufunc '{name}': the output is {output.dtype}, the result {of}"
            )


def _check_cores(
    ufunc: np.ufunc, loop: CompiledLoop, args: Sequence[Any], cores: Sequence[Sequence[str]]
) -> None:
    """Raise a TypingError for operands that a gufunc in njit does not take."""
    name = f"gufunc '{ufunc.__name__}'"
    if any("?" in item or "|" in item for core in cores for item in core):
        raise errors.TypingError(f"{name} has optional dimensions: call it outside of njit")
    if ufunc.nout == 0:
        raise errors.TypingError(f"{name} has no outputs: call it outside of njit")
    if len(args) < ufunc.nargs:
        raise errors.TypingError(
            f"Too few arguments for {name} in njit, which takes {ufunc.nargs}: give it arrays for "
            "its outputs"
        )
    n_outer = []
    for number, (item, of, core) in enumerate(
        zip(args, (*loop.inputs, *loop.outputs), cores, strict=True), 1
    ):
        is_array = isinstance(item, types.Array)
        n_dimensions = item.ndim if is_array else 0
        if n_dimensions < len(core) or (is_array and item.dtype != of):
            raise errors.TypingError(
                f"{name}: operand {number} is {item}, expected {of} of {len(core)} or more "
                "dimensions: it is not cast"
            )
        n_outer.append(n_dimensions - len(core))
    if any(n != max(n_outer) for n in n_outer[ufunc.nin :]):
        raise errors.TypingError(f"{name}: an output lacks dimensions of the inputs")
