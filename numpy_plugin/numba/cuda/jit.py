"""`cuda.jit`: Numba's decorator for device kernels and device functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypedDict, Unpack

from numpy_plugin import _core
from numpy_plugin._cuda.function_kernel import kernel_signature
from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._errors.wrong_call import mistaken
from numpy_plugin._frontend.device import DeviceFunction
from numpy_plugin._frontend.types import ArrayType, KernelType, own_type
from numpy_plugin.numba.cuda.jit_kernel import JitKernel

__all__ = ["JitOptions", "jit"]


class JitOptions(TypedDict, total=False):
    """Options of Numba's `cuda.jit`.

    Attributes:
        device: whether kernels call the function; if not, it is a kernel.
        fastmath: let NVRTC use fast approximations.
        max_registers: the most registers a thread may use.
        cache: no effect; compiled kernels are always cached.
        debug: no effect; faults name the source's line without it.
        inline: no effect; NVRTC decides.
        lineinfo: no effect; machine code always has line information.
        opt: whether to optimize.
    """

    device: bool
    fastmath: bool
    max_registers: int | None
    cache: bool
    debug: bool
    inline: str | bool
    lineinfo: bool
    opt: bool


# Hints for options of Numba's that have no counterpart.
_REFUSED = {
    "link": "declare what is linked by npp.declare_device(name, signature, link=...)",
    "boundscheck": "cuda.simulator() checks every access",
    "extensions": "copy such arguments to the device before the launch",
    "bind": "leave it out",
    "argtypes": "give the signature as the first argument",
    "restype": "give the signature as the first argument",
    "lto": "leave it out",
    "abi": 'cuda.kernel(source, "name") takes CUDA C++',
}


@without_own_frames
def jit(func_or_sig: Any = None, **options: Unpack[JitOptions]) -> Any:
    """Make a kernel, or with `device=True` a function that kernels call.

    Args:
        func_or_sig: the function, or for a decorator its signature, `"void(float32[:], int64)"`,
            or a tuple of types, or a list of signatures; None: the types of each launch.
        **options: see `JitOptions`.

    Returns:
        A kernel, launched as `k[blocks, threads, stream, shared_bytes](*arguments)`, or what
        `numpy_plugin.device` returns, or a decorator for either.

    Raises:
        KernelError: the function uses unsupported features; the message shows every place.
        SignatureError: the signature is malformed; the message underlines the place.
        TypeError: an option that has no counterpart here; the message says what to write.
    """
    _check_options(options)
    if func_or_sig is not None and callable(func_or_sig) and not _is_signature(func_or_sig):
        return _make(func_or_sig, None, options)

    @without_own_frames
    def decorator(function: Callable[..., Any]) -> JitKernel | DeviceFunction[..., Any]:
        return _make(function, func_or_sig, options)

    return decorator


def _make(
    function: Callable[..., Any], signature: Any, options: JitOptions
) -> JitKernel | DeviceFunction[..., Any]:
    if options.get("device"):
        return DeviceFunction(function)  # its types are those of each call
    text = kernel_signature(_one_signature(signature))
    return JitKernel(function, text, _nvrtc_options(options))


def _is_signature(item: object) -> bool:
    return isinstance(own_type(item), (KernelType, ArrayType, str))


def _one_signature(signature: Any) -> Any:
    """Return the only signature; with several, kernels are compiled for each launch's types."""
    if isinstance(signature, Iterable) and not isinstance(signature, (str, tuple)):
        signatures = list(signature)
        return signatures[0] if len(signatures) == 1 else None
    return signature


def _nvrtc_options(options: JitOptions) -> list[str]:
    words = []
    if options.get("fastmath"):
        words.append("--use_fast_math")
    if most := options.get("max_registers"):
        words.append(f"--maxrregcount={most}")
    if not options.get("opt", True):
        words.append("--device-debug")
    return words


def _check_options(options: JitOptions) -> None:
    known = list(JitOptions.__annotations__)
    for name in options:
        if name in known:
            continue
        near = _core.nearest(name, known)
        hint = _REFUSED.get(name, f"did you mean '{near}'?" if near else "")
        raise mistaken(TypeError, f"cuda.jit has no argument '{name}'", hint, name, is_name=True)
