"""`reduceat` on device arrays: segments of all lengths, spread over threads, and their bits."""

import json

import numpy as np
import pytest
from machines.counting_driver import run_with_driver
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.usefixtures("device")


@npp.vectorize(["f4(f4, f4)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


LENGTH = 13000
ASCENDING = [0, 1, 2049, 2049, 2050, 6146, 6146, 12999]
INDICES = {
    "one": [0],
    "long": [5, 4500, 9000],
    "a long one between short ones": [*range(0, 400, 7), *range(9000, LENGTH, 11)],
    "of all lengths": ASCENDING,
    "windows": [0, 9000, 100, 9100, 4000, LENGTH - 1],
    "descending": ASCENDING[::-1],
}
VALUES = np.random.default_rng(0).normal(size=(34, LENGTH)).astype(np.float32)
SHAPES = {
    "a line": lambda x: x[0],
    "lines": lambda x: x[:3],
    "columns": lambda x: x.T,
    "backwards": lambda x: x[:2, ::-1],
}


@pytest.fixture(scope="module")
def views(device):
    there = {"lines": cuda.to_device(VALUES), "columns": cuda.to_device(VALUES.T.copy())}
    return {
        name: view(there["lines"]) if name != "columns" else there["columns"]
        for name, view in SHAPES.items()
    }


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", INDICES)
def test_segments_have_the_bits_of_their_elements_reduced(name, shape, views):
    d, indices = views[shape], np.array(INDICES[name])
    axis = 0 if shape == "columns" else -1
    found = plus.reduceat(d, cuda.to_device(indices), axis=axis)
    bits = found.copy_to_host().tobytes()
    assert plus.reduceat(d, indices, axis=axis).copy_to_host().tobytes() == bits
    result = np.moveaxis(found.copy_to_host(), axis, -1)
    line = np.moveaxis(SHAPES[shape](VALUES), axis, -1)
    sums = {}
    for i, (begin, following) in enumerate(zip(indices, [*indices[1:], LENGTH], strict=True)):
        end = max(following, begin + 1)
        if (begin, end) not in sums and end - begin > 1000:
            part = d[begin:end] if axis == 0 else d[..., begin:end]
            sums[begin, end] = plus.reduce(part, axis=axis, initial=None).copy_to_host()
            assert result[..., i].tobytes() == sums[begin, end].tobytes()
        np.testing.assert_allclose(result[..., i], line[..., begin:end].sum(-1), atol=1e-3)


@needs_simulator
def test_many_segments_that_do_not_ascend_are_several_launches():
    x = np.random.default_rng(1).integers(0, 9, 4200)
    indices = np.full(40000, 7)
    indices[:3] = 0, 4100, 3
    with cuda.simulator() as simulated:
        d = cuda.to_device(x)
        before = simulated.counters.launches
        found = np.add.reduceat(d, indices).copy_to_host()
        assert simulated.counters.launches - before == 2
    np.testing.assert_array_equal(found, np.add.reduceat(x, indices))


@needs_simulator
@pytest.mark.parametrize(
    ("shape", "indices"),
    [
        ((1 << 16,), [0, 30000, 31000]),
        ((1 << 16,), range(0, 1 << 16, 4096)),
        ((4096, 64), [0, 100, 3000]),
        ((2048, 64), range(0, 2048, 16)),
    ],
)
def test_a_launch_reads_each_element_once(shape, indices):
    with cuda.simulator() as simulated:
        d = cuda.to_device(np.ones(shape, np.float32))
        out = cuda.zeros((len(indices), *shape[1:]), np.float32)
        before = simulated.counters
        plus.reduceat(d, indices, out=out)
        counts = np.diff([*indices, shape[0]])
        assert (out.copy_to_host().reshape(len(counts), -1) == counts[:, None]).all()
        after = simulated.counters
    assert after.launches - before.launches == 1
    if len(shape) == 1:  # each warp's lanes read the segment's two indices
        assert after.bytes_loaded - before.bytes_loaded <= 1.15 * d.nbytes
    else:  # segments of 32 bytes that warps touch: adjacent threads read neighbours
        assert 32 * (after.transactions - before.transactions) <= 1.05 * (d.nbytes + out.nbytes)


WRONG = {
    "too large": [0, 3, 17],
    "negative": [2, -4, 9, 16],
    "floats": [0.0, 1.0],
    "unsigned": np.array([1], np.uint64),
    "in two dimensions": [[1]],
    "a number": 1,
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("is_on_device", [False, True])
def test_wrong_indices_are_numpys_errors_and_nothing_is_written(name, is_on_device):
    indices = np.array(WRONG[name])
    x, out = cuda.to_device(np.arange(16.0)), cuda.zeros(indices.size)
    given = cuda.to_device(indices) if is_on_device else indices
    with pytest.raises((IndexError, TypeError, ValueError)) as numpys:
        np.add.reduceat(np.arange(16.0), indices)
    with pytest.raises(numpys.type) as ours:
        np.add.reduceat(x, given, out=out)
    assert str(ours.value) == str(numpys.value)
    np.testing.assert_array_equal(out.copy_to_host(), np.zeros(indices.size))
    assert np.add.reduceat(x, [0, 8]).tolist() == [28, 92]


def test_indices_on_a_device_are_of_any_integer_type_and_stride():
    x = cuda.to_device(np.arange(16.0))
    indices = cuda.to_device(np.array([[0, 9], [4, 9], [12, 9]], np.int16))
    assert np.add.reduceat(x, indices[:, 0]).tolist() == [6, 60, 54]
    assert np.add.reduceat(x, indices[::-1, 0]).tolist() == [12, 4, 120]
    assert np.add.reduceat(x, indices[:0, 0]).tolist() == []


def test_many_indices_on_a_device_are_examined_by_few_blocks():
    x = np.arange(300_000)
    indices = np.arange(0, x.size, 2)
    d = cuda.to_device(x)
    found = np.add.reduceat(d, cuda.to_device(indices)).copy_to_host()
    np.testing.assert_array_equal(found, np.add.reduceat(x, indices))
    indices[[149_000, 140_000]] = 300_000, -1
    with pytest.raises(IndexError, match="index -1 out-of-bounds"):
        np.add.reduceat(d, cuda.to_device(indices))


COUNTED = """
import json

f = npp.vectorize(["float32(float32, float32)"], args="x, y", body="return x + y;", identity=0)


def counted(*arguments, **named):
    for _ in range(3):
        f.reduceat(*arguments, **named)
    return driver.submitted(f.reduceat, *arguments, **named)


x, out = cuda.to_device(np.ones(9000, np.float32)), cuda.zeros(9000, np.float32)
long, short = np.array([0, 4000, 4100]), np.arange(9000)
print(json.dumps({
    "long": counted(x, long),
    "short": counted(x, short),
    "long, on the device": counted(x, cuda.to_device(long)),
    "short, on the device": counted(x, cuda.to_device(short)),
    "short, out=": counted(x, cuda.to_device(short), out=out),
}))
"""


# A copy of the indices to the device takes four, items and tickets of long segments three, an
# examination of indices on the device two.
MOST_CALLS = {
    "long": 9,
    "short": 6,
    "long, on the device": 7,
    "short, on the device": 4,
    "short, out=": 3,
}


@needs_simulator
def test_calls_make_few_driver_calls():
    for name, names in json.loads(run_with_driver(COUNTED)).items():
        assert len(names) <= MOST_CALLS[name], (name, names)
