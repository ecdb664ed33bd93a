"""Cooperative groups inside of a block: tiles, scans, coalesced threads, labels."""

import numpy as np
from cuda.bindings import driver
from cuda_bindings_program import Arguments, checked, compile_to_ptx, to_device, to_host

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  int n = block.num_threads(), i = block.thread_rank();
  auto tile = cg::tiled_partition<8>(block);
  out[i] = cg::reduce(tile, i, cg::plus<int>());
  out[n + i] = cg::inclusive_scan(tile, i % 4);
  out[2 * n + i] = -1;
  if (i % 3 == 0) {
    auto active = cg::coalesced_threads();
    out[2 * n + i] = active.thread_rank() * 100 + active.size();
  }
  auto like_me = cg::labeled_partition(cg::tiled_partition<32>(block), i % 5);
  out[3 * n + i] = cg::reduce(like_me, i, cg::greater<int>());
}
"""

N_THREADS = 128


def expected():
    i = np.arange(N_THREADS)
    tiles, warps = i.reshape(-1, 8), i.reshape(-1, 32)
    coalesced = np.full_like(warps, -1)
    greatest = np.empty_like(warps)
    for row, lanes in enumerate(warps):
        active = np.flatnonzero(lanes % 3 == 0)
        coalesced[row, active] = np.arange(len(active)) * 100 + len(active)
        for label in range(5):
            greatest[row, lanes % 5 == label] = lanes[lanes % 5 == label].max()
    sums = np.repeat(tiles.sum(axis=1), 8)
    scans = np.cumsum(tiles % 4, axis=1)
    return np.stack([sums, scans.ravel(), coalesced.ravel(), greatest.ravel()])


def main():
    checked(driver.cuInit(0))
    checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
    module = checked(driver.cuModuleLoadData(compile_to_ptx(SOURCE)))
    kernel = checked(driver.cuModuleGetFunction(module, b"groups"))
    out = np.zeros((4, N_THREADS), np.int32)
    address = to_device(out)
    pointers = Arguments(address).address
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, N_THREADS, 1, 1, 0, 0, pointers, 0))
    found = to_host(address, out)
    for name, row, right in zip(
        ("tiles", "scans", "coalesced", "labels"), found, expected(), strict=True
    ):
        np.testing.assert_array_equal(row, right, name)
        print(name)


if __name__ == "__main__":
    main()
