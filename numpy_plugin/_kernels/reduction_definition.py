"""What a `ReductionKernel` declares, and its texts as ufuncs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from numpy_plugin._frontend.declare import Options
from numpy_plugin._kernels.options import CompilerOptions, ufunc_options
from numpy_plugin._kernels.parameters import Parameter

__all__ = ["Definition", "function", "identity_of"]


class Definition(NamedTuple):
    """A declaration; texts are C++."""

    name: str
    inputs: list[Parameter]
    outputs: list[Parameter]
    map: str
    reduce: str
    post: str
    identity: object
    reduce_type: str
    preamble: str
    options: CompilerOptions


def function(
    definition: Definition,
    text: str,
    signature: str,
    args: list[str],
    outs: Sequence[str],
    aliases: list[tuple[str, str]],
) -> np.ufunc:
    """Make a ufunc of one of the texts, with names of types."""
    chosen = ufunc_options(
        "ReductionKernel", definition.name, definition.preamble, definition.options
    )
    options = Options([signature], None, body=text, args=args, outs=list(outs), **chosen)
    options.check()
    return options.from_body(aliases=aliases)


def identity_of(definition: Definition, value: str, aliases: list[tuple[str, str]]) -> object:
    """Return the identity as a scalar of the values' type."""
    identity = definition.identity
    if identity is None or (isinstance(identity, str) and not identity.strip()):
        return None
    if not isinstance(identity, str):
        return np.dtype(value).type(identity)
    text = identity.strip()
    if re.fullmatch(r"[-+]?\d+", text):
        return np.dtype(value).type(int(text))
    compute = function(definition, f"return {text};", f"{value}(bool)", ["npp_any"], (), aliases)
    return compute(True)
