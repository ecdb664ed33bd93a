"""Kernels of many calls of NumPy's functions, run beside NumPy itself.

A kernel computes the call of its operand `which` and stores the result's elements, in C order, in
the output of their kind; the last element of the output is the result's shape as one number.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from kernel_source import define

import numpy_plugin as npp
from array_functions.operands import Operands, ordinary_operands

__all__ = ["Kernel", "Outcome", "difference", "numpys"]

N_RESULTS = 160
_OUTPUTS = {"b": "bool", "i": "int64", "u": "uint64", "f": "float64", "c": "complex128"}
_NAMES = ["a", "b", "s", "t", "x", "y", "u", "w", "q", "k", "n"]


@dataclass
class Outcome:
    """What a call gives: elements and a shape, or an exception."""

    elements: np.ndarray = field(default_factory=lambda: np.zeros(0))
    n_axes: int = 0
    shape: int = 0  # as one number
    error: str = ""


def _shape_number(shape: tuple[int, ...]) -> int:
    number = len(shape)
    for size in shape:
        number = number * 101 + size
    return number % 65521


def numpys(call: str, operands: Operands) -> Outcome:
    """Return NumPy's own outcome."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = np.asarray(eval(call, {"np": np, "len": len, **operands}))
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            return Outcome(error=f"{type(error).__name__}: {error}")
    return Outcome(result.ravel(), result.ndim, _shape_number(result.shape))


# Functions whose results are rounded several times, in another order than NumPy's.
_ACCUMULATED = {
    *("average", "cross", "dot", "inner", "linalg.norm", "matmul", "mean", "nanmean", "nanprod"),
    *("nanstd", "nansum", "nanvar", "prod", "std", "sum", "trapezoid", "var", "vdot"),
    *("convolve", "corrcoef", "cov", "linalg.cholesky", "linalg.det", "linalg.solve", "trace"),
}
# Likewise of complex numbers, whose products NumPy's loops round once or twice.
_PRODUCTS = {"cumprod", "linspace", "nancumprod", "outer", "polyval"}
# Those that NumPy computes in float64 or in the array's dtype, depending on its version.
_QUANTILES = {"nanpercentile", "nanquantile", "percentile", "quantile"}
# Those that BLAS computes: it adds parts of complex products in an order of its own, in which
# inf - inf may be where no product has it.
_OF_BLAS = {"convolve", "corrcoef", "cov", "dot", "inner", "matmul", "vdot"}
# Exceptions whose text NumPy does not choose, or chooses by the type of the argument; and that of
# matrices that do not fit, which has more sizes than a kernel's message can have.
_UNSTABLE_TEXTS = ("IndexError", "ValueError: matmul", "ValueError: shapes (")


def difference(name: str, found: Outcome, known: Outcome, operands: Operands) -> str:
    """Return how a call's outcome differs from NumPy's; "" if it does not."""
    if known.error or found.error:
        if known.error.startswith(_UNSTABLE_TEXTS):
            is_same = found.error.split(":")[0] == known.error.split(":")[0]
        else:
            is_same = found.error == known.error
        return "" if is_same else f"{found.error or found.elements}, NumPy: {known}"
    kind = known.elements.dtype.kind
    if found.shape != known.shape and kind != "b":
        return f"another shape: {found}, NumPy: {known}"
    elements = found.elements.astype(known.elements.dtype)
    is_right = np.array_equal(elements, known.elements, equal_nan=kind in "fc")
    if kind in "fc" and not is_right:
        is_right = _is_near(name, elements, known.elements, operands)
    return "" if is_right else f"{elements}, NumPy: {known.elements}"


def _is_near(name: str, found: np.ndarray, known: np.ndarray, operands: Operands) -> bool:
    """Whether elements differ by the rounding that a function may have."""
    of = operands["a"].dtype
    is_rounded = name in _ACCUMULATED or (name in _PRODUCTS and of.kind == "c")
    if not is_rounded and name not in _QUANTILES:
        return False
    numbers = [np.abs(operands[item]).astype("f8").ravel() for item in "abstxyuw"]
    values = np.concatenate(numbers)
    largest = np.max(values, where=np.isfinite(values), initial=1)
    dtype = of if of.kind in "fc" else np.dtype("f8")
    eps = max(np.finfo(dtype).eps, np.finfo(known.dtype).eps)
    if name in _OF_BLAS and of.kind == "c" and not np.isfinite(known).all():
        return bool((np.isfinite(found) == np.isfinite(known)).all())
    if name in ("std", "var") and of == np.float16 and not np.any(operands["a"] ** 2):
        return True  # NumPy's squares underflow, those of kernels are float32
    if name in _QUANTILES:
        return np.allclose(found, known, rtol=4 * eps, atol=4 * eps * largest, equal_nan=True)
    if largest**2 > np.finfo(dtype).max / 64:
        return of.kind in "fc"  # sums overflow, or not, depending on their order
    bound = 2 * eps * largest**2 * max(operands["a"].size, 3)
    return np.allclose(found, known, rtol=64 * eps, atol=bound, equal_nan=True)


class Kernel:
    """A generalized ufunc for arrays of one dtype and number of dimensions."""

    def __init__(self, calls: list[str], dtype: str, rank: int) -> None:
        """Declare the kernel, without the calls that the declaration refuses."""
        self.dtype, self.rank = np.dtype(dtype), rank
        self.refused: dict[str, str] = {}
        self.known = {call: numpys(call, ordinary_operands(dtype, rank)) for call in calls}
        self.calls = list(calls)
        self.ufunc: np.ufunc | None = None
        while self.calls and self.ufunc is None:
            self.declare()

    def kind(self, call: str) -> str:
        """Return the kind of a call's result."""
        return self.known[call].elements.dtype.kind

    def declare(self) -> None:
        """Declare the kernel, or find the calls that are refused."""
        text = [f"def f({', '.join(_NAMES)}, which, pad, of_b, of_i, of_u, of_f, of_c):\n"]
        text += [f"    of_{kind}[:] = 0\n" for kind in _OUTPUTS]
        lines = {}
        for i, call in enumerate(self.calls):
            out = f"of_{self.kind(call)}"
            text.append(f"    if which == {i}:\n")
            lines["".join(text).count("\n") + 1] = call
            if self.known[call].n_axes == 0:
                text.append(f"        {out}[0] = {call}\n        {out}[{N_RESULTS - 1}] = 0\n")
                continue
            number = f"r{i}.ndim"
            for axis in range(self.known[call].n_axes):
                number = f"({number}) * 101 + r{i}.shape[{axis}]"
            text.append(
                f"        r{i} = {call}\n"
                f"        for i{i}, v{i} in enumerate(r{i}.flat):\n"
                f"            {out}[i{i}] = v{i}\n"
                f"        {out}[{N_RESULTS - 1}] = {self.shown(out, number)}\n"
            )
        dims = ",".join("lmn"[3 - self.rank :])
        array = ", ".join([":"] * self.rank)
        d = self.dtype.name
        signature = (
            f"void({d}[{array}], {d}[{array}], {d}[:], {d}[:], {d}, {d}, float64[:], float64[:], "
            f"float64, int64, int64, int64, int8[:], "
            f"{', '.join(f'{item}[:]' for item in _OUTPUTS.values())})"
        )
        layout = f"({dims}),({dims}),(t),(3),(),(),(t),(t),(),(),(),(),(z)->(z),(z),(z),(z),(z)"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.ufunc = npp.guvectorize([signature], layout)(define("".join(text))["f"])
        except npp.KernelError as error:
            found = {lines[item.line]: item.message for item in error.diagnostics}
            self.refused.update(found)
            self.calls = [call for call in self.calls if call not in found]

    def shown(self, out: str, number: str) -> str:
        """Return the text that stores a shape in an output."""
        return f"({number}) % 65521" if out != "of_b" else "True"

    def run(
        self, calls: list[str], operands: Operands, to: Callable[..., Any] = np.asarray
    ) -> list[Outcome]:
        """Return what calls give that do not raise."""
        assert self.ufunc is not None
        which = np.array([self.calls.index(call) for call in calls], np.int64)
        arguments = [to(operands[name]) for name in _NAMES]
        with np.errstate(all="ignore"):
            results = self.ufunc(*arguments, to(which), to(np.zeros(N_RESULTS, np.int8)))
        results = [getattr(item, "copy_to_host", lambda item=item: item)() for item in results]
        by_kind = dict(zip(_OUTPUTS, results, strict=True))
        found = []
        for row, call in enumerate(calls):
            elements = by_kind[self.kind(call)][row]
            n = len(numpys(call, operands).elements)
            found.append(Outcome(elements[:n], shape=int(elements[-1].real)))
        return found

    def outcomes(self, operands: Operands) -> Iterator[tuple[str, Outcome, Outcome]]:
        """Return each call with its own and NumPy's outcome."""
        known = {call: numpys(call, operands) for call in self.calls}
        plain = [call for call in self.calls if not known[call].error]
        try:
            found = self.run(plain, operands)
        except Exception:
            found = [Outcome(error=self.error(call, operands)) for call in plain]
        for call, outcome in zip(plain, found, strict=True):
            yield call, outcome, known[call]
        for call in self.calls:
            if known[call].error:
                yield call, Outcome(error=self.error(call, operands)), known[call]

    def error(self, call: str, operands: Operands) -> str:
        """Return the exception of a call; "" if it raises none."""
        try:
            self.run([call], operands)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""
