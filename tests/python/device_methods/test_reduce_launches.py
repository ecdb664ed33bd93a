"""Reductions on several simulated devices: the same bits, bytes read, driver calls."""

import json

import numpy as np
import pytest
from long_runs import in_long_runs
from machines.counting_driver import run_with_driver
from machines.device_under_test import needs_simulator
from references.reduction_tree import reduce_tree

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = needs_simulator

MULTIPROCESSORS = [1, 4, 132, 148]
each_device = pytest.mark.parametrize("numbers", [[1, 132], *in_long_runs(MULTIPROCESSORS)])


@npp.vectorize(["f4(f4, f4)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


@npp.vectorize(["f4(f4, f4)"], target="cpu", identity="reorderable")
def longest(x, y):
    return np.sqrt(x * x + y * y)


VALUES = np.random.default_rng(0).normal(size=(40, 2500)).astype(np.float32)


@each_device
def test_results_have_the_same_bits_on_every_device(numbers):
    calls = [lambda d: d, lambda d: d.T, lambda d: d[:, ::-3], lambda d: d[:, 1:]]
    expected = [[], []]
    for n in numbers:
        with cuda.simulator(multiprocessors=n) as device:
            assert device.multiprocessors == n
            d = cuda.to_device(VALUES)
            for ufunc, first in zip((plus, longest), expected, strict=True):
                found = [ufunc.reduce(view(d), axis=a) for view in calls for a in (0, 1, None)]
                bits = [result.copy_to_host().tobytes() for result in found]
                first.append(bits)
    assert all(bits == first[0] for first in expected for bits in first)
    assert expected[0][0][1] == b"".join(
        (np.float32(0) + reduce_tree(row, np.add)).tobytes() for row in VALUES
    )


@each_device
def test_other_methods_have_the_same_bits_on_every_device(numbers):
    places = np.random.default_rng(1).integers(0, 50, size=3000)
    spread = npp.reduction(
        lambda x, i: (x, np.float32(i)), lambda a, b: (a[0] + b[0], max(a[1], b[1])), index=True
    )
    found = []
    for n in numbers:
        with cuda.simulator(multiprocessors=n):
            d, sums = cuda.to_device(VALUES), cuda.zeros(50, np.float32)
            plus.at(sums, places, d.ravel()[:3000])
            results = [
                sums,
                plus.accumulate(d, axis=1),
                plus.accumulate(d, axis=0),
                plus.reduceat(d, [0, 7, 30, 9], axis=0),
                plus.reduceat(d, [0, 1, 2400], axis=1),
                *spread(d, axis=1),
                cuda.sort(d, axis=1),
                d[:, :100] @ d[:, :100].T,
            ]
            found.append([result.copy_to_host().tobytes() for result in results])
    assert all(bits == found[0] for bits in found)


@pytest.mark.parametrize(
    ("shape", "axis"), [((1 << 16,), 0), ((32, 2048), 1), ((2048, 32), 0), ((4, 512, 32), 1)]
)
def test_a_reduction_is_one_launch_that_reads_each_element_once(shape, axis):
    with cuda.simulator() as device:
        d = cuda.to_device(np.ones(shape, np.float32))
        before = device.counters
        plus.reduce(d, axis=axis).copy_to_host()
        after = device.counters
    assert after.launches - before.launches == 1
    assert after.bytes_loaded - before.bytes_loaded <= 1.02 * d.nbytes
    # Segments of 32 bytes that warps touch: adjacent threads read adjacent elements.
    assert 32 * (after.transactions - before.transactions) <= 1.02 * d.nbytes


COUNTS = """
import json

f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x + y;", identity=0)


def counted(function, *arguments, **keywords):
    for _ in range(3):
        function(*arguments, **keywords)
    return driver.submitted(function, *arguments, **keywords)


d, out = cuda.to_device(np.ones((5000, 40), np.float32)), cuda.zeros(40, np.float32)
mask = d > 0
calls = {
    "rows": counted(f.reduce, d[:, 0]),
    "columns": counted(f.reduce, d),
    "one chunk": counted(f.reduce, d[0]),
    "out=": counted(f.reduce, d, out=out),
    "masked": counted(f.reduce, d, out=out, where=mask),
    "accumulate": counted(f.accumulate, d[:, 0]),
    "accumulate columns": counted(f.accumulate, d),
    "accumulate one tile": counted(f.accumulate, d[0]),
}
assert (out.copy_to_host() == 5000).all()
print(json.dumps(calls))
"""


def test_reductions_make_few_driver_calls():
    calls = json.loads(run_with_driver(COUNTS))
    for name, names in calls.items():
        assert len(names) <= 5, (name, names)
        assert names.count("cuLaunchKernel") == 1, (name, names)
