"""Kernels from text: tests make them as a user's file would, with a source that can be read."""

import cmath
import itertools
import linecache
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import numpy_plugin as npp

_numbers = itertools.count(1)


def define(source: str, file: str | None = None, **names: object) -> dict[str, object]:
    """Run a source under a file name whose text Python can find; return its namespace."""
    file = file or f"kernel_{next(_numbers)}.py"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace = {"math": math, "cmath": cmath, "np": np, "npp": npp, "__name__": "user", **names}
    exec(compile(source, file, "exec"), namespace)
    return namespace


def function(source: str, **names: object):
    """Return the function `f` of a source."""
    return define(source, **names)["f"]


def error_of(declare: Callable[..., object], source: str, **names: object) -> npp.KernelError:
    """Return the error with which the declaration of the function `f` of a source is refused."""
    f = function(source, **names)
    with pytest.raises(npp.KernelError) as caught:
        declare(f)
    return caught.value


def expressions(arguments: str, texts: list[str], **names: object) -> np.ufunc:
    """Return a ufunc with one result for each expression, compiled for the types of each call."""
    body = ", ".join(f"({text})" for text in texts)
    return npp.vectorize(function(f"def f({arguments}):\n    return {body}\n", **names))


def array_expressions(arguments: str, texts: list[str], layout: str) -> np.ufunc:
    """Return a gufunc with a number for each expression of arrays, typed by what it stores."""
    outputs = [f"out{k}" for k in range(len(texts))]
    lines = "".join(f"    {out}[0] = {text}\n" for out, text in zip(outputs, texts, strict=True))
    f = function(f"def f({arguments}, {', '.join(outputs)}):\n{lines}")
    return npp.guvectorize(f"{layout}->{','.join(['()'] * len(texts))}")(f)


def kernel_text(parameters: str, body: str) -> str:
    """Return the text of the function `f` with a body of lines, or of statements after `; `."""
    lines = body.strip("\n").splitlines() if "\n" in body else body.split("; ")
    return "".join([f"def f({parameters}):\n", *(f"    {line}\n" for line in lines)])


def check_numbas_results(parameters: str, bodies: dict[str, str], values: np.ndarray) -> list[str]:
    """Compare kernels of each of the values, as Numba compiles them, with Python's run of them.

    Return the names of those that Numba cannot compile.
    """
    numba = pytest.importorskip("numba")
    refused = []
    for name, body in bodies.items():
        f = function(kernel_text(parameters, body))
        expected, results = np.zeros((2, *values.shape[:2]))
        try:
            for value, result in zip(values.copy(), results, strict=True):
                numba.njit(f)(value, result)
        # Numba's own assertions, and what it finds as it runs.
        except (numba.core.errors.NumbaError, AssertionError, NotImplementedError):
            refused.append(name)
            continue
        for value, result in zip(values.copy(), expected, strict=True):
            f(value, result)
        np.testing.assert_allclose(results, expected, rtol=1e-12, atol=1e-12, err_msg=name)
    return refused


def beside_python(
    parameters: str,
    body: str,
    layout: str,
    values: npt.NDArray[np.float64],
    targets: tuple[str, ...] = ("cpu", "cuda"),
    **names: object,
) -> tuple[npt.NDArray[np.float64], list[np.ufunc]]:
    """Return Python's results of a kernel of each of the values, and its gufunc for each target."""
    f = function(kernel_text(parameters, body), **names)
    expected = np.zeros(values.shape[:2])
    for value, result in zip(values, expected, strict=True):
        f(value, result)
    signature = f"void(float64[{','.join(':' * (values.ndim - 1))}], float64[:])"
    return expected, [npp.guvectorize([signature], layout, target=each)(f) for each in targets]
