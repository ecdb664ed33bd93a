"""`fuse`: compile whole-array code to a ufunc with one loop and no temporaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack, overload

import numpy as np

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.declare import Options, Signatures, make, signature_list
from numpy_plugin._frontend.options import LoopOptions, checked_options

__all__ = ["fuse"]


@overload
def fuse(
    function: Callable[..., Any],
    /,
    *,
    signatures: Signatures | None = None,
    **options: Unpack[LoopOptions],
) -> np.ufunc: ...
@overload
def fuse(
    function: None = None,
    /,
    *,
    signatures: Signatures | None = None,
    **options: Unpack[LoopOptions],
) -> Callable[[Callable[..., Any]], np.ufunc]: ...
@without_own_frames
def fuse(
    function: Callable[..., Any] | None = None,
    /,
    *,
    signatures: Signatures | None = None,
    **options: Unpack[LoopOptions],
) -> Any:
    """Make a ufunc from a function written for whole arrays with NumPy's functions.

    `np.exp(a * np.sin(x) + np.cos(y))` takes four temporaries and five passes over memory; fused,
    it takes one pass. The function is a kernel like those of `vectorize`, with the types that NumPy
    gives for arrays. Operands are never written: `x += 1` rebinds the name.

    Args:
        function: the function; if omitted, a decorator is returned.
        signatures: as for `vectorize`; None: compiled for the types of each call, on first use.
        **options: `name`, `target`, `identity`, `doc`, `math`, `fastmath` and `cache`, as for
            `vectorize`.

    Returns:
        An object for which `type(f) is np.ufunc`, or a decorator that returns one.

    Raises:
        KernelError: the function needs more than one element at a time (`x.sum()`, `x[0]`,
            `len(x)`), or uses unsupported features; the message shows every place.
        SignatureError: a signature is malformed.
        TypeError: an unknown keyword.
    """
    chosen = checked_options("fuse", LoopOptions, {**options}, ("signatures",))
    declared = Options(signature_list(signatures), None, is_fused=True, **chosen)
    return make(declared, function)
