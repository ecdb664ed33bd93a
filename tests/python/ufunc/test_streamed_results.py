"""Results of calls larger than the cache, which are written past it: the same bits."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import _core

N = 70_001


@pytest.fixture(scope="module", autouse=True)
def tiny_cache():
    _core.set_cache_bytes(1)
    yield
    _core.set_cache_bytes(0)


@npp.vectorize(
    [
        "int8(int8, int8)",
        "float16(float16, float16)",
        "float32(float32, float32)",
        "float64(float64, float64)",
        "complex128(complex128, complex128)",
        "float64(float64, float32)",
    ]
)
def axpy(x, y):
    return x + x * y


@npp.guvectorize(["void(float64, float32[:], float64[:])"], "(),(n)->(n)")
def scaled_rows(x, y, out):
    for i in range(y.size):
        out[i] = x * y[i]


sum_and_sign = npp.vectorize(
    ["dd->d?", "ff->fd"], args="x, y", outs="s, b", body="s = x + y; b = x > y;"
)


def ramp(dtype, start=0):
    return ((np.arange(N) + start) % 97 - 48).astype(dtype)


def in_cache(function, *operands):
    _core.set_cache_bytes(1 << 60)
    try:
        return function(*operands)
    finally:
        _core.set_cache_bytes(1)


def bits(results):
    return [item.tobytes() for item in (results if isinstance(results, tuple) else (results,))]


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("offset", [0, 1, 5])
def test_values_at_every_alignment(dtype, offset):
    operands = ramp(dtype)[offset:], ramp(dtype, 7)[offset:]
    memory = np.full(N + 20, 3, dtype)
    out = memory[offset : offset + len(operands[0])]
    axpy(*operands, out=out)
    assert bits(out) == bits(in_cache(axpy, *operands))
    assert (memory[:offset] == 3).all()
    assert (memory[offset + len(out) :] == 3).all()


@pytest.mark.parametrize("types", ["ff", "dd"])
def test_several_results_of_different_sizes(types):
    operands = ramp(types[0]), ramp(types[1], 3)
    assert bits(sum_and_sign(*operands)) == bits(in_cache(sum_and_sign, *operands))


def test_operands_of_other_forms():
    x, y = ramp("f8"), ramp("f8", 3)
    for operands in [(x, y[::-1]), (x, 2.5), (x, ramp("f4")), (x[::2], y[::2]), (x, x)]:
        assert bits(axpy(*operands)) == bits(in_cache(axpy, *operands))


def test_in_place_and_unaligned():
    x, y = ramp("f8"), ramp("f8", 3)
    expected = bits(in_cache(axpy, x, y))
    unaligned = np.zeros(x.nbytes + 3, np.int8)[3:].view("f8")
    assert bits(axpy(x, y, out=unaligned)) == expected
    assert bits(axpy(x, y, out=x)) == expected


def test_threads_and_generalized_ufuncs():
    x, y = ramp("f8"), ramp("f8", 3)
    before = npp.get_num_threads()
    npp.set_num_threads(3)
    _core.share_short_calls(True)
    try:
        assert bits(axpy(x, y)) == bits(in_cache(axpy, x, y))
        table = np.ones((N, 3), "f4")
        assert bits(scaled_rows(x, table)) == bits(in_cache(scaled_rows, x, table))
    finally:
        _core.share_short_calls(False)
        npp.set_num_threads(before)
