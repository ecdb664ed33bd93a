"""Nothing is left behind: ufuncs made and dropped, with and without reference cycles."""

import gc
import resource

import numpy as np
import pytest

import numpy_plugin as npp


def make(name="f"):
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 1;", name=name)


def live_ufuncs():
    gc.collect()
    return sum(1 for item in gc.get_objects() if type(item) is np.ufunc)


def test_ufuncs_are_tracked_by_the_collector():
    assert gc.is_tracked(make())


def peak_kilobytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_ten_thousand_dropped_ufuncs_leave_nothing():
    for _ in range(500):  # settle allocators and caches
        make()(1.0)
    before, memory = live_ufuncs(), peak_kilobytes()
    for i in range(10_000):
        assert make()(float(i)) == i + 1
    assert live_ufuncs() == before
    assert peak_kilobytes() - memory < 10_000  # kB: less than one each


def test_cycles_through_the_dictionary_are_freed():
    before = live_ufuncs()
    for _ in range(200):
        f = make()
        f.__dict__["again"] = f
    del f
    assert live_ufuncs() == before


def test_a_ufunc_lives_as_long_as_its_methods_are_bound():
    reduce = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x + y;").reduce
    gc.collect()
    assert reduce(np.arange(4.0)) == 6


def test_failed_declarations_leave_nothing():
    before = live_ufuncs()
    for _ in range(50):
        with pytest.raises(npp.CompilerError):
            npp.vectorize(["float64(float64)"], args="x", body="return (x;")
        with pytest.raises(npp.SignatureError):
            npp.vectorize(["flaot64(float64)"], args="x", body="return x;")
    assert live_ufuncs() == before
    assert make()(1.0) == 2.0
