"""Elements of outputs that a loop reads and stores in each trip are in locals meanwhile."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.KernelWarning")


def row_sums(a, x, out):
    for i in range(a.shape[0]):
        out[i] = 0
        for j in range(a.shape[1]):
            out[i] += a[i, j] * x[j]


def limits(a, x, out):
    out[:] = 0
    if len(out) < 2:
        return
    out[0] = x[0]
    out[1] = x[0]
    for i in range(x.shape[0]):
        if x[i] < out[0]:
            out[0] = x[i]
        if x[i] > out[1]:
            out[1] = x[i]


def count_until(a, x, out):
    for i in range(a.shape[0]):
        out[i] = 1
        n = 0
        while n < x.shape[0]:
            if a[i, n] > 4:
                break
            out[i] = out[i] + n
            n += 1
        out[i] -= 1


def with_rest(a, x, out):
    for i in range(a.shape[0]):
        out[i] = i
        last = x[0]
        for j in range(x.shape[0]):
            for k in range(2):
                out[i] += a[i, j] + k
                last += out[i]
        out[i] += last


HELD = [row_sums, limits, count_until, with_rest]


def of_a_view(a, x, out):
    row = out[1:]
    for i in range(a.shape[0]):
        out[i] = 0
        for j in range(x.shape[0]):
            out[i] += a[i, j]
            if len(row) > 0:
                row[0] = 1


def of_moving_elements(a, x, out):
    i = 0
    out[i] = 1
    for j in range(x.shape[0]):
        out[i] += x[j]
        i = j % a.shape[0]


def of_others(a, x, out):
    for i in range(a.shape[0]):
        out[i] = 0
        for j in range(a.shape[0]):
            out[i] += a[i, 0]
            if j < i:
                out[j] += 1


def without_a_first_value(a, x, out):
    out[:] = 2
    for i in range(a.shape[0]):
        for j in range(x.shape[0]):
            out[i] += a[i, j]


def only_sometimes(a, x, out):
    for i in range(a.shape[0]):
        out[i] = 3
        for j in range(x.shape[0]):
            if a[i, j] > 100:
                return
            out[i] += 1


def of_an_unknown_element(a, x, out):
    k = 0
    out[0] = 1
    for j in range(x.shape[0]):
        k = (k + 1) % a.shape[0]
        out[0] += out[k]
        out[k] = j


LEFT = [
    of_a_view,
    of_moving_elements,
    of_others,
    without_a_first_value,
    only_sometimes,
    of_an_unknown_element,
]


def declared(kernel, dtype):
    declare = npp.guvectorize(
        [f"void({dtype}[:, :], {dtype}[:], {dtype}[:])"], "(m,n),(n)->(m)", target="cpu"
    )
    return declare(kernel)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int16", "float16"])
@pytest.mark.parametrize("kernel", HELD + LEFT)
def test_values_are_pythons(kernel, dtype):
    f = declared(kernel, dtype)
    rng = np.random.default_rng(5)
    for m, n in [(1, 1), (3, 4), (4, 1), (5, 7)]:
        a, x = rng.integers(0, 6, (m, n)).astype(dtype), rng.integers(0, 6, n).astype(dtype)
        found, expected = np.zeros(m, dtype), np.zeros(m, dtype)
        with np.errstate(all="ignore"):
            kernel(a, x, expected)
            f(a, x, out=found)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("kernel", HELD + LEFT)
def test_elements_are_held(kernel):
    source = npp.inspect(declared(kernel, "float64")).source("cpu")
    assert ("out_element" in source) == (kernel in HELD)


def test_an_output_in_an_inputs_memory():
    f = declared(row_sums, "float64")
    a, x = np.arange(12.0).reshape(3, 4), np.arange(4.0)
    memory = a.copy()
    found = f(memory, x, out=memory[:, 1])
    assert np.array_equal(found, a @ x)


def test_debug_mode_names_an_index(monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")

    def beyond(a, x, out):
        out[3] = 0
        for j in range(x.shape[0]):
            out[3] += a[0, j]

    f = declared(beyond, "float64")
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        f(np.ones((2, 4)), np.ones(4))


def test_devices_have_the_same_values():
    f = npp.guvectorize(["void(float64[:, :], float64[:], float64[:])"], "(m,n),(n)->(m)")(row_sums)
    a, x = np.random.default_rng(6).normal(size=(2, 5, 9)), np.arange(9.0)
    with cuda.simulator(memory="64 MiB"):
        on_device = f(cuda.to_device(a), cuda.to_device(x)).copy_to_host()
    assert np.array_equal(on_device, f(a, x))
