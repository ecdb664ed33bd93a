"""Signatures of ufuncs for `inspect.signature` and `help`: as NumPy's, with named operands."""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from inspect import Parameter, Signature, cleandoc

import numpy as np

__all__ = ["describe_call"]

_KEYWORDS: dict[str, object] = {
    "casting": "same_kind",
    "order": "K",
    "dtype": None,
    "subok": True,
    "signature": None,
}
_ELEMENTWISE: dict[str, object] = {"where": True, **_KEYWORDS}
_GENERALIZED: dict[str, object] = {
    "axes": np._NoValue,
    "axis": np._NoValue,
    "keepdims": False,
    **_KEYWORDS,
}


def describe_call(
    ufunc: np.ufunc,
    doc: str,
    operands: Sequence[Parameter],
    returns: object = Signature.empty,
    *,
    by_position: bool = False,
) -> None:
    """Set a ufunc's signature and its docstring, whose first line is the signature.

    `by_position` says that calls can't name the inputs.
    """
    named = _ELEMENTWISE if ufunc.signature is None else _GENERALIZED
    no_outputs = None if ufunc.nout == 1 else (None,) * ufunc.nout
    parameters = _inputs(operands[: ufunc.nin], {"out", *named}, by_position=by_position)
    parameters.append(Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=no_outputs))
    for name, default in named.items():
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default))
    signature = Signature(parameters, return_annotation=returns)
    ufunc.__dict__["__signature__"] = signature
    line = f"{ufunc.__name__}{signature}"
    ufunc.__dict__["__doc__"] = f"{line}\n\n{cleandoc(doc)}" if doc else line


def _inputs(
    operands: Sequence[Parameter], taken: set[str], *, by_position: bool
) -> list[Parameter]:
    """Return the inputs as parameters.

    An input whose name has another meaning in calls is positional-only, as are those before it.
    """
    is_odd = [each.name in taken or keyword.iskeyword(each.name) for each in operands]
    n_by_position = max((i + 1 for i, odd in enumerate(is_odd) if odd or by_position), default=0)
    inputs = []
    for i, (operand, odd) in enumerate(zip(operands, is_odd, strict=True)):
        kind = Parameter.POSITIONAL_ONLY if i < n_by_position else Parameter.POSITIONAL_OR_KEYWORD
        name = f"{operand.name}_" if odd else operand.name
        inputs.append(Parameter(name, kind, default=operand.default, annotation=operand.annotation))
    return inputs
