"""Memory of large results: from a pool, by a handler of NumPy's that nothing else sees."""

import os
import threading
import tracemalloc

import numpy as np
import pytest
from machines.fresh_process import run_python

import numpy_plugin as npp

N = 1 << 20  # 8 MiB of float64: the least that is pooled
handler_name = np._core.multiarray.get_handler_name
handler_version = np._core.multiarray.get_handler_version


@npp.vectorize(["float64(float64, float64)"])
def axpy(x, y):
    return x + 3.0 * y


@pytest.fixture(scope="module")
def x():
    return np.arange(float(N))


def test_large_results_come_from_the_pool(x):
    result = axpy(x, x)
    assert (handler_name(result), handler_version(result)) == ("numpy_plugin", 1)
    np.testing.assert_array_equal(result, 4 * x)
    assert result.flags.owndata


def test_small_results_and_other_arrays_do_not(x):
    result = axpy(x, x)
    for array in [axpy(x[:1000], x[:1000]), np.empty(N), np.add(x, x), result.copy(), x]:
        assert handler_name(array) == "default_allocator"


def test_memory_is_used_again(x):
    first = axpy(x, x)
    address = first.ctypes.data
    del first
    second = axpy(x, 1.0)
    assert second.ctypes.data == address
    np.testing.assert_array_equal(second, x + 3)


def test_the_handler_is_gone_after_an_error(x):
    zeros = np.zeros(N)
    divide = npp.vectorize(["float64(float64, float64)"])(lambda x, y: x / y)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        divide(x, zeros)
    assert handler_name(np.empty(N)) == "default_allocator"
    with pytest.raises(TypeError):
        axpy(x, x, dtype="U3")
    assert handler_name(np.empty(N)) == "default_allocator"


def test_results_can_be_resized(x):
    result = axpy(x, x)
    for size in (N + 1000, 3 * N, N // 2, 10, N):
        n_kept = min(size, result.size)
        result.resize(size, refcheck=False)
        assert result.shape == (size,)
        np.testing.assert_array_equal(result[: min(n_kept, 10)], 4 * x[: min(n_kept, 10)])
    assert (result[10:] == 0).all()


def test_tracemalloc_sees_them(x):
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = axpy(x, x)
        assert tracemalloc.get_traced_memory()[0] - before >= result.nbytes
        del result
        assert tracemalloc.get_traced_memory()[0] - before < x.nbytes
    finally:
        tracemalloc.stop()


def test_threads_do_not_share_results(x):
    failures = []

    def work(scale):
        for _ in range(5):
            result = axpy(x, x * scale)
            if not np.array_equal(result, x + 3 * (x * scale)):
                failures.append(scale)

    threads = [threading.Thread(target=work, args=(scale,)) for scale in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_forked_child_has_its_own(x):
    result = axpy(x, x)
    child = os.fork()
    if child == 0:
        other = axpy(x, 0 * x)
        result[:] = 1
        os._exit(0 if np.array_equal(other, x) and (result == 1).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(result, 4 * x)


PROGRAM = """
import numpy as np, numpy_plugin as npp
f = npp.vectorize(["float64(float64)"], args="x", body="return x + 1;")
try:
    print(np._core.multiarray.get_handler_name(f(np.zeros(1 << 20))))
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("1 GB", "numpy_plugin"),
        ("0", "default_allocator"),
        (
            "much",
            "NUMPY_PLUGIN_KEPT_MEMORY is 'much'; expected a number of bytes, such as 500000000, "
            "500 MB or 2 GiB",
        ),
    ],
)
def test_the_variable_limits_what_is_kept(value, printed):
    assert run_python(PROGRAM, NUMPY_PLUGIN_KEPT_MEMORY=value) == printed
