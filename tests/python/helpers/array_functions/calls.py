"""Calls of NumPy's functions of whole arrays in kernels: every function, with its arguments.

Operands: `a` and `b` have the shape and the dtype that are tested, `s` has the elements of `a` in
order, `t` has 3 elements, `x` and `y` are numbers of the dtype. `u` are points that rise, `w`
values there, `q` a number of [0, 1], all of them float64; `k` and `n` are int64, `n` at least 0.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

from numpy_plugin._frontend.array_calls import EXPANSIONS

__all__ = ["CALLS", "calls_for", "function_names", "may_be_refused"]

_TABLE = Path(__file__).resolve().parents[4] / "src/numpy_plugin/infer/calls/builtins.def"
# The functions of the table that take or make whole arrays.
_FUNCTIONS = "array_reduction|dot|new_array|copy|like|nonzero"


def function_names() -> list[str]:
    """Return the names of all functions: those of the core and those of the kernel language."""
    rows = re.findall(rf'"numpy\.(\w+)", builtin_(?:{_FUNCTIONS})\)', _TABLE.read_text())
    return [*rows, *EXPANSIONS]


def _reductions(name: str, *others: str) -> list[str]:
    """Return calls of a reduction with all its keywords, for one to three dimensions."""
    calls = [f"np.{name}(a)", *(f"np.{name}(a, {other})" for other in others)]
    axes = ["0", "-1", "1", "(0, 1)", "(-1, 0)", "(0, 1, 2)", "(0, 2)", "None"]
    for axis, keeps in itertools.product(axes, ("", ", keepdims=True")):
        calls.append(f"np.{name}(a, axis={axis}{keeps})")
    if others:
        calls += [f"np.{name}(a, axis={axis}, {others[0]})" for axis in ("0", "-1")]
    if not name.startswith(("count", "am")):
        calls += [f"a.{name}()", f"a.{name}(axis=0)"]
    return [call for call in calls if not name.startswith("arg") or "axis=(" not in call]


_DTYPES = ("dtype=np.float64", "dtype=np.int16", "dtype=np.float32", "dtype=None")
_DDOFS = ("ddof=1", "ddof=3", "ddof=k", "ddof=0.5")

#: By function; those of one axis only for one dimension.
CALLS: dict[str, list[str]] = {
    **{name: _reductions(name, *_DTYPES) for name in ("sum", "prod", "mean")},
    **{name: _reductions(name, *_DDOFS) for name in ("var", "std")},
    **{name: _reductions(name) for name in ("min", "max", "amin", "amax", "any", "all")},
    **{name: _reductions(name) for name in ("argmin", "argmax", "count_nonzero")},
    "dot": ["np.dot(s, u)", "np.dot(t, t)", "a.dot(b)", "np.dot(a, a.T)"],
    "matmul": ["np.matmul(t, t)", "a @ b.T", "np.matmul(a, t)"],
    "zeros": ["np.zeros(3)", "np.zeros((2, 3), np.int8)", "np.zeros(a.shape, dtype=a.dtype)"],
    "ones": ["np.ones(3)", "np.ones((2, 3), np.bool_)", "np.ones(n, a.dtype)"],
    "empty": ["np.empty((2, n)).shape[1]"],
    "full": ["np.full(3, x)", "np.full((2, n), 7, a.dtype)", "np.full(n, q, dtype=np.float32)"],
    "copy": ["np.copy(a)", "a.copy()", "np.copy(a.T)", "np.copy(a[::-1])"],
    "array": ["np.array(a)", "np.array([x, y])", "np.array([[x, 1], [y, 2]])", "np.array((q, 3))"],
    "ascontiguousarray": ["np.ascontiguousarray(a[::-1])", "np.ascontiguousarray(a.T)"],
    "asarray": ["np.asarray(a)", "np.asarray([x, 2.0])"],
    "zeros_like": ["np.zeros_like(a)", "np.zeros_like(a, dtype=np.int8)", "np.zeros_like(x)"],
    "ones_like": ["np.ones_like(a)", "np.ones_like(a, np.float32)", "np.ones_like(x)"],
    "empty_like": ["np.empty_like(a).shape[0]"],
    "full_like": ["np.full_like(a, y)", "np.full_like(a, 3, dtype=np.float64)"],
    "nonzero": ["np.nonzero(a)[0]", "a.nonzero()[-1]", "np.nonzero(a != b)[0]"],
    "flatnonzero": ["np.flatnonzero(a)", "np.flatnonzero(a[::-1] != b)"],
    "argwhere": ["np.argwhere(a)", "np.argwhere(a == b)"],
    "allclose": [
        "np.allclose(a, b)", "np.allclose(a, a, rtol=1e-3, atol=0.5)", "np.allclose(a, x, 0.5)",
    ],
    "append": ["np.append(a, b)", "np.append(s, u)", "np.append(arr=a, values=t)",
               "np.append(a, 2)", "np.append(a, 2.5)", "np.append(t, n)"],
    "argsort": ["np.argsort(a, kind='stable')", "a.argsort(kind='stable')",
                "np.argsort(a, stable=True)"],
    "array_equal": [
        "np.array_equal(a, b)", "np.array_equal(a, a)", "np.array_equal(a, a, equal_nan=True)",
        "np.array_equal(a, np.copy(a[::-1]))", "np.array_equal(a, t)", "np.array_equal(s, u)",
    ],
    "average": [
        "np.average(a)", "np.average(a, weights=b)", "np.average(a, None, a != b)",
        "np.average(u, weights=s)", "np.average(a, weights=s)",
    ],
    "bincount": [
        "np.bincount(np.nonzero(t)[0])", "np.bincount(np.arange(3) // 2, t.size * w[:3], 5)",
        "np.bincount(np.nonzero(s)[0] // 2, minlength=n)",
        "np.bincount(np.nonzero(t != t)[0], None, n)",
    ],
    "column_stack": ["np.column_stack((a, b))", "np.column_stack([s, u])[:, 1]"],
    "concatenate": ["np.concatenate((a, b))", "np.concatenate([s, u, t], axis=0)"],
    "convolve": [
        "np.convolve(a, b)", "np.convolve(a, t, 'same')", "np.convolve(t, s, mode='valid')",
        "np.convolve(u, t[1:])",
    ],
    "corrcoef": ["np.corrcoef(t, t[::-1])", "np.corrcoef(np.outer(t, a))", "np.corrcoef(s)",
                 "np.corrcoef(np.outer(a, t[:2]), rowvar=False)"],
    "cov": [
        "np.cov(s)", "np.cov(np.outer(t, a))", "np.cov(np.outer(a, t), rowvar=False)",
        "np.cov(m=np.outer(t, s), bias=True)", "np.cov(np.outer(a, t), None, False, ddof=k)",
        "np.cov(s, s[::-1])", "np.cov(t, t * t, ddof=0)", "np.cov(s[:0])",
        "np.cov(np.outer(t, t[1:]).T, bias=k > 3, ddof=0)",
    ],
    "cross": ["np.cross(t, t[::-1])", "np.cross(t, np.ones(3))"],
    "cumprod": ["np.cumprod(a)", "a.cumprod()", "np.cumprod(a.T)"],
    "cumsum": ["np.cumsum(a)", "a.cumsum()", "np.cumsum(a.T)", "np.cumsum(a[::-1] != b)"],
    "diff": ["np.diff(a)", "np.diff(a, n=1)", "np.diff(s)"],
    "digitize": [
        "np.digitize(x, s)", "np.digitize(a, s[::-1])", "np.digitize(a, s, right=True)",
        "np.digitize(a, s[::-1], True)", "np.digitize(x, a)", "np.digitize(q, u, k > 3)",
    ],
    "eye": ["np.eye(3)", "np.eye(2, 4, 1)", "np.eye(3, k=k, dtype=np.int8)",
            "np.eye(n, M=3, k=-1)"],
    "flatten": ["a.flatten()", "a.T.flatten()"],
    "flip": ["np.flip(a)", "np.flip(m=a, axis=None)"],
    "fliplr": ["np.fliplr(a)", "np.fliplr(np.array([[x, y], [y, x]]))"],
    "flipud": ["np.flipud(a)", "np.flipud(m=a.T)"],
    "histogram": [
        "np.histogram(a, 4, (0.0, 10.0))[0]", "np.histogram(a, bins=3, range=(-2, 5))[1]",
        "np.histogram(w, n)[0]", "np.histogram(s)[0]", "np.histogram(u, 3)[1]",
    ],
    "hstack": ["np.hstack((a, b[:2], s))"],
    "identity": ["np.identity(3)", "np.identity(n, np.int16)"],
    "inner": ["np.inner(a, b)", "np.inner(s, u)"],
    "interp": [
        "np.interp(x, u, w)", "np.interp(a, u, w, left=-1.5)", "np.interp(q, u, w, None, 3)",
        "np.interp(u, u, w)", "np.interp(u[::-1] + 0.25, u, s, right=q)", "np.interp(q, s, s)",
        "np.interp(a, t[:1], w[:1])",
    ],
    "isin": [
        "np.isin(a, b)", "np.isin(a, t)", "np.isin(a, s, invert=True)", "np.isin(x, b)",
    ],
    "linalg.cholesky": [
        "np.linalg.cholesky(np.eye(3) * 4 + 1)", "np.linalg.cholesky(np.outer(u[:2], u[:2]) - 9)",
    ],
    "linalg.det": ["np.linalg.det(np.eye(3) * 4)", "np.linalg.det(np.outer(t, t[:2]))"],
    "linalg.inv": ["np.linalg.inv(np.eye(3) * 4)", "np.linalg.inv(np.zeros((2, 2)))"],
    "linalg.norm": ["np.linalg.norm(a)", "np.linalg.norm(s, None)"],
    "linalg.solve": ["np.linalg.solve(np.eye(3) * 4, np.arange(3))",
                     "np.linalg.solve(np.eye(2), np.ones((2, 3)))"],
    "linspace": [
        "np.linspace(x, y, 5)", "np.linspace(x, 7, 4, endpoint=False)", "np.linspace(0, 1, num=n)",
        "np.linspace(y, x, n)", "np.linspace(q, x, 1)", "np.linspace(x, x, 3, True)",
        "np.linspace(k, n, 7)", "np.linspace(0, y)",
        "np.linspace(x, stop=y, num=n, endpoint=k > 3)",
    ],
    "median": ["np.median(a)", "np.median(s)", "np.median(a[1:])"],
    **{
        name: [f"np.{name}(a)", f"np.{name}(a[:1])", f"np.{name}(s, None)"]
        for name in ("nanargmax", "nanargmin", "nanmax", "nanmin", "nanmean", "nanmedian")
    },
    **{name: [f"np.{name}(a)", f"np.{name}(s, axis=None)"] for name in ("nansum", "nanprod")},
    **{
        name: [f"np.{name}(a)", f"np.{name}(a, ddof=1)", f"np.{name}(a, ddof=k)",
               f"np.{name}(s, ddof=len(s))", f"np.{name}(s, ddof=len(s) + 1)"]
        for name in ("nanstd", "nanvar")
    },
    **{
        name: [f"np.{name}(a, q)", f"np.{name}(a, 0.3)", f"np.{name}(t, u)", f"np.{name}(a, 1.0)",
               f"np.{name}(q=0.0, a=s)", f"np.{name}(a, q, method='linear')",
               f"np.{name}(a, 0) * 1.0", f"np.{name}(a, k > 3) * 1.0"]
        for name in ("quantile", "nanquantile")
    },
    **{
        name: [f"np.{name}(a, 100 * q)", f"np.{name}(a, 30)", f"np.{name}(a, 100)",
               f"np.{name}(s, 12.5)", f"np.{name}(s, k)"]
        for name in ("percentile", "nanpercentile")
    },
    "outer": ["np.outer(a, b)", "np.outer(a, u)", "np.outer(a[:0], b)"],
    "polyval": ["np.polyval(t, x)", "np.polyval(t, a)", "np.polyval(t, 2)", "np.polyval(t[:0], x)",
                "np.polyval(w, q)"],
    "ptp": ["np.ptp(a)", "np.ptp(s)"],
    "ravel": ["np.ravel(a)", "a.T.ravel()"],
    "repeat": ["np.repeat(a, 3)", "a.repeat(2)", "np.repeat(a, n)"],
    "reshape": ["np.reshape(a, -1)", "a.reshape(-1, 1)", "np.reshape(s, (1, -1))",
                "np.reshape(t, 4)"],
    "roll": ["np.roll(a, 1)", "np.roll(a, -k)", "np.roll(a, shift=k)", "np.roll(s, np.int8(k))"],
    "searchsorted": [
        "np.searchsorted(s, x)", "np.searchsorted(s, a, side='right')", "np.searchsorted(u, q)",
        "np.searchsorted(s, a, 'left')", "np.searchsorted(s, 3)", "np.searchsorted(u, w, 'right')",
    ],
    "sort": ["np.sort(a)", "np.sort(a, kind='stable')", "np.sort(a, -1, None)"],
    "transpose": ["np.transpose(a)", "a.transpose()", "np.transpose(a, None)"],
    "trapezoid": ["np.trapezoid(a, b)", "np.trapezoid(a)", "np.trapezoid(s, dx=0.5)",
                  "np.trapezoid(w, x=u)"],
    "unique": ["np.unique(a)", "np.unique(s[::-1])"],
    "vdot": ["np.vdot(a, b)", "np.vdot(s, u)"],
    "diag": ["np.diag(a)", "np.diag(np.outer(u[:3], w), 1)", "np.diag(a, k=k)"],
    "diagonal": ["np.diagonal(a)", "np.diagonal(np.outer(w, u[:2]), offset=-1)"],
    "ediff1d": ["np.ediff1d(a)", "np.ediff1d(u)"],
    "nancumprod": ["np.nancumprod(a)", "np.nancumprod(u)"],
    "nancumsum": ["np.nancumsum(a)", "np.nancumsum(w)"],
    "partition": ["np.partition(a, 0)[:1]", "np.partition(s[::-1], kth=-1)[-1:]"],
    "stack": ["np.stack((a, b))", "np.stack([s, w], axis=0)"],
    "take": [
        "np.take(t, 0)", "np.take(a, np.arange(a.size)[::-1])",
        "np.take(s, np.argsort(u, kind='stable'))",
    ],
    "trace": ["np.trace(a)", "np.trace(np.outer(u[:3], w), 1)", "np.trace(a, offset=k)"],
    "tril": ["np.tril(a)", "np.tril(np.outer(u, w), k=k)"],
    "triu": ["np.triu(a)", "np.triu(np.outer(u[:3], w), -1)"],
    "vstack": ["np.vstack((a, b))", "np.vstack([t, t])[1]"],
}  # fmt: skip

# Functions of one axis, or of one or two; for more dimensions NumPy works along the last axis, or
# on all elements, and kernels refuse them.
_MOST_AXES = {
    **dict.fromkeys(["argsort", "diff", "flip", "inner", "roll", "sort", "trapezoid", "vdot"], 1),
    **{"digitize": 1, "dot": 2, "matmul": 2},
    **dict.fromkeys(["concatenate", "convolve", "hstack"], 1),
    **dict.fromkeys(["column_stack", "partition", "stack", "vstack"], 1),
}
# Functions of matrices; for others NumPy makes matrices, or has several.
_OF_MATRICES = {"diag", "diagonal", "trace", "tril", "triu"}
# Functions that compare elements, which kernels refuse for complex numbers.
_ORDERING = {
    *("amax", "amin", "argmax", "argmin", "argsort", "digitize", "interp", "max", "median", "min"),
    *("nanargmax", "nanargmin", "nanmax", "nanmedian", "nanmin", "nanpercentile", "nanquantile"),
    *("histogram", "partition", "percentile", "ptp", "quantile", "searchsorted", "sort", "unique"),
}
# Functions that subtract elements, which kernels refuse for bool; NumPy has others for some.
_SUBTRACTING = {
    *("cross", "diff", "nanpercentile", "nanquantile", "percentile", "ptp", "quantile"),
    *("trapezoid",),
}


def may_be_refused(name: str, dtype: str, rank: int) -> bool:
    """Whether a declaration may refuse calls of a function for arrays of a dtype and a rank."""
    return (
        rank > _MOST_AXES.get(name, 64)
        or (rank != 2 and name in _OF_MATRICES)
        or (dtype.startswith("complex") and name in _ORDERING)
        or (dtype == "bool" and name in _SUBTRACTING)
    )


def calls_for(rank: int) -> list[tuple[str, str]]:
    """Return the calls, each with its function; with several dimensions only those of arrays."""
    pairs = [(name, call) for name, calls in CALLS.items() for call in calls]
    return [pair for pair in pairs if rank == 1 or re.search(r"\b[ab]\b(?!\.dtype)", pair[1])]
