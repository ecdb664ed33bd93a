"""`python -m numpy_plugin bench module:ufunc`: a ufunc beside others, on random operands."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin._benchmark.benchmark import benchmark
from numpy_plugin._commands import report

__all__ = ["find_ufunc", "random_operands", "run"]


def run(
    name: str, against: Sequence[str], sizes: Sequence[int], dtypes: Sequence[str], *, as_json: bool
) -> int:
    """Benchmark a ufunc; return 0, or 2 where it cannot be called so."""
    try:
        ufunc = find_ufunc(name)
        with contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
            found = benchmark(
                ufunc,
                *random_operands(ufunc, max(sizes)),
                against={other: other for other in against},
                sizes=sizes,
                dtypes=dtypes or None,
            )
    except (ImportError, TypeError, ValueError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if as_json:
        report.line(found.to_json())
    return 0


def find_ufunc(name: str) -> np.ufunc:
    """Return the elementwise ufunc of a name such as "package.module:ufunc".

    Raises:
        ImportError: there is no such module.
        TypeError: it has no elementwise ufunc of that name.
        ValueError: the name has no colon.
    """
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"expected module:ufunc, found {name!r}")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    found: Any = getattr(import_module(module), attribute, None)
    if not isinstance(found, np.ufunc):
        raise TypeError(f"{module} has no ufunc {attribute!r}")
    if found.signature is not None:
        raise TypeError(
            f"{attribute!r} has the core dimensions {found.signature}, whose sizes are not known"
            "\n  hint: call numpy_plugin.benchmark with its operands"
        )
    return found


def random_operands(ufunc: np.ufunc, size: int) -> list[npt.NDArray[Any]]:
    """Return numbers between 0 and 1, or integers up to 100, in the types of the first loop."""
    rng = np.random.default_rng(0)
    letters = ufunc.types[0].partition("->")[0] if ufunc.types else "d" * ufunc.nin
    return [_random(rng, np.dtype(letter), size) for letter in letters]


def _random(rng: np.random.Generator, dtype: np.dtype[Any], size: int) -> npt.NDArray[Any]:
    if dtype.kind in "fc":
        return rng.random(size).astype(dtype)
    if dtype.kind not in "iub":
        raise TypeError(f"no random operands of dtype {dtype}; call numpy_plugin.benchmark")
    return rng.integers(0, 2 if dtype.kind == "b" else 100, size).astype(dtype)
