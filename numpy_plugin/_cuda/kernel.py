"""`cuda.kernel`: kernels in CUDA C++ and in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, overload

from numpy_plugin._cuda.function_kernel import (
    FunctionKernel,
    KernelSignature,
    device_kernel,
    kernel_signature,
)
from numpy_plugin._cuda.raw_kernel import Kernel, source_kernel
from numpy_plugin._errors.mistake import wrong_class
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import check_encodable, mistaken

__all__ = ["kernel", "option_list"]


@overload
def kernel(source: str, name: str, options: Iterable[str] = ()) -> Kernel: ...
@overload
def kernel(
    source: Callable[..., Any], name: KernelSignature | None = None, options: Iterable[str] = ()
) -> FunctionKernel: ...
@overload
def kernel(
    source: KernelSignature | None = None, *, options: Iterable[str] = ()
) -> Callable[[Callable[..., Any]], FunctionKernel]: ...
@without_own_frames
def kernel(source: Any = None, name: Any = None, options: Iterable[str] = ()) -> Any:
    """Return a kernel made from CUDA C++ source or from a Python function.

    `kernel(source, "name")` takes CUDA C++, `kernel(function, "void(float32[:], int64)")` a Python
    function. The decorator is `@kernel("void(float32[:], int64)")`, or `@kernel` to compile for the
    types of each launch.

    Args:
        source: CUDA C++, which NVRTC compiles for the device of a launch, with the same flags
            as ufuncs: C++20 and no contraction of `a * b + c`. Or a Python function in the kernel
            language, of arrays with any strides and scalars. Or, for a decorator, the signature.
        name: the kernel's name as in C++: `"increment"`, `"scale<float>"`, `"model::step"`; or the
            signature of the Python function, as a str, an object or a sequence of types. None:
            the types of each launch.
        options: additional NVRTC options, such as `"-DN=8"` or `"-fmad=true"`.

    Returns:
        A kernel to launch as `k[grid, block](*arguments)`, or a decorator that returns one.

    Raises:
        KernelError: the function uses unsupported features; the message shows every place.
        SignatureError: the signature is malformed; the message underlines the place.
        CompilerError: on first use: NVRTC rejects the source; the message shows its lines.
        TypeError: neither a source with a name nor a function.
    """
    words = option_list(options)
    if isinstance(source, str) and name is not None:
        check_encodable("source", source)
        return source_kernel(source, name, words)
    if isinstance(source, str) and "__global__" in source:
        message = "a CUDA C++ source needs its kernel's name"
        raise mistaken(TypeError, message, 'cuda.kernel(source, "name")')
    if callable(source) and not isinstance(source, type):
        return device_kernel(source, kernel_signature(name), words)
    if name is not None:
        message = wrong_class("source", "a str or a function", source)
        raise mistaken(TypeError, message, argument="source")

    signature = kernel_signature(source)

    @without_own_frames
    def decorator(function: Callable[..., Any]) -> FunctionKernel:
        return device_kernel(function, signature, words)

    return decorator


def option_list(options: Iterable[str]) -> list[str]:
    """Return NVRTC's options as a list.

    Raises:
        TypeError: they are no sequence of str.
        ValueError: one of them names the architecture.
    """
    if not isinstance(options, Iterable):
        message = wrong_class("options", "a sequence of str", options)
        raise mistaken(TypeError, message, 'options=["-DN=8"]', "options")
    words = [options] if isinstance(options, str) else list(options)
    for number, word in enumerate(words):
        if not isinstance(word, str):
            message = wrong_class("each of options", "a str", word)
            raise mistaken(TypeError, message, 'options=["-DN=8"]', "options", number)
        if word.lstrip("-").startswith(("arch", "gpu-architecture")):
            message = f"the architecture is that of the device, found {word!r}"
            raise mistaken(ValueError, message, "leave it out", "options", number)
    return words
