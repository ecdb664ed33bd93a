"""The magics of the IPython extension. Imported by `%load_ext`, never without IPython."""

from __future__ import annotations

import argparse
import ast
import shlex
from functools import partial
from typing import Any, NoReturn

from IPython.core.error import UsageError

from numpy_plugin._errors.traceback import without_own_frames
from numpy_plugin._frontend.declare import guvectorize, vectorize
from numpy_plugin._inspection.explain import Explanation
from numpy_plugin._inspection.inspect import inspect
from numpy_plugin._ipython.cell_errors import shown_in_cell
from numpy_plugin._ipython.operand_names import NamedSignature, named_signature

__all__ = ["register_magics"]

_METHODS = ("reduce", "accumulate", "reduceat", "at")


class _Parser(argparse.ArgumentParser):
    """Raises IPython's error, which is shown without a traceback."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_help()}")


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="%%ufunc", description="Make a ufunc from the cell's C++ body.", add_help=False
    )
    parser.add_argument("name", help="of the ufunc, and of the variable that it is assigned to")
    parser.add_argument(
        "signatures",
        nargs="+",
        help="type signatures with the operands' names: 'float64(float64 x, float64 y)'; results "
        "that have names, too, are assigned instead of returned",
    )
    parser.add_argument("--layout", help="of a generalized ufunc: '(n),(n)->()'")
    parser.add_argument("--target", default="auto", help="cpu, parallel, cuda or auto")
    parser.add_argument("--preamble", help="a variable with C++ that the body uses")
    return parser


_PARSER = _make_parser()


def register_magics(shell: Any) -> None:
    """Add the magics to a shell, which they belong to."""
    for kind, name, function in (("cell", "ufunc", _ufunc), ("line", "npp_explain", _explain)):
        magic = partial(function, shell)
        magic.__doc__ = function.__doc__
        shell.register_magic_function(magic, kind, name)


@without_own_frames
def _ufunc(shell: Any, line: str, cell: str) -> None:
    given = _PARSER.parse_args(_words(line))
    signatures = [named_signature(text) for text in given.signatures]
    inputs, outputs = _operand_names(signatures, given.layout)
    options: dict[str, Any] = {
        "name": given.name,
        "args": inputs,
        "outs": outputs or None,
        "body": cell,
        "target": given.target,
    }
    if given.preamble:
        options["preamble"] = _text_variable(shell, given.preamble)
    texts = [signature.text for signature in signatures]
    with shown_in_cell(line, cell):
        # Without the decorator that looks for the place of an error in the caller's file.
        if given.layout is None:
            made = vectorize.__wrapped__(texts, **options)  # type: ignore[attr-defined]
        else:
            made = guvectorize.__wrapped__(texts, given.layout, **options)  # type: ignore[attr-defined]
    shell.push({given.name: made})


_ufunc.__doc__ = _PARSER.format_help()


@without_own_frames
def _explain(shell: Any, line: str) -> Explanation:
    """Explain a call: where it runs and why, what it transfers and executes, its times.

    `%npp_explain hypot(x, y)`, `%npp_explain total.reduce(x, axis=0)`; `arch=` and `gpu=` among
    the call's keywords are those of `npp.inspect(f).explain`.
    """
    call = _parsed_call(line.strip())
    function, method = call.func, ""
    if isinstance(function, ast.Attribute) and function.attr in _METHODS:
        method = function.attr
        function = function.value
    call.func = ast.Name("__npp_take", ast.Load())
    names = {"__npp_take": lambda *operands, **keywords: (operands, keywords)}
    operands, keywords = _value(shell, call, names)
    if method:
        keywords["method"] = method
    explained: Explanation = inspect(_value(shell, function, {})).explain(*operands, **keywords)
    return explained


def _parsed_call(text: str) -> ast.Call:
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        call = None
    if isinstance(call, ast.Call):
        return call
    raise UsageError(f"expected a call such as 'hypot(x, y)', found {text!r}")


def _value(shell: Any, node: ast.expr, names: dict[str, Any]) -> Any:
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "<npp_explain>", "eval")
    return eval(code, shell.user_ns, names)  # the user's own expression


def _text_variable(shell: Any, name: str) -> str:
    text = shell.user_ns.get(name)
    if isinstance(text, str):
        return text
    raise UsageError(f"--preamble names a variable with C++ text; {name!r} is none")


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"{error} in {line!r}") from None


def _operand_names(
    signatures: list[NamedSignature], layout: str | None
) -> tuple[list[str], list[str]]:
    """Return the names of the inputs and of the results, which all signatures share."""
    first, *others = signatures
    for other in others:
        if other.inputs != first.inputs or other.outputs != first.outputs:
            message = f"the signatures name different operands: {first.text} and {other.text}"
            raise UsageError(message)
    if layout is None:
        return first.inputs, first.outputs
    n_inputs = layout.partition("->")[0].count("(")
    return first.inputs[:n_inputs], first.inputs[n_inputs:]
