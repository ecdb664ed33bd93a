"""Copies and fills of device arrays that are not contiguous, and between devices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines.counting_driver import run_with_driver
from machines.cuda_packages import PACKAGES
from machines.device_under_test import device_under_test
from machines.hidden_paths import TOOLKITS, hiding

from numpy_plugin import cuda

DTYPES = ["?", "i1", "u2", "f2", "f4", "i8", "f8", "c8", "c16", [("x", "f4"), ("y", "i2")]]


@pytest.fixture(autouse=True, scope="module")
def device():
    with device_under_test() as simulated:
        yield simulated


def values(shape, dtype):
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.random.default_rng(n_bytes).integers(0, 256, n_bytes, dtype=np.uint8)
    if dtype == "?":
        raw &= 1
    return raw.view(dtype).reshape(shape)


def assert_same_bytes(actual, expected):
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert np.ascontiguousarray(actual).tobytes() == np.ascontiguousarray(expected).tobytes()


VIEWS = {
    "all": np.s_[:],
    "every other": np.s_[::2],
    "reversed": np.s_[::-1],
    "columns": np.s_[:, 3:90],
    "narrow columns": np.s_[:, ::3],
    "both reversed": np.s_[::-2, ::-1],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_strided_arrays_keep_their_bytes(view, dtype):
    host = values((600, 96), dtype)
    there = cuda.to_device(host)
    assert_same_bytes(there[VIEWS[view]].copy_to_host(), host[VIEWS[view]])
    assert_same_bytes(there[VIEWS[view]].copy().copy_to_host(), host[VIEWS[view]])
    assert_same_bytes(there[VIEWS[view]].T.copy_to_host(), host[VIEWS[view]].T)
    changed = values((600, 96), dtype)[VIEWS[view]].copy()
    there[VIEWS[view]].copy_to_device(changed)
    host[VIEWS[view]] = changed
    assert_same_bytes(there.copy_to_host(), host)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", [d for d in DTYPES if isinstance(d, str)], ids=str)
def test_fills_write_only_the_view(view, dtype):
    host = values((600, 96), dtype)
    there = cuda.to_device(host)
    value = values((1,), dtype)[0]
    there[VIEWS[view]].fill(value)
    host[VIEWS[view]] = value
    assert_same_bytes(there.copy_to_host(), host)


@given(
    shape=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    steps=st.lists(st.sampled_from([1, 2, 3, -1, -2]), min_size=4, max_size=4),
    order=st.permutations(range(4)),
    dtype=st.sampled_from(["i1", "f4", "c16"]),
)
@settings(max_examples=60, deadline=None)
def test_any_view_keeps_its_bytes(shape, steps, order, dtype):
    host = values(shape, dtype)
    axes = [axis for axis in order if axis < len(shape)]
    key = tuple(slice(None, None, step) for step in steps[: len(shape)])
    there = cuda.to_device(host)[key].transpose(axes)
    assert_same_bytes(there.copy().copy_to_host(), host[key].transpose(axes))


COUNTED = """
n = 1 << 16
x = cuda.zeros((n, 4), np.float32)
cuda.ones(n), x[:, 1].copy(), x[:, 1].copy_to_host()


def copies(function, *arguments):
    names = driver.calls(function, *arguments)
    return [name for name in names if name.startswith(("cuMemcpy", "cuMemset", "cuLaunch"))]


print(copies(cuda.ones, n))
print(copies(cuda.zeros, n))
print(copies(x[:, 1].copy))
print(copies(x[:, 1].copy_to_host))
print(copies(x[:, 1].copy_to_device, np.ones(n, np.float32)))
print(copies(x[: n // 2].copy))
"""


def test_short_rows_are_moved_by_one_launch():
    assert run_with_driver(COUNTED).splitlines() == [
        "['cuLaunchKernel']",
        "['cuMemsetD32Async']",
        "['cuLaunchKernel']",
        "['cuLaunchKernel', 'cuMemcpyDtoHAsync_v2']",
        "['cuMemcpyHtoDAsync_v2', 'cuLaunchKernel']",
        "['cuMemcpyDtoDAsync_v2']",
    ]


WITHOUT_NVRTC = """
n = 1 << 15
x = cuda.to_device(np.arange(4.0 * n).reshape(n, 4))
assert (x[:, 1].copy().copy_to_host() == 4.0 * np.arange(n) + 1).all()
assert (x[:, 1].copy_to_host() == 4.0 * np.arange(n) + 1).all()
x[:, 1].fill(1 / 3)
assert (x.copy_to_host()[:, 1] == 1 / 3).all() and x.copy_to_host()[5, 2] == 22
assert (cuda.ones(n).copy_to_host() == 1).all()
print("done")
"""


def test_copies_and_fills_need_no_compiler():
    assert run_with_driver(WITHOUT_NVRTC, **hiding(TOOLKITS, str(PACKAGES))) == "done\n"


@pytest.mark.parametrize("view", VIEWS)
def test_arrays_are_copied_between_devices(view):
    with cuda.simulator(devices=2):
        host = values((600, 96), "f4")
        first = cuda.to_device(host)
        with cuda.gpus[1]:
            second = cuda.zeros((600, 96), np.float32)
        second[VIEWS[view]] = first[VIEWS[view]]
        expected = np.zeros((600, 96), np.float32)
        expected[VIEWS[view]] = host[VIEWS[view]]
        assert_same_bytes(second.copy_to_host(), expected)
        assert second.device is cuda.gpus[1]
        del first
        second.fill(2)
        assert (second.copy_to_host() == 2).all()


PEERS = """
x = cuda.to_device(np.arange(8.0))
with cuda.gpus[1]:
    y = cuda.zeros(8)
y[:] = x
names = driver.calls(y.__setitem__, slice(None), x)
print([name for name in names if "Memcpy" in name or "Synchronize" in name])
print(*y.copy_to_host())
"""


def test_devices_of_one_driver_copy_without_the_host():
    shown = run_with_driver(PEERS, "capability=150 version=13090 devices=2").splitlines()
    assert shown == ["['cuMemcpyPeerAsync']", "0.0 1.0 2.0 3.0 4.0 5.0 6.0 7.0"]
