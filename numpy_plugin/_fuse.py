"""`fuse`: a function written over whole arrays, as a ufunc with one loop and no temporary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from numpy_plugin._declare import Options, Signatures, check_keywords, make, signature_list
from numpy_plugin._errors import KernelError

__all__ = ["fuse"]

_KEYWORDS = ["cache", "doc", "fastmath", "identity", "math", "name", "signatures", "target"]


@overload
def fuse(function: Callable[..., Any], /, **options: Any) -> np.ufunc: ...
@overload
def fuse(
    function: None = None,
    /,
    *,
    signatures: Signatures | None = None,
    name: str | None = None,
    target: str = "auto",
    identity: object = None,
    doc: str | None = None,
    math: str = "vector",
    fastmath: bool = False,
    cache: bool = True,
) -> Callable[[Callable[..., Any]], np.ufunc]: ...
def fuse(
    function: Callable[..., Any] | None = None,
    /,
    *,
    signatures: Signatures | None = None,
    name: str | None = None,
    target: str = "auto",
    identity: object = None,
    doc: str | None = None,
    math: str = "vector",
    fastmath: bool = False,
    cache: bool = True,
    **others: object,
) -> Any:
    """Make a ufunc of a function written over whole arrays with NumPy's functions.

    `np.exp(a * np.sin(x) + np.cos(y))` makes four temporaries and five passes over memory; fused it
    is one pass. The function is a kernel as `vectorize` takes it, with the same types, which are
    those that NumPy gives for arrays. Operands are never written: `x += 1` binds a name.

    Args:
        function: the function; without it a decorator is returned.
        signatures: as for `vectorize`; None: compiled for the types of each call, on first use.
        name: as for `vectorize`.
        target: as for `vectorize`.
        identity: as for `vectorize`.
        doc: as for `vectorize`.
        math: as for `vectorize`.
        fastmath: as for `vectorize`.
        cache: as for `vectorize`.
        **others: as for `vectorize`.

    Returns:
        An object for which `type(f) is np.ufunc`, or a decorator that returns one.

    Raises:
        KernelError: the function needs more than an element at a time (`x.sum()`, `x[0]`,
            `len(x)`), or uses what a kernel can't; with every such place.
        SignatureError: a signature can't be read.
        TypeError: an unknown keyword.
    """
    check_keywords("fuse", others, _KEYWORDS)
    options = Options(
        signature_list(signatures),
        None,
        is_fused=True,
        body=None,
        args=None,
        outs=None,
        name=name,
        target=target,
        identity=identity,
        doc=doc,
        math=math,
        fastmath=fastmath,
        cache=cache,
        preamble="",
    )
    try:
        return make(options, function)
    except KernelError as error:
        error.__traceback__ = None
        raise
