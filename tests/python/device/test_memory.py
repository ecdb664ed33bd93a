"""The memory of devices: its state, and allocators of other libraries."""

import sys
import types

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

N = 1 << 10


@pytest.fixture(autouse=True)
def device():
    with cuda.simulator(memory="8 MiB") as simulated:
        yield simulated
        cuda.set_allocator(None)


@pytest.fixture(scope="module")
def add_one():
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 1;")


def test_info_counts_arrays_and_what_the_pool_keeps():
    before = cuda.memory_info()
    assert before.total == 8 << 20
    x = cuda.zeros(N * 64)
    during = cuda.memory_info()
    assert during.used - before.used >= 8 * N * 64
    assert during.reserved >= during.used
    assert during.free <= before.total - during.reserved
    del x
    after = cuda.memory_info()
    assert after.used == before.used
    assert after.reserved == during.reserved  # kept for later arrays
    cuda.trim(keep=during.reserved)
    assert cuda.memory_info().reserved == during.reserved
    cuda.trim()
    assert cuda.memory_info().reserved == 0
    assert cuda.memory_info().free == before.total


def test_info_of_another_device(device):
    with cuda.simulator(memory="2 MiB") as other:
        cuda.zeros(N)
        assert cuda.memory_info(device).used == 0
        assert cuda.memory_info(other).total == cuda.memory_info().total == 2 << 20
        cuda.trim(device)


class Pool:
    """An allocator over this package's own memory, which counts."""

    def __init__(self):
        self.calls = []
        self.live = 0

    def __call__(self, n_bytes, stream, device):
        self.calls.append((n_bytes, stream, device))
        cuda.set_allocator(None)
        try:
            return Block(self, cuda.device_array(n_bytes, np.uint8))
        finally:
            cuda.set_allocator(self)


class Block:
    def __init__(self, pool, array):
        self.pool, self.array = pool, array
        self.ptr = array.__cuda_array_interface__["data"][0]
        pool.live += 1

    def __del__(self):
        self.pool.live -= 1


def test_arrays_come_from_the_allocator(device, add_one):
    pool = Pool()
    cuda.set_allocator(pool)
    x = cuda.to_device(np.arange(N, dtype=np.float64))
    y = add_one(x)
    np.testing.assert_array_equal(y.copy_to_host(), np.arange(N) + 1.0)
    assert [call[0] for call in pool.calls] == [8 * N, 8 * N]
    assert {call[1:] for call in pool.calls} == {(cuda.current_stream().handle, device.id)}
    assert pool.live == 2
    view = y[3:]
    del x, y
    assert pool.live == 1
    cuda.set_allocator(None)
    assert view.copy_to_host()[0] == 4
    del view
    assert pool.live == 0
    cuda.zeros(3)
    assert len(pool.calls) == 2


def test_memory_is_given_back_in_the_order_of_its_stream(add_one):
    pool = Pool()
    cuda.set_allocator(pool)
    x = cuda.to_device(np.arange(N, dtype=np.float64))
    stream = cuda.stream()
    y = add_one(x, stream=stream)
    del x
    z = cuda.full(N, 7.0)
    np.testing.assert_array_equal(y.copy_to_host(), np.arange(N) + 1.0)
    assert (z.copy_to_host() == 7).all()


class Full:
    def __call__(self, n_bytes, stream, device):
        raise MemoryError(f"no {n_bytes} bytes")


@pytest.mark.parametrize(
    ("allocate", "error", "words"),
    [
        (Full(), MemoryError, "no 8192 bytes"),
        (lambda *request: None, TypeError, "the allocator returned None; expected an object"),
        (lambda *request: types.SimpleNamespace(ptr=0), TypeError, "expected an object"),
        (lambda *request: types.SimpleNamespace(ptr="a"), TypeError, "expected an object"),
        (lambda n_bytes: None, TypeError, "positional argument"),
    ],
    ids=["full", "None", "null", "text", "signature"],
)
def test_an_allocator_that_fails(add_one, allocate, error, words):
    x = cuda.to_device(np.arange(N, dtype=np.float64))
    cuda.set_allocator(allocate)
    for call in (lambda: add_one(x), lambda: cuda.zeros(N), lambda: x + x):
        with pytest.raises(error, match=words):
            call()
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(N))
    cuda.set_allocator(None)
    np.testing.assert_array_equal(add_one(x).copy_to_host(), np.arange(N) + 1.0)


def test_wrong_allocators():
    with pytest.raises(ValueError, match="allocator is 'jax'; expected one of 'cupy', 'rmm'"):
        cuda.set_allocator("jax")
    with pytest.raises(TypeError, match="allocator must be a function, a library's name or None"):
        cuda.set_allocator(3)


def test_libraries_that_are_not_installed(monkeypatch):
    for name in ("cupy", "torch", "rmm"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError):
            cuda.set_allocator(name)
    assert cuda.zeros(3).copy_to_host().tolist() == [0, 0, 0]
