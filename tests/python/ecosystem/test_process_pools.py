"""concurrent.futures, multiprocessing and joblib: ufuncs as tasks and in tasks; Numba's arrays."""

import concurrent.futures
import multiprocessing
import operator
import os
import sys

import numpy as np
import pytest
from sample_ufuncs import halves, hypotenuse, running, split, total

import numpy_plugin as npp

X = np.arange(12.0).reshape(3, 4)


def nested_ufunc():
    """A ufunc that no module of a receiver has."""
    factor = 3.0

    @npp.vectorize(["float64(float64)"])
    def scaled(x):
        return factor * x

    return scaled


TASKS = [
    (hypotenuse, X, 2.0),
    (halves, X),
    (total, X),
    (running, X),
    (nested_ufunc(), X),
    (np.add, X, 1.0),
]


def pid_and_total(x):
    return os.getpid(), total(x)


# --- concurrent.futures ---


def test_threads_share_a_ufunc():
    with concurrent.futures.ThreadPoolExecutor(4) as executor:
        for _ in range(5):
            results = executor.map(halves, [X.astype(kind) for kind in "fdlFDi"])
            assert [result.dtype.char for result in results] == ["f", "d", "d", "F", "D", "d"]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_process_pool_executors(method):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        futures = [executor.submit(*task) for task in TASKS]
        for future, (ufunc, *operands) in zip(futures, TASKS, strict=True):
            np.testing.assert_array_equal(future.result(), ufunc(*operands))
        fraction, integer = executor.submit(split, X / 2).result()
        np.testing.assert_array_equal(fraction + integer, X / 2)


def test_exceptions_of_kernels_come_back():
    @npp.vectorize(["float64(float64)"])
    def checked(x):
        if x < 0:
            raise ValueError("negative")
        return x

    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
        with pytest.raises(ValueError, match="negative"):
            executor.submit(checked, np.array([1.0, -1.0])).result()
        assert executor.submit(checked, 1.0).result() == 1.0  # and the process still works


# --- multiprocessing ---


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        for result, (ufunc, *operands) in zip(
            pool.starmap(operator.call, TASKS), TASKS, strict=True
        ):
            np.testing.assert_array_equal(result, ufunc(*operands))
        pids, rows = zip(*pool.map(pid_and_total, X), strict=True)
        assert os.getpid() not in pids
        np.testing.assert_array_equal(rows, total(X))


def update(name):
    from multiprocessing import shared_memory

    memory = shared_memory.SharedMemory(name=name)
    shared = np.ndarray(4, np.float64, memory.buf)
    hypotenuse(shared, 4.0, out=shared)
    del shared
    memory.close()


def test_shared_memory():
    from multiprocessing import shared_memory

    memory = shared_memory.SharedMemory(create=True, size=32)
    try:
        shared = np.ndarray(4, np.float64, memory.buf)
        shared[:] = 3.0
        process = multiprocessing.get_context("spawn").Process(target=update, args=(memory.name,))
        process.start()
        process.join()
        assert process.exitcode == 0
        np.testing.assert_array_equal(shared, 5.0)
        del shared
    finally:
        memory.close()
        memory.unlink()


# --- joblib ---


@pytest.fixture
def joblib():
    return pytest.importorskip("joblib", reason="joblib is not installed")


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(joblib, backend):
    calls = [joblib.delayed(ufunc)(*operands) for ufunc, *operands in TASKS]
    results = joblib.Parallel(2, backend=backend)(calls)
    for result, (ufunc, *operands) in zip(results, TASKS, strict=True):
        np.testing.assert_array_equal(result, ufunc(*operands))


def test_joblib_maps_large_operands_into_the_processes(joblib):
    large = np.arange(200_000.0).reshape(1000, 200)
    parallel = joblib.Parallel(2, max_nbytes="100K")  # operands are read-only memory maps
    left, right = parallel(joblib.delayed(total)(large) for _ in range(2))
    np.testing.assert_array_equal(left, large.sum(axis=1))
    np.testing.assert_array_equal(right, left)


def test_joblib_knows_a_ufunc_again(joblib, tmp_path):
    made = [nested_ufunc(), nested_ufunc()]
    assert joblib.hash(made[0]) == joblib.hash(made[1]) != joblib.hash(hypotenuse)
    calls = []

    def apply(ufunc, x):
        calls.append(ufunc)
        return ufunc(x)

    remembered = joblib.Memory(tmp_path, verbose=0).cache(apply)
    np.testing.assert_array_equal(remembered(made[0], X), remembered(made[1], X))
    assert calls == [made[0]]


# --- Numba's arrays ---


def test_numba_arrays():
    numba = pytest.importorskip("numba", reason="numba is not installed")

    @numba.njit
    def rows(n):
        made = np.empty((n, 4))
        for i in range(n):
            made[i] = i
        return made

    made = rows(3)
    np.testing.assert_array_equal(total(made), [0.0, 4.0, 8.0])
    np.testing.assert_array_equal(hypotenuse(made[:, ::2], 0.0), made[:, ::2])
    assert hypotenuse(made, 0.0, out=made) is made
    numbers = numba.typed.List([3.0, 5.0])
    np.testing.assert_array_equal(hypotenuse(np.asarray(numbers), [4.0, 12.0]), [5.0, 13.0])

    @numba.njit
    def lengths(x, y):
        return hypotenuse(x, y).sum()

    assert lengths(np.array([3.0, 5.0]), np.array([4.0, 12.0])) == 18.0


def test_numba_ufuncs_beside_ours():
    numba = pytest.importorskip("numba", reason="numba is not installed")

    @numba.vectorize(["float64(float64, float64)"])
    def theirs(x, y):
        return (x * x + y * y) ** 0.5

    x = np.array([3.0, 5.0])
    np.testing.assert_array_equal(theirs(hypotenuse(x, 4.0), 0.0), hypotenuse(theirs(x, 4.0), 0.0))


@pytest.mark.skipif(sys.platform != "linux", reason="fork is Linux's default")
def test_threads_of_a_parallel_ufunc_do_not_hang_forked_children():
    @npp.vectorize(["float64(float64)"], target="parallel")
    def increment(x):
        return x + 1

    large = np.arange(300_000.0)
    expected = increment(large)  # starts the threads, which a fork does not copy
    with multiprocessing.get_context("fork").Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(increment, (large,)), expected)
