"""Device kernels written in Python, made by `cuda.kernel`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from numpy_plugin import _core
from numpy_plugin._cuda.raw_kernel import Kernel
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import check_encodable
from numpy_plugin._frontend.syntax import function_syntax
from numpy_plugin._frontend.tuples import (
    Tuples,
    flattened,
    has_tuples,
    record_forms,
    record_types_text,
    tuples_of,
    with_records,
    with_tuples,
)
from numpy_plugin._frontend.types import (
    ArrayType,
    KernelType,
    RecordType,
    Signature,
    own_type,
    record_operands,
    record_type,
    signature_text,
)

__all__ = ["FunctionKernel", "KernelSignature", "device_kernel", "kernel_signature"]

KernelSignature = str | Signature | Sequence[str | KernelType | ArrayType | type]


class FunctionKernel(Kernel):
    """A kernel written in Python. Made by `kernel`.

    `k[grid, block](*arguments)` launches it, like a kernel in CUDA C++. Without a signature it is
    compiled for the types of each launch, and `ptx` and similar attributes are for its first types.
    """

    __module__ = "numpy_plugin.cuda"

    def __init__(
        self, function: Callable[..., Any], signature: str | None, options: Sequence[str]
    ) -> None:
        """Read the function, and type it if there is a signature."""
        check_encodable("name", function.__name__)
        self.__wrapped__ = function
        self._syntax = function_syntax(function)
        self._options = options
        self._typed_with: dict[Tuples, _core.FunctionKernel] = {}
        # Of the arguments that a kernel is specialized for.
        operands = record_operands(signature)
        self._tuples: Tuples = record_forms(operands)
        self._signature = signature = record_types_text(operands) if operands else signature
        self._typed = self._with_tuples(self._tuples)
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__qualname__ = function.__qualname__
        native = None if signature is None else self._typed.for_signature(signature)
        super().__init__(function.__name__, native)

    def _native_for(self, arguments: tuple[object, ...]) -> _core.RawKernel:
        """Return the kernel for a launch's types; the first launch with them types it."""
        if self._signature is not None:
            return self._native
        typed = self._typed_for_tuples(arguments) if has_tuples(arguments) else self._typed
        native = typed.for_arguments(arguments)
        if self._first_native is None:
            self._first_native = native
        return native

    def _in_order(
        self, arguments: tuple[object, ...], named: dict[str, object]
    ) -> tuple[object, ...]:
        return _binder(self.__wrapped__)(*arguments, **named) if named else arguments

    def _completed(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        """Return a launch's arguments with defaults, and with records as tuples."""
        defaults = self.__wrapped__.__defaults__ or ()
        n_parameters = self.__wrapped__.__code__.co_argcount
        n_missing = n_parameters - len(arguments)
        if defaults and not 0 <= n_missing <= len(defaults):
            taken = f"{n_parameters - len(defaults)} to {n_parameters} arguments"
            raise TypeError(f"{self.__name__!r} takes {taken}, found {len(arguments)}")
        if n_missing > 0:
            arguments += defaults[len(defaults) - n_missing :]
        return with_records(arguments, self.__name__)

    def _typed_for_tuples(self, arguments: tuple[object, ...]) -> _core.FunctionKernel:
        """Return the kernel with a parameter for each item of the tuples, and none for None."""
        n_parameters = self.__wrapped__.__code__.co_argcount
        if len(arguments) != n_parameters:
            counted = "1 argument" if n_parameters == 1 else f"{n_parameters} arguments"
            raise TypeError(f"{self.__name__!r} takes {counted}, found {len(arguments)}")
        tuples = tuples_of(arguments)
        if tuples not in self._typed_with:
            self._typed_with[tuples] = self._with_tuples(tuples)
        return self._typed_with[tuples]

    def _with_tuples(self, tuples: Tuples) -> _core.FunctionKernel:
        syntax = with_tuples(self._syntax, tuples, self.__wrapped__) if tuples else self._syntax
        return _core.make_function_kernel(syntax, list(self._options))

    def _launch_arguments(self, arguments: tuple[object, ...]) -> tuple[object, ...]:
        """Return an argument for each parameter: the items of tuples."""
        if not has_tuples(arguments) and not self._tuples:
            return arguments
        if self._signature is not None and tuples_of(arguments) != self._tuples:
            raise TypeError(
                f"launch of {self.__name__!r}: its signature is {self._signature}; tuples and None "
                "are for kernels without a signature, or specialized with the same tuples"
            )
        return flattened(arguments)

    @without_own_frames
    def specialize(self, *arguments: object) -> FunctionKernel:
        """Return the kernel specialized for the types of these arguments.

        Raises:
            KernelError: the function does not support them.
            TypeError: one of them is not a valid kernel argument, or their number is wrong.
        """
        arguments = self._completed(arguments)
        made = FunctionKernel(self.__wrapped__, None, self._options)
        native = made._native_for(arguments)
        made._signature = native.signature
        made._tuples = tuples_of(arguments) if has_tuples(arguments) else ()
        return made


def _binder(function: Callable[..., Any]) -> Callable[..., tuple[object, ...]]:
    """Return a function with the parameters of another one, which returns its arguments.

    Python binds them, and its errors name the user's function.
    """
    code = function.__code__
    names = list(code.co_varnames[: code.co_argcount])
    parameters = names.copy()
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    bound: FunctionType = eval(f"lambda {', '.join(parameters)}: ({', '.join(names)},)")
    bound.__qualname__ = function.__qualname__
    bound.__defaults__ = function.__defaults__
    return bound


def device_kernel(
    function: Callable[..., Any], signature: str | None, options: Sequence[str]
) -> FunctionKernel:
    """Return a kernel made from a function."""
    return FunctionKernel(function, signature, options)


def kernel_signature(signature: object) -> str | None:
    """Return the text of a signature; a sequence of types lists the parameters.

    Raises:
        TypeError: it is not a signature.
    """
    signature = own_type(signature)
    if signature is None:
        return None
    if isinstance(signature, (list, tuple)) and not isinstance(signature, str):
        types = [record_type(item) for item in signature]
        if any(isinstance(item, RecordType) for item in types):
            return Signature(f"void({', '.join(map(signature_text, types))})", tuple(types), ())
    if isinstance(signature, str) or not isinstance(signature, Iterable):
        hint = '"void(float32[:], int64)", or [npp.float32[:], npp.int64]'
        return signature_text(signature, "signature", hint=hint)
    hint = "npp.float32[:], or npp.int64"
    texts = (signature_text(item, "signature", i, hint) for i, item in enumerate(signature))
    return f"void({', '.join(texts)})"
