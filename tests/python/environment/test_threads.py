"""Numbers of threads: set, limited by the system and by threadpoolctl; workers sleep after them."""

import os
import time

import numpy as np
import pytest
import threadpoolctl
from machines.fresh_process import run_python

import numpy_plugin as npp


@pytest.fixture(autouse=True)
def restored_number():
    before = npp.get_num_threads()
    yield
    npp.set_num_threads(before)


@pytest.mark.parametrize("n", [1, 2, 1024, np.int8(7)])
def test_the_number_is_what_was_set(n):
    npp.set_num_threads(n)
    assert npp.get_num_threads() == n


@pytest.mark.parametrize(
    ("n", "error", "message"),
    [
        (0, ValueError, "n must be from 1 to 1024, found 0"),
        (-2, ValueError, "n must be from 1 to 1024, found -2"),
        (1025, ValueError, "n must be from 1 to 1024, found 1025"),
        (10**30, ValueError, "n must be from 1 to 1024, found 1000000000000000000000000000000"),
        (True, TypeError, "n must be an int, not bool"),
        ("2", TypeError, "n must be an int, not str"),
        (2.0, TypeError, "n must be an int, not float"),
        (None, TypeError, "n must be an int, not NoneType"),
    ],
)
def test_other_numbers_are_refused(n, error, message):
    before = npp.get_num_threads()
    with pytest.raises(error) as caught:
        npp.set_num_threads(n)
    assert str(caught.value) == message
    assert npp.get_num_threads() == before


def test_affinity_and_the_environment_decide_at_first():
    program = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "import numpy_plugin as npp; print(npp.get_num_threads())"
    )
    assert run_python(program) == "1"
    assert run_python(program, NUMPY_PLUGIN_NUM_THREADS="3") == "3"


def pool_of_threadpoolctl():
    pools = threadpoolctl.threadpool_info()
    (found,) = [pool for pool in pools if pool["user_api"] == "numpy_plugin"]
    return found


def test_threadpoolctl_shows_the_pool():
    npp.set_num_threads(5)
    found = pool_of_threadpoolctl()
    assert found["num_threads"] == 5
    assert found["version"] == npp.__version__
    assert found["filepath"] == npp._core.__file__


def test_threadpoolctl_limits_the_pool():
    npp.set_num_threads(5)
    with threadpoolctl.threadpool_limits(2):
        assert npp.get_num_threads() == 2
    assert npp.get_num_threads() == 5
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        assert npp.get_num_threads() == 5
    with threadpoolctl.threadpool_limits({"numpy_plugin": 1}):
        assert npp.get_num_threads() == 1


@pytest.mark.parametrize("first", ["numpy_plugin", "threadpoolctl"])
def test_the_order_of_imports_does_not_matter(first):
    imports = f"import {first}; import numpy_plugin, threadpoolctl"
    program = (
        f"{imports}\n"
        "import sys\n"
        "print([info['user_api'] for info in threadpoolctl.threadpool_info()].count("
        "'numpy_plugin'), [type(finder).__module__ for finder in sys.meta_path].count("
        "'numpy_plugin._threads.limits'))"
    )
    assert run_python(program) == "1 0"


def test_threadpoolctl_is_not_imported():
    program = "import sys, numpy_plugin; print('threadpoolctl' in sys.modules)"
    assert run_python(program) == "False"


def times_on_processors():
    """Nanoseconds that each other thread of this process has run."""
    found = {}
    for task in os.listdir("/proc/self/task"):
        if int(task) != os.getpid():
            with open(f"/proc/self/task/{task}/schedstat") as stat:
                found[task] = int(stat.read().split()[0])
    return found


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="reads schedstat")
def test_workers_sleep_after_a_call():
    npp.set_num_threads(3)
    f = npp.vectorize(["float64(float64)"], args="x", body="return x * x;", target="parallel")
    f(np.ones(1_000_000))
    for _ in range(100):
        before = times_on_processors()
        time.sleep(0.05)
        if times_on_processors() == before:
            break
    else:
        pytest.fail("a thread of the pool runs on after the call")
