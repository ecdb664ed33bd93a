"""Elements that are more than 2^31 elements apart, in every form of a launch."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

ROWS, COLUMNS, APART = 5, 70, (1 << 31) + 64


@pytest.fixture(scope="module", autouse=True)
def device():
    # Memory that is reserved, and touched where there are elements.
    with cuda.simulator(memory="128 GiB") as device:
        yield device


@pytest.fixture(scope="module")
def plus():
    return npp.vectorize(["int16(int16, int16)"], args="x, y", body="return x + y;", identity=0)


@pytest.fixture(scope="module")
def largest():
    @npp.guvectorize(["void(int16[:], int16[:])"], "(n)->()")
    def largest(x, out):
        out[0] = x[0]
        for i in range(x.shape[0]):
            out[0] = max(out[0], x[i])

    return largest


@pytest.fixture
def host():
    return np.arange(ROWS * COLUMNS, dtype=np.int16).reshape(ROWS, COLUMNS)


@pytest.fixture
def whole():
    return cuda.device_array((ROWS, APART), np.int16)


@pytest.fixture
def far(whole, host):
    rows = whole[:, -COLUMNS:]
    rows[...] = host
    return rows


def same(ours, expected):
    np.testing.assert_array_equal(ours.copy_to_host(), expected)


VIEWS = {
    "rows": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "a column": lambda x: x[:, 3],
    "short rows": lambda x: x[:, :3],
    "of three axes": lambda x: x.reshape(5, 14, 5)[:, ::2],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_elementwise_calls(plus, far, host, view):
    added = cuda.to_device(2 * view(host))
    same(plus(view(far), added), 3 * view(host))
    plus(view(far), added, out=view(far))
    same(view(far), 3 * view(host))
    plus(view(far), 1, out=view(far), where=cuda.to_device(view(host) % 3 == 0))
    same(view(far), 3 * view(host) + (view(host) % 3 == 0))


@pytest.mark.parametrize("axis", [0, -1, None])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_methods(plus, far, host, view, axis):
    x, there = view(host), view(far)
    same(plus.reduce(there, axis=axis), np.add.reduce(x, axis, "i2"))
    if axis is not None:
        same(plus.accumulate(there, axis), np.add.accumulate(x, axis, "i2"))
        same(plus.reduceat(there, [0, 2], axis), np.add.reduceat(x, [0, 2], axis, "i2"))


def test_gufuncs(largest, far, host):
    same(largest(far), host.max(1))
    same(largest(far.T), host.max(0))


def test_selections(plus, whole, far, host):
    flat = whole.reshape(ROWS * APART)
    columns = np.arange(APART - COLUMNS, APART)
    places = cuda.to_device((np.arange(ROWS)[:, None] * APART + columns).ravel())
    same(flat[places], host.ravel())
    same(cuda.take(flat, places), host.ravel())
    plus.at(flat, places, np.int16(1))
    same(far, host + 1)
    flat[places] = cuda.to_device(-host.ravel())
    same(far, -host)
    mask = cuda.to_device(host % 3 == 0)
    same(far[mask], -host[host % 3 == 0])
    far[mask] = 7
    expected = np.where(host % 3 == 0, 7, -host)
    same(far, expected)
    same(cuda.sort(far), np.sort(expected))
    same(cuda.sort(far, axis=0), np.sort(expected, axis=0))
