"""CUB's algorithms for warps and blocks by NVRTC, those for devices by nvcc: against references."""

import subprocess
import sys

import numpy as np
import pytest
from cccl.programs import SOURCES, Program, arrays, cccl_headers
from ptx_tools import SimulatedDriver, toolkit_directory

THREADS, ITEMS = 128, 4
SIZE = THREADS * ITEMS
BLOCKS = 2
ARCHITECTURES = [
    pytest.param(75, marks=pytest.mark.slow),
    90,
    pytest.param(120, marks=pytest.mark.slow),
]


@pytest.fixture(scope="module")
def driver():
    made = SimulatedDriver("sm_120")
    yield made
    made.close()


@pytest.fixture(scope="module", params=ARCHITECTURES)
def blocks(request, driver):
    return Program.compile(driver, "block_algorithms.cu", request.param)


def values_of(dtype, n_blocks=BLOCKS, limit=100):
    random = np.random.default_rng(8)
    return random.integers(-limit, limit, n_blocks * SIZE).astype(dtype)


def rows(values):
    return values.reshape(BLOCKS, SIZE)


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [
        ("reduce_int", "int32"),
        ("reduce_raking_double", "float64"),
        ("reduce_commutative_float", "float32"),
    ],
)
def test_reductions(blocks, kernel, dtype):
    values = values_of(dtype)
    results = np.zeros((BLOCKS, 2), dtype)
    blocks.launch(kernel, BLOCKS, THREADS, values, results)
    # Sums of whole numbers: exact in any order.
    np.testing.assert_array_equal(results[:, 0], rows(values).sum(axis=1))
    np.testing.assert_array_equal(results[:, 1], rows(values).max(axis=1))


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [
        ("scan_int", "int32"),
        ("scan_raking_double", "float64"),
        ("scan_memoize_short", "int16"),
    ],
)
def test_scans(blocks, kernel, dtype):
    values = values_of(dtype)
    inclusive, exclusive = arrays(2, values.size, dtype)
    blocks.launch(kernel, BLOCKS, THREADS, values, inclusive, exclusive)
    np.testing.assert_array_equal(rows(inclusive), np.cumsum(rows(values), axis=1, dtype=dtype))
    largest = np.maximum(np.maximum.accumulate(rows(values), axis=1), values[0])
    np.testing.assert_array_equal(rows(exclusive)[:, 0], values[0])
    np.testing.assert_array_equal(rows(exclusive)[:, 1:], largest[:, :-1])


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_radix_sorts(blocks, dtype):
    values = values_of(dtype, limit=10**6)
    kernel = {"int32": "radix_sort_int", "float32": "radix_sort_float"}.get(
        dtype, "radix_sort_double"
    )
    ascending, descending = arrays(2, values.size, dtype)
    blocks.launch(kernel, BLOCKS, THREADS, values, ascending, descending)
    np.testing.assert_array_equal(rows(ascending), np.sort(rows(values)))
    np.testing.assert_array_equal(rows(descending), np.sort(rows(values))[:, ::-1])


def test_radix_sort_of_pairs_is_stable(blocks):
    values = values_of("int16", limit=20)
    keys, places = np.zeros_like(values), np.zeros(values.size, "int32")
    blocks.launch("radix_sort_pairs_short", BLOCKS, THREADS, values, keys, places)
    np.testing.assert_array_equal(rows(keys), np.sort(rows(values)))
    np.testing.assert_array_equal(rows(places), np.argsort(rows(values), kind="stable"))


@pytest.mark.parametrize("dtype", ["int32", "float64"])
@pytest.mark.parametrize("n_valid", [SIZE, SIZE - 37])
def test_merge_sorts(blocks, dtype, n_valid):
    values = values_of(dtype)
    results = np.zeros_like(values)
    kernel = "merge_sort_int" if dtype == "int32" else "merge_sort_double"
    blocks.launch(kernel, BLOCKS, THREADS, values, results, n_valid)
    np.testing.assert_array_equal(rows(results)[:, :n_valid], np.sort(rows(values)[:, :n_valid]))


@pytest.mark.parametrize("kernel", ["histogram_atomic", "histogram_sort"])
def test_histograms(blocks, kernel):
    values = np.random.default_rng(8).integers(0, 256, BLOCKS * SIZE).astype("uint8")
    counts = np.zeros((BLOCKS, 256), "uint32")
    blocks.launch(kernel, BLOCKS, THREADS, values, counts)
    for row, counted in zip(rows(values), counts, strict=True):
        np.testing.assert_array_equal(counted, np.bincount(row, minlength=256))


def test_exchange(blocks):
    values = values_of("int32", 1)
    results = np.zeros_like(values)
    blocks.launch("exchange", 1, THREADS, values, results)
    np.testing.assert_array_equal(results, values + 1000 * (np.arange(SIZE) % ITEMS))


def test_differences_and_flags(blocks):
    values = values_of("int32", 1, limit=3)
    results, flags = arrays(2, SIZE, "int32")
    blocks.launch("differences", 1, THREADS, values, results, flags)
    np.testing.assert_array_equal(results, np.diff(values, prepend=0))
    np.testing.assert_array_equal(flags[1:], values[1:] != values[:-1])
    assert flags[0] == 1


def test_shift(blocks):
    values = values_of("int32", 1)
    results = np.zeros_like(values)
    blocks.launch("shift", 1, THREADS, values, results)
    np.testing.assert_array_equal(results, np.concatenate([[-1], values[:-1]]))


def test_runs(blocks):
    values = values_of("int32", 1)
    results = np.zeros_like(values)
    blocks.launch("decode_runs", 1, THREADS, values, results)
    np.testing.assert_array_equal(results, np.repeat(values, np.arange(SIZE) % 7 + 1)[:SIZE])


def test_warps(blocks):
    values = values_of("int32", 1)
    sums, scans, results = arrays(3, SIZE, "int32")
    blocks.launch("warp_algorithms", 1, THREADS, values, sums, scans, results)
    first = values.reshape(THREADS, ITEMS)[:, 0]
    np.testing.assert_array_equal(sums[: THREADS // 16], first.reshape(-1, 16).sum(axis=1))
    warps = first.reshape(-1, 32)
    np.testing.assert_array_equal(scans[:THREADS].reshape(-1, 32), np.cumsum(warps, axis=1) - warps)
    np.testing.assert_array_equal(results, np.sort(values.reshape(-1, 32 * ITEMS)).ravel())


DEVICE_ALGORITHMS = [
    "sum",
    "largest",
    "scan",
    "thrust::exclusive_scan",
    "radix sort",
    "thrust::sort",
    "selection",
    "histogram",
]


def build_device_algorithms(directory, architecture):
    """A program of nvcc's with the part of the runtime that it needs, linked with libcuda."""
    toolkit = toolkit_directory()
    nvcc = toolkit and toolkit / "bin/nvcc"
    if nvcc is None or not nvcc.exists():
        pytest.skip("no CUDA toolkit with nvcc")
    program = directory / "device_algorithms"
    words = [str(nvcc), "-std=c++17", "--extended-lambda", "-cudart=none"]
    words += ["-gencode", f"arch=compute_{architecture},code=compute_{architecture}"]
    words += [str(SOURCES / name) for name in ("device_algorithms.cu", "runtime.cpp")]
    words += [f"-I{path}" for path in cccl_headers()]
    words += ["-L", str(toolkit / "lib64/stubs"), "-lcuda", "-o", str(program)]
    subprocess.run(words, check=True, capture_output=True)
    return program


@pytest.mark.slow
@pytest.mark.parametrize("architecture", [75, 90])
def test_device_algorithms(tmp_path, architecture):
    program = build_device_algorithms(tmp_path, architecture)
    words = [sys.executable, "-P", "-m", "numpy_plugin", "simulator", "run", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"{name}: equal" for name in DEVICE_ALGORITHMS], done
    assert done.returncode == 0
