"""The peers: every library's version of a kernel, made from the same Python function."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import numpy_plugin
from kernel_table.kernels import Kernel, function_of

__all__ = ["PEERS", "contestants", "ours", "versions"]

Call = Callable[..., Any]


def ours(kernel: Kernel, dtype: npt.DTypeLike, target: str, fastmath: bool = False) -> np.ufunc:
    """Return this package's ufunc for "cpu" or "parallel"."""
    declare = numpy_plugin.vectorize([_signature(kernel, dtype)], target=target, fastmath=fastmath)
    return declare(function_of(kernel, dtype))


def contestants(
    kernel: Kernel, dtype: npt.DTypeLike, fastmath: bool = False
) -> dict[str, Call | str]:
    """Return the versions of the peers that have both, by name; a str names what is missing."""
    found: dict[str, Call | str] = {}
    for name, peer in PEERS.items():
        if not (kernel.is_expression or peer.takes_loops) or fastmath > peer.has_fastmath:
            continue
        try:
            found[name] = peer.make(kernel, dtype, **({"fastmath": True} if fastmath else {}))
        except ImportError:
            found[name] = peer.package
    return found


def versions() -> dict[str, str]:
    """Return the version of each peer's package, "missing" for what is not installed."""
    found = {}
    for package in (*dict.fromkeys(peer.package for peer in PEERS.values()), "tbb"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "missing"
    return found


def _signature(kernel: Kernel, dtype: npt.DTypeLike) -> str:
    name = np.dtype(dtype).name
    return f"{name}({', '.join([name] * len(kernel.ranges))})"


def _numpy(kernel: Kernel, dtype: npt.DTypeLike) -> Call:
    return function_of(kernel, dtype)


def _numexpr(kernel: Kernel, dtype: npt.DTypeLike) -> Call:
    """Return a call of the function's expression, its constants passed as scalars."""
    numexpr = importlib.import_module("numexpr")
    function = function_of(kernel, dtype)
    definition = ast.parse(textwrap.dedent(inspect.getsource(kernel.function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    (statement,) = definition.body
    assert isinstance(statement, ast.Return)
    assert statement.value is not None
    expression = ast.unparse(statement.value).replace("np.", "")
    names = [argument.arg for argument in definition.args.args]
    constants = {
        name: value
        for name, value in function.__globals__.items()
        if isinstance(value, np.floating) and name in function.__code__.co_names
    }

    def call(*operands: Any, out: Any = None) -> Any:
        values = dict(zip(names, operands, strict=True), **constants)
        return numexpr.evaluate(expression, local_dict=values, out=out)

    return call


def _numba(kernel: Kernel, dtype: npt.DTypeLike, **options: Any) -> Call:
    numba = importlib.import_module("numba")
    made: Call = numba.vectorize([_signature(kernel, dtype)], **options)(function_of(kernel, dtype))
    return made


def _jax(kernel: Kernel, dtype: npt.DTypeLike) -> Call:
    """Return a jitted call, which copies operands on their first use only."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    jitted = jax.jit(function_of(kernel, dtype, jax.numpy))
    copies: dict[int, tuple[Any, Any]] = {}

    def copy_of(operand: Any) -> Any:
        if id(operand) not in copies:
            copies[id(operand)] = operand, jax.numpy.asarray(operand)
        return copies[id(operand)][1]

    def call(*operands: Any) -> Any:
        return jitted(*map(copy_of, operands)).block_until_ready()

    return call


class Peer(NamedTuple):
    """A library, and what makes its version of a kernel, with `fastmath=` if it has that."""

    package: str
    make: Callable[..., Call]
    takes_loops: bool = False
    has_fastmath: bool = False


PEERS: Mapping[str, Peer] = {
    "NumPy": Peer("numpy", _numpy),
    "numexpr": Peer("numexpr", _numexpr),
    "Numba": Peer("numba", _numba, takes_loops=True, has_fastmath=True),
    "Numba, parallel": Peer("numba", partial(_numba, target="parallel"), True, True),
    "JAX": Peer("jax", _jax),
}
