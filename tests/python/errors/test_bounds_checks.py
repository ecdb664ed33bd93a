"""Indices out of bounds: IndexError in debug mode, a failed launch on a simulated device."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

TABLE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@npp.device
def second(values, i):
    return values[i]


@npp.device
def store(values, i, value):
    values[i] = value


def take(values, i, result):
    result[0] = values[i[0]]


def take_two(values, i, result):
    result[0] = values[i[0], i[1]]


def put(values, i, result):
    for k in range(len(result)):
        result[k] = 0.0
    result[i[0]] = values[0]


def row(values, i, result):
    result[0] = second(values[i[0]], i[1])


def part(values, i, result):
    result[0] = second(values[1:3], i[0])


def put_in_function(values, i, result):
    for k in range(len(result)):
        result[k] = 0.0
    store(result, i[0], values[0])


def local(i):
    values = npp.local_array(4, np.float64)
    values[i] = 2.0
    return values[i]


def constant(i, j):
    return TABLE[i, j]


def until(values, i, result):
    position = i[0]
    while values[position] == 0.0:  # a mistake: continues beyond the end
        position += 1
    result[0] = position


ONE = "void(float64[:], int64[:], float64[:])"
TWO = "void(float64[:, :], int64[:], float64[:])"
CORE = {
    take: (ONE, "(n),(k)->()"),
    take_two: (TWO, "(n,m),(k)->()"),
    put: (ONE, "(n),(k)->(n)"),
    row: (TWO, "(n,m),(k)->()"),
    part: (ONE, "(n),(k)->()"),
    put_in_function: (ONE, "(n),(k)->(n)"),
    until: (ONE, "(n),(k)->()"),
}

VECTOR = np.arange(1.0, 6.0)
MATRIX = np.arange(1.0, 7.0).reshape(2, 3)

# Operands of one valid and one invalid element, the result and the error.
CASES = [
    (take, VECTOR, [[4], [5]], 5.0, (5, 0, 5)),
    (take, VECTOR, [[-5], [-6]], 1.0, (-6, 0, 5)),
    (take, VECTOR, [[0], [np.iinfo(np.int64).min]], 1.0, (np.iinfo(np.int64).min, 0, 5)),
    (take_two, MATRIX, [[1, -1], [0, 3]], 6.0, (3, 1, 3)),
    (take_two, MATRIX, [[-2, 2], [-3, 0]], 3.0, (-3, 0, 2)),
    (put, VECTOR, [[-1], [7]], [0, 0, 0, 0, 1.0], (7, 0, 5)),
    (row, MATRIX, [[1, 0], [2, 0]], 4.0, (2, 0, 2)),
    (row, MATRIX, [[1, 0], [1, 4]], 4.0, (4, 0, 3)),
    (part, VECTOR, [[1], [2]], 3.0, (2, 0, 2)),
    (put_in_function, VECTOR, [[2], [-9]], [0, 0, 1.0, 0, 0], (-9, 0, 5)),
    (until, VECTOR, [[3], [-7]], 3.0, (-7, 0, 5)),
]
NAMES = [f"{case[0].__name__}-{case[-1][0]}" for case in CASES]


def message(found):
    return "index {} is out of bounds for axis {} with size {}".format(*found)


@pytest.fixture(scope="module")
def debugged():
    """Each kernel, declared in debug mode."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMPY_PLUGIN_DEBUG", "1")
        made = {
            kernel: npp.guvectorize([types], layout)(kernel)
            for kernel, (types, layout) in CORE.items()
        }
        made[local] = npp.vectorize(["float64(int64)"])(local)
        made[constant] = npp.vectorize(constant)  # compiled when called
        return made


@pytest.fixture(scope="module")
def plain():
    """Those that are not: only a simulated device checks them."""
    return {
        kernel: npp.guvectorize([types], layout)(kernel) for kernel, (types, layout) in CORE.items()
    }


def on_host(f, *operands):
    return f(*operands)


def on_device(f, *operands):
    with cuda.simulator():
        return f(*(cuda.to_device(operand) for operand in operands)).copy_to_host()


places = pytest.mark.parametrize("call", [on_host, on_device])


@places
@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_debug_mode_raises_index_error(debugged, call, case):
    kernel, values, indices, expected, found = case
    good, bad = np.array(indices, np.int64)
    f = debugged[kernel]
    with pytest.raises(IndexError) as caught:
        call(f, values, np.stack([good, good, bad, bad]))
    assert str(caught.value) == message(found)
    assert caught.value.element == (2,)
    np.testing.assert_array_equal(call(f, values, np.stack([good, good])), [expected, expected])


@places
def test_local_and_constant_arrays_are_checked(debugged, call):
    numbers = np.array([3, -4, 4, -5])
    with pytest.raises(IndexError) as caught:
        call(debugged[local], numbers)
    assert (str(caught.value), caught.value.element) == (message((4, 0, 4)), (2,))
    np.testing.assert_array_equal(call(debugged[local], numbers[:2]), [2.0, 2.0])
    with pytest.raises(IndexError) as caught:
        call(debugged[constant], np.array([0, 1, -3]), np.array([2, -3, 0]))
    assert (str(caught.value), caught.value.element) == (message((-3, 0, 2)), (2,))
    found = call(debugged[constant], np.array([0, 1]), np.array([2, -3]))
    np.testing.assert_array_equal(found, [3.0, 4.0])


def fill(x, result):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            result[i, j] = 1.0


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_100"])
def test_debug_mode_keeps_stores(monkeypatch, arch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")
    f = npp.guvectorize(["void(float64[:, :], float64[:, :])"], "(m,n)->(m,n)")(fill)
    with cuda.simulator(arch):
        result = cuda.to_device(np.zeros((2, 3)))
        f(cuda.to_device(MATRIX), out=result)
        np.testing.assert_array_equal(result.copy_to_host(), np.ones((2, 3)))


def test_the_error_names_the_line_of_the_index(debugged):
    with pytest.raises(IndexError) as caught:
        debugged[row](MATRIX, np.array([[0, 5]]))
    last = caught.traceback[-1]
    assert (last.path.name, last.name) == ("test_bounds_checks.py", "second")
    assert str(last.statement).strip() == "return values[i]"


@pytest.mark.parametrize("value", ["", "0"])
def test_debug_mode_is_off(monkeypatch, value):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", value)
    f = npp.guvectorize([ONE], "(n),(k)->()")(take)
    assert "checked" not in npp.inspect(f).source()


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_the_simulator_checks_always(plain, case):
    kernel, values, indices, expected, found = case
    good, bad = np.array(indices, np.int64)
    with cuda.simulator():
        device_values = cuda.to_device(values)
        with pytest.raises(npp.SimulatorError, match=message(found)):
            plain[kernel](device_values, cuda.to_device(np.stack([good, bad])))
            cuda.synchronize()
        result = plain[kernel](device_values, cuda.to_device(good[None]))
        np.testing.assert_array_equal(result.copy_to_host(), [expected])
