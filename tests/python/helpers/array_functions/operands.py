"""Operands for calls of NumPy's functions of whole arrays: ordinary and special values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

__all__ = ["DTYPES", "Operands", "operand_sets", "ordinary_operands"]

DTYPES = [
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
    "float32", "float64", "complex64", "complex128",
]  # fmt: skip
_SHAPES = {
    1: [(5,), (8,), (1,), (2,), (0,), (3,)],
    2: [(2, 3), (3, 3), (1, 4), (3, 1), (0, 2), (2, 0)],
    3: [(2, 3, 2), (1, 2, 3), (2, 2, 1), (1, 1, 1), (0, 2, 2), (2, 0, 3)],
}
Operands = dict[str, np.ndarray]


def _special_values(dtype: np.dtype) -> list[list[object]]:
    """Return pools of values: one for each kind of trouble."""
    if dtype.kind == "b":
        return [[True], [False]]
    if dtype.kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        return [[least, most], [least, least + 1, 0, 1, most - 1, most], [most], [0]]
    nan, inf = np.nan, np.inf
    limits = np.finfo(dtype)
    pools: list[list[object]] = [
        [1.5, nan, -2.0, 3.0], [nan], [inf, 1.0, 2.0], [-inf, inf, 0.0, 1.0], [nan, -inf, inf],
        [0.0, -0.0], [-0.0], [limits.max, limits.max / 2, limits.tiny, 0.0],
        [limits.smallest_subnormal, limits.tiny, 0.0],
    ]  # fmt: skip
    if dtype.kind == "c":
        pools += [[complex(nan, 1), complex(1, nan), 2j], [complex(inf, -1), 1j, -1 - 1j]]
    return pools


def _drawn(rng: np.random.Generator, dtype: np.dtype, pool: list[object], shape: tuple[int, ...]):
    if pool:
        indices = rng.integers(0, len(pool), shape)
        return np.array(pool, dtype)[indices]
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        least = 0 if dtype.kind == "u" else -9
        return rng.integers(least, 12, shape).astype(dtype)
    numbers = rng.normal(size=shape) * 3
    return (numbers + 1j * rng.normal(size=shape) if dtype.kind == "c" else numbers).astype(dtype)


def _operands(
    rng: np.random.Generator, dtype: np.dtype, pool: list[object], shape: tuple[int, ...]
) -> Operands:
    a, b = (_drawn(rng, dtype, pool, shape) for _ in range(2))
    t, numbers = _drawn(rng, dtype, pool, (3,)), _drawn(rng, dtype, pool, (2,))
    points = np.sort(rng.choice(np.arange(-8, 16), a.size, replace=a.size > 20)) / 2.0
    values = rng.integers(-4, 9, a.size) / 4.0
    if pool and a.size > 2 and rng.integers(2):
        points[-1], values[rng.integers(a.size)] = np.inf, rng.choice([np.inf, -np.inf, np.nan])
    return {
        "a": a,
        "b": b,
        "s": np.sort(a, None),
        "t": t,
        "x": numbers[0],
        "y": numbers[1],
        "u": np.abs(points) / 16 if rng.integers(2) else points,
        "w": values,
        "q": np.float64(rng.choice([0.0, 0.25, 0.5, 1.0, 0.37, rng.random()])),
        "k": np.int64(rng.integers(0, 12)),
        "n": np.int64(rng.integers(0, 7)),
    }


def ordinary_operands(dtype: str, rank: int) -> Operands:
    """Return operands for which every function that takes the dtype has a result."""
    return _operands(np.random.default_rng(1), np.dtype(dtype), [], _SHAPES[rank][1])


def operand_sets(dtype: str, rank: int, seed: int) -> Iterator[Operands]:
    """Return operands of all shapes, of ordinary values and of each kind of special ones."""
    rng = np.random.default_rng([seed, rank])
    pools = _special_values(np.dtype(dtype))
    for shape in _SHAPES[rank]:
        yield _operands(rng, np.dtype(dtype), [], shape)
    for pool in pools:
        for shape in _SHAPES[rank][:3]:
            yield _operands(rng, np.dtype(dtype), pool, shape)
