"""libcu++ on the simulator: atomics, semaphores, barriers, pipelines, asynchronous copies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from machines.cuda_packages import PACKAGES

import numpy_plugin as npp
from numpy_plugin import cuda

# One block of 64 threads each, for tiles of 128; `in` has 256 elements, `out` one for each thread.
SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>

namespace groups = cooperative_groups;
template <class T>
using BlockAtomic = cuda::atomic<T, cuda::thread_scope_block>;
template <class T>
using DeviceReference = cuda::atomic_ref<T, cuda::thread_scope_device>;

struct State {
  double wide;
  long long low;
  int sum;
  float real;
  int bits;
  short small;
};

__device__ void atomics(const int* in, int* out, State* state) {
  const int i = threadIdx.x;
  __shared__ BlockAtomic<unsigned> counter;
  if (i == 0) new (&counter) BlockAtomic<unsigned>(5);
  __syncthreads();
  counter.fetch_add(2);
  counter.fetch_max(7, cuda::memory_order_relaxed);
  counter.fetch_xor(0);
  unsigned expected = counter.load(cuda::memory_order_acquire);
  while (!counter.compare_exchange_weak(expected, expected + 1)) {
  }
  DeviceReference<int>(state->sum).fetch_add(in[i], cuda::memory_order_release);
  cuda::atomic_ref<float, cuda::thread_scope_system>(state->real).fetch_add(0.5f);
  DeviceReference<double>(state->wide).fetch_max(i * 2.0);
  cuda::atomic_ref<long long>(state->low).fetch_min(-i);
  DeviceReference<short>(state->small).fetch_add(3);
  __nv_atomic_fetch_or(&state->bits, 1 << (i & 15), __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
  __syncthreads();
  const int found[] = {static_cast<int>(counter.load()),
                       DeviceReference<int>(state->sum).load(),
                       static_cast<int>(2 * DeviceReference<float>(state->real).load()),
                       static_cast<int>(DeviceReference<double>(state->wide).load()),
                       static_cast<int>(DeviceReference<long long>(state->low).load()),
                       DeviceReference<short>(state->small).load(),
                       state->bits};
  if (i < 7) out[i] = found[i];
}

__device__ void semaphores(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_block, 3>;
  __shared__ Semaphore slots;
  __shared__ BlockAtomic<int> inside, most;
  if (i == 0) {
    new (&slots) Semaphore(3);
    new (&inside) BlockAtomic<int>(0);
    new (&most) BlockAtomic<int>(0);
  }
  __syncthreads();
  slots.acquire();
  most.fetch_max(inside.fetch_add(1) + 1);
  inside.fetch_sub(1);
  slots.release();
  __syncthreads();
  out[i] = most.load() <= 3 ? in[i] : -1;
}

__device__ void barriers(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ int values[64];
  if (i == 0) init(&meeting, 64);
  __syncthreads();
  int total = 0;
  for (int turn = 0; turn < 3; ++turn) {
    values[i] = in[i] + turn;
    auto token = meeting.arrive();
    meeting.wait(std::move(token));
    total += values[63 - i];
    meeting.arrive_and_wait();
  }
  out[i] = total;
}

__device__ void copies(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ alignas(16) int values[256];
  if (i == 0) init(&meeting, 64);
  __syncthreads();
  cuda::memcpy_async(groups::this_thread_block(), values, in,
                     cuda::aligned_size_t<16>(sizeof(values)), meeting);
  meeting.arrive_and_wait();
  out[i] = values[255 - i];
}

__device__ void pipelines(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  __shared__ alignas(16) int values[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int total = 0;
  for (int loaded = 0, used = 0; used < 4; ++used) {
    for (; loaded < 4 && loaded < used + 2; ++loaded) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, values[loaded % 2], in + loaded * 64,
                         cuda::aligned_size_t<16>(sizeof(values[0])), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    total += values[used % 2][63 - i];
    pipeline.consumer_release();
  }
  out[i] = total;
}

// Groups of two warps, which meet in shared memory: reserved by the driver since sm_80.
__device__ void tiles(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  __shared__ groups::block_tile_memory<128> memory;
  auto block = groups::this_thread_block(memory);
  auto tile = groups::tiled_partition<64>(block);
  const int total = groups::reduce(tile, in[i], groups::plus<int>());
  tile.sync();
  const int last = tile.shfl(in[i], 63);
  out[i] = tile.any(in[i] == 1100) ? total + last : total - last;
}

// Without waiting for the copies.
__device__ void unfinished(const int* in, int* out, State*) {
  const int i = threadIdx.x;
  __shared__ cuda::barrier<cuda::thread_scope_block> meeting;
  __shared__ alignas(16) int values[256];
  if (i == 0) init(&meeting, 64);
  __syncthreads();
  cuda::memcpy_async(groups::this_thread_block(), values, in,
                     cuda::aligned_size_t<16>(sizeof(values)), meeting);
  out[i] = values[255 - i];
}

extern "C" __global__ void run_program(int which, const int* in, int* out, State* state) {
  switch (which) {
    case 0: return atomics(in, out, state);
    case 1: return semaphores(in, out, state);
    case 2: return barriers(in, out, state);
    case 3: return copies(in, out, state);
    case 4: return pipelines(in, out, state);
    case 5: return unfinished(in, out, state);
    case 6: return tiles(in, out, state);
  }
}
"""

NAMES = ["atomics", "semaphores", "barriers", "copies", "pipelines", "unfinished", "tiles"]

INPUT = np.arange(1000, 1256, dtype=np.int32)
BACKWARDS = np.arange(63, -1, -1)


class Programs:
    """The programs for one architecture, compiled together."""

    def __init__(self) -> None:
        headers = next(PACKAGES.glob("cu13/include/cccl/cuda/atomic"), None)
        if headers is None:
            pytest.skip("nvidia-cuda-cccl is not installed")
        library = headers.parents[1]
        options = [f"-I{library.parent}", f"-I{library}", "-diag-suppress=20054"]
        self.kernel = cuda.kernel(SOURCE, "run_program", options)

    def __call__(self, name: str, n_threads: int = 64) -> np.ndarray:
        out = cuda.to_device(np.zeros(n_threads, np.int32))
        state = cuda.to_device(np.zeros(64, np.uint8))
        which = np.int32(NAMES.index(name))
        self.kernel[1, n_threads](which, cuda.to_device(INPUT), out, state)
        return out.copy_to_host()


@pytest.fixture(scope="module", params=[pytest.param("sm_80", marks=pytest.mark.slow), "sm_90"])
def programs(request: pytest.FixtureRequest) -> Iterator[Programs]:
    with cuda.simulator(arch=request.param, memory="16 MiB"):
        yield Programs()


def test_atomics(programs: Programs) -> None:
    total = int(INPUT[:64].sum())
    expected = [5 + 3 * 64, total, 64, 126, -63, 3 * 64, 0xFFFF]
    assert programs("atomics")[:7].tolist() == expected


def test_semaphores(programs: Programs) -> None:
    np.testing.assert_array_equal(programs("semaphores"), INPUT[:64])


def test_barriers(programs: Programs) -> None:
    np.testing.assert_array_equal(programs("barriers"), 3 * INPUT[BACKWARDS] + 3)


def test_asynchronous_copies(programs: Programs) -> None:
    np.testing.assert_array_equal(programs("copies"), INPUT[::-1][:64])


def test_pipelines(programs: Programs) -> None:
    expected = INPUT.reshape(4, 64).sum(axis=0)[BACKWARDS]
    np.testing.assert_array_equal(programs("pipelines"), expected)


def test_tiles_of_two_warps(programs: Programs) -> None:
    halves = INPUT[:128].reshape(2, 64)
    totals = halves.sum(axis=1) + [-1, 1] * halves[:, 63]
    np.testing.assert_array_equal(programs("tiles", 128), np.repeat(totals, 64))


def test_reads_before_the_end_of_a_copy_are_found(programs: Programs) -> None:
    with pytest.raises(npp.SimulatorError, match=r"a race|never written"):
        programs("unfinished")
