"""The peers: every library's version of a kernel, made from the same Python function."""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin
from kernel_table.kernels import Kernel, function_of

__all__ = ["PEERS", "contestants", "ours", "versions"]

Call = Callable[..., Any]


def ours(kernel: Kernel, dtype: npt.DTypeLike, target: str) -> np.ufunc:
    """Return this package's ufunc for "cpu" or "parallel"."""
    return numpy_plugin.vectorize([_signature(kernel, dtype)], target=target)(
        function_of(kernel, dtype)
    )


def contestants(kernel: Kernel, dtype: npt.DTypeLike) -> dict[str, Call | str]:
    """Return the peers' versions by name; a str names what is missing."""
    found: dict[str, Call | str] = {}
    for name, (package, make, takes_loops) in PEERS.items():
        if not (kernel.is_expression or takes_loops):
            continue
        try:
            found[name] = make(kernel, dtype)
        except ImportError:
            found[name] = package
    return found


def versions() -> dict[str, str]:
    """Return the version of each peer's package, "missing" for what is not installed."""
    found = {}
    for package in (*dict.fromkeys(row[0] for row in PEERS.values()), "tbb"):
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


def _numba(**options: Any) -> Callable[[Kernel, npt.DTypeLike], Call]:
    def make(kernel: Kernel, dtype: npt.DTypeLike) -> Call:
        numba = importlib.import_module("numba")
        decorate = numba.vectorize([_signature(kernel, dtype)], **options)
        made: Call = decorate(function_of(kernel, dtype))
        return made

    return make


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


#: The package, the version's maker, and whether it takes loops and branches, by name.
PEERS: Mapping[str, tuple[str, Callable[[Kernel, npt.DTypeLike], Call], bool]] = {
    "NumPy": ("numpy", _numpy, False),
    "numexpr": ("numexpr", _numexpr, False),
    "Numba": ("numba", _numba(), True),
    "Numba, fastmath": ("numba", _numba(fastmath=True), True),
    "Numba, parallel": ("numba", _numba(target="parallel"), True),
    "JAX": ("jax", _jax, False),
}
