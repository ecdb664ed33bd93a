"""Quotients and casts of integers in lanes, with every liberty of `fastmath`."""

import numpy as np
import pytest

import numpy_plugin as npp

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
def test_liberties_leave_quotients_alone(dtype):
    def quotients(a, b, c, divisor):
        total = a - a
        while divisor > 1:
            total += a // divisor + b // divisor + c % divisor
            divisor -= 1
        return total

    arrays = [RNG.integers(0, 120, 500).astype(dtype) for _ in range(3)]
    divisor = RNG.integers(1, 60, 500).astype(dtype)
    signature = f"{dtype}({', '.join([dtype] * 4)})"
    plain, fast = (
        npp.vectorize([signature], target="cpu", fastmath=fastmath)(quotients)
        for fastmath in (False, True)
    )
    assert "lanes::floor_divide(" in npp.inspect(fast).source("cpu")
    assert np.array_equal(fast(*arrays, divisor), plain(*arrays, divisor))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_liberties_leave_casts_alone(dtype):
    def added(n, count):
        total = 0.0
        while count > 0:
            total += float(n)
            count -= 1
        return total

    f = npp.vectorize([f"float64({dtype}, {dtype})"], target="cpu", fastmath=True)(added)
    assert "lanes(" in npp.inspect(f).source("cpu")
    n = RNG.integers(0, 2**62, 500).astype(dtype)
    assert np.array_equal(f(n, np.ones_like(n)), n.astype(float))
