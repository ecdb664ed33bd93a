"""Races on global memory, as kernels' authors meet them; the engine's tests have the details."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda


@cuda.kernel
def count(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        counts[x[i]] += 1


@cuda.kernel
def count_atomically(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, x[i], 1)


@cuda.kernel
def smooth_in_place(a):
    i = cuda.grid(1)
    if 0 < i < a.size:
        a[i] = (a[i - 1] + a[i]) / 2


@cuda.kernel
def total_of_blocks(x, partial, done, out):
    part = cuda.shared.array(64, npp.float64)
    last = cuda.shared.array(1, npp.int32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        s = 0.0
        for k in range(64):
            s += part[k]
        partial[cuda.blockIdx.x] = s
        cuda.threadfence()
        last[0] = cuda.atomic.add(done, 0, 1)
    cuda.syncthreads()
    if last[0] == cuda.gridDim.x - 1 and t == 0:
        s = 0.0
        for k in range(cuda.gridDim.x):
            s += partial[k]
        out[0] = s


def line_of(text):
    """Return the number of this file's only line of that text."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if line.strip() == text)
    return number


@pytest.fixture
def x():
    return np.random.default_rng(1).integers(0, 16, 4096)


def race_of(launch):
    with pytest.raises(npp.SimulatorError, match="a race on byte") as found:
        launch()
        cuda.synchronize()
    return str(found.value)


@pytest.mark.parametrize("shape", [(128, 32), (4096, 1), (16, 256), (1, 32)])
def test_a_count_without_an_atomic_operation_is_found(x, shape):
    with cuda.simulator():
        counts = cuda.zeros(16, np.int64)
        text = race_of(lambda: count[shape](cuda.to_device(x), counts))
        count_atomically[shape](cuda.to_device(x), counts := cuda.zeros(16, np.int64))
        n = min(4096, shape[0] * shape[1])
        np.testing.assert_array_equal(counts.copy_to_host(), np.bincount(x[:n], minlength=16))
    assert "use an atomic operation (atomicAdd, cuda.atomic.add)" in text


def test_the_message_names_kernel_lines_array_and_threads(x):
    with cuda.simulator():
        counts = cuda.zeros(16, np.int64)
        text = race_of(lambda: count[64, 64](cuda.to_device(x), counts))
    place = f"{Path(__file__).name}:{line_of('counts[x[i]] += 1')}"
    first, second = re.findall(r"thread (\(\d+,0,0\) of block \(\d+,0,0\)) (?:read|wrote) it", text)
    assert first != second
    assert text.startswith("kernel 'count', block (")
    assert text.count(place) == 3
    assert "counts[x[i]] += 1" in text
    array = r"\(element (\d+) of 8 bytes\) of allocation \d+ \(128 bytes, zeros at .*\.py:\d+\)"
    byte, element = re.search(rf"a race on byte (\d+) {array}", text).groups()
    assert int(byte) == 8 * int(element)


def test_a_neighbour_read_in_place_is_found():
    with cuda.simulator():
        a = cuda.to_device(np.arange(100.0))
        text = race_of(lambda: smooth_in_place[4, 32](a))
    assert "read it" in text
    assert "wrote it" in text


def test_the_last_block_adds_what_the_others_have_released():
    values = np.arange(640.0)
    with cuda.simulator():
        out = cuda.zeros(1)
        arguments = cuda.to_device(values), cuda.zeros(10), cuda.zeros(1, np.int32)
        total_of_blocks[10, 64](*arguments, out)
        assert out.copy_to_host()[0] == values.sum()


@pytest.mark.parametrize("checks", [False, ("bounds", "uninitialized"), "alignment"])
def test_without_the_check_nothing_is_reported(x, checks):
    with cuda.simulator(checks=checks):
        counts = cuda.zeros(16, np.int64)
        count[64, 64](cuda.to_device(x), counts)
        assert 0 < counts.copy_to_host().sum() <= 4096


def test_launches_one_after_another_do_not_race(x):
    with cuda.simulator():
        counts = cuda.zeros(16, np.int64)
        for value in range(8):
            count[1, 1](cuda.to_device(np.array([value % 2])), counts)
        assert counts.copy_to_host()[:2].tolist() == [4, 4]


def test_the_device_works_after_a_race(x):
    with cuda.simulator():
        counts = cuda.zeros(16, np.int64)
        race_of(lambda: count[64, 64](cuda.to_device(x), counts))
        counts.fill(0)
        count_atomically[64, 64](cuda.to_device(x), counts)
        assert counts.copy_to_host().sum() == 4096


PROGRAM = """
import numpy as np
from numpy_plugin import cuda

add = cuda.kernel("__global__ void add(int* a) { a[0] += 1; }", "add")
a = cuda.zeros(1, np.int32)
add[4, 1](a)
print(a.copy_to_host()[0])
"""


@pytest.mark.parametrize("checks", ["races", "bounds"])
def test_the_option_of_simulator_run_switches_it(tmp_path, checks):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = ["-m", "numpy_plugin", "simulator", "run", f"--checks={checks}", str(program)]
    done = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode != 0) == (checks == "races"), done.stderr
    assert ("a race on byte 0" in done.stderr) == (checks == "races")
