"""Random numbers from a seed and an index: no state, the same bits on every target.

`bits`, `uniform` and `normal` are ufuncs of this package: call them on arrays, on device arrays
and in kernels. Each number depends only on its seed and its index, so threads can compute numbers
in any order. The generator is Philox 4x32-10 of Salmon, Moraes, Dror and Shaw,
"Parallel random numbers: as easy as 1, 2, 3" (2011), with the seed as its key and the index as the
lower half of its counter. Negative integers are used as their two's complement.

>>> import numpy_plugin as npp
>>> npp.random.bits(0, 0)
np.uint64(16242730742183356629)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from numpy_plugin._frontend.declare import vectorize
from numpy_plugin._public_names import public_names

__all__ = ["bits", "normal", "uniform"]

# Signed or unsigned seeds and indices, because NumPy does not cast one to the other.
_INTEGERS = ("int64", "uint64")

bits: np.ufunc
uniform: np.ufunc
normal: np.ufunc


class _Row(NamedTuple):
    result: str
    doc: str


_ROWS = {
    "bits": _Row(
        "uint64",
        """64 random bits as uint64: words 0 and 1 of the Philox block, word 0 in the low half.

        `bits(seed, index) % n` is an integer below n; for small n all values are equally likely to
        within n / 2**64.
        """,
    ),
    "uniform": _Row(
        "float64",
        """Uniform numbers in [0, 1) as float64: the upper 53 bits of `bits(seed, index)` / 2**53.

        Rounding to float32 turns the largest into 1; `np.float32(bits(seed, index) >> 40) / 2**24`
        gives float32 numbers below 1.
        """,
    ),
    "normal": _Row(
        "float64",
        """Numbers from the standard normal distribution as float64, independent of `uniform(seed,
        index)`: the quantile of the last two words of the Philox block, whose upper 52 bits select
        one of 2**52 equal parts of (0, 1). The largest are 8.2.

        The quantile is Wichura's algorithm AS 241 (PPND16, 1988), using only + - * / and sqrt.
        """,
    ),
}


def __getattr__(name: str) -> np.ufunc:
    """Make a ufunc on first access.

    Raises:
        AttributeError: there is no such function.
    """
    row = _ROWS.get(name)
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    ufunc = vectorize(
        [f"{row.result}({seed}, {index})" for seed in _INTEGERS for index in _INTEGERS],
        name=name,
        args="seed, index",
        preamble='#include "npp/math/random.hpp"',
        body=f"return npp::random_{name}(npp::uint64(seed), npp::uint64(index));",
        doc=row.doc,
    )
    ufunc.__dict__["__module__"] = __name__
    ufunc.__dict__["__qualname__"] = name
    globals()[name] = ufunc
    return ufunc


__dir__ = public_names(globals())  # all functions, whether made yet or not
