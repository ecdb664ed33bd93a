"""`cuda.cg.this_grid().sync()`: kernels whose blocks wait for each other."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_source import error_of

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin.numba import cuda as numbas_cuda

pytestmark = pytest.mark.usefixtures("simulator")

N = 4 * 64


def smoothed(values: np.ndarray, rounds: int) -> np.ndarray:
    for _ in range(rounds):
        values = values + np.roll(values, -1)
    return values


@cuda.kernel
def smooth(values, rounds):
    g = cuda.cg.this_grid()
    i = cuda.grid(1)
    for _ in range(rounds):
        right = values[(i + 1) % values.size]
        g.sync()
        values[i] += right
        cuda.cg.this_grid().sync()


def test_all_blocks_wait():
    values = np.arange(N) % 7
    expected = smoothed(values, 5)
    smooth[4, 64](values, 5)
    np.testing.assert_array_equal(values, expected)
    # Grids and blocks of several dimensions, and one block alone.
    for grid, block in (((2, 2), (8, 8)), (1, N), ((1, 1, 4), 64)):
        total = np.zeros((2, 1), np.int64)
        counted[grid, block](total)
        assert total.ravel().tolist() == [N, N]


@npp.device
def wait():
    cuda.cg.this_grid().sync()


@cuda.kernel
def counted(total):
    cuda.atomic.add(total, (0, 0), 1)
    wait()
    if total[0, 0] == cuda.gridDim.x * cuda.gridDim.y * cuda.gridDim.z * (
        cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    ):
        cuda.atomic.add(total, (1, 0), 1)


def test_numbas_form():
    cg = numbas_cuda.cg

    @numbas_cuda.jit
    def reversed_in_place(a):
        grid = cg.this_grid()
        i = numbas_cuda.grid(1)
        value = a[a.size - 1 - i]
        grid.sync()
        a[i] = value

    a = np.arange(N)
    reversed_in_place[4, 64](a)
    assert a.tolist() == list(range(N))[::-1]


def test_a_kernel_that_raises():
    @cuda.kernel
    def checked(a):
        i = cuda.grid(1)
        value = a[a.size - 1 - i]
        cuda.cg.this_grid().sync()
        if value == 3:
            raise ValueError("three")
        a[i] = value

    a = np.arange(128) + 4
    checked[2, 64](a)
    assert a[0] == 131
    a[5] = 3
    with pytest.raises(ValueError, match="three"):
        checked[2, 64](a)


def test_more_blocks_than_run_at_once():
    values = np.zeros(N)
    with pytest.raises(ValueError, match=r"a grid of \d+ blocks that synchronizes; at once this"):
        smooth[1 << 20, 64](values, 1)
    smooth[4, 64](values, 1)


SOURCE = """
extern "C" __global__ void shift(int* a, int n) {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = (high | low) != 0;
}
"""


def test_raw_kernels():
    for made in (
        npp.RawKernel(SOURCE, "shift", enable_cooperative_groups=True),
        npp.RawModule(code=SOURCE, enable_cooperative_groups=True).get_function("shift"),
    ):
        a = cuda.to_device(np.zeros(8, np.int32))
        made((2,), (4,), (a, np.int32(8)))
        assert a.copy_to_host().tolist() == [1] * 8
    a = cuda.to_device(np.zeros(8, np.int32))
    npp.RawKernel(SOURCE, "shift")((2,), (4,), (a, np.int32(8)))
    assert a.copy_to_host().tolist() == [0] * 8


def test_mistakes():
    with pytest.raises(RuntimeError, match=r"cuda.cg.this_grid is for functions passed to"):
        cuda.cg.this_grid()
    error = error_of(
        npp.vectorize(["float64(float64)"]),
        "def f(x):\n    cuda.cg.this_grid().sync()\n    return x\n",
        cuda=cuda,
    )
    assert "cuda.cg.this_grid().sync" in error.diagnostics[0].message


def test_a_barrier_that_some_threads_do_not_reach():
    @cuda.kernel
    def uneven(a):
        if cuda.grid(1) < 3:
            cuda.cg.this_grid().sync()
        a[0] = 1

    with pytest.warns(npp.KernelWarning, match="not every thread reaches this barrier"):
        uneven.specialize(np.zeros(1))
