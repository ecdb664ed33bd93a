"""`cuda.kernel`: one name for kernels of CUDA C++ and of Python."""

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

__all__ = ["kernel"]


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
    """Return a kernel of a CUDA C++ source, or of a Python function.

    `kernel(source, "name")` is a kernel of CUDA C++. `kernel(function, "void(float32[:], int64)")`
    is one of Python; so are functions below `@kernel("void(float32[:], int64)")`, and below
    `@kernel`, which are compiled for the types of each launch.

    Args:
        source: CUDA C++, which NVRTC compiles for the device of a launch, with the flags of ufuncs:
            C++20 and no contraction of `a * b + c`. Or a Python function of arrays, of any strides,
            and numbers, in the kernel language. Or, for a decorator, the signature.
        name: the kernel as C++ names it: `"increment"`, `"scale<float>"`, `"model::step"`; or the
            signature of the Python function, as a text, an object or a sequence of types. None:
            the types of each launch.
        options: more options of NVRTC, such as `"-DN=8"` or `"-fmad=true"`.

    Returns:
        A kernel to launch as `k[grid, block](*arguments)`, or a decorator that returns one.

    Raises:
        KernelError: the function uses what a kernel can't, with every such place.
        SignatureError: the signature can't be read; the text underlines the place.
        CompilerError: when it is first needed: what is wrong, with the source's own lines.
        TypeError: neither a source with a name nor a function.
    """
    words = _option_list(options)
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


def _option_list(options: Iterable[str]) -> list[str]:
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
