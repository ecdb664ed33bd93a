"""Uninitialized memory: fails where a value from it is used, with the line that loaded it."""

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

USES = """
extern "C" __global__ void use(const float* x, float* y, int n) {
  const float loaded = x[threadIdx.x];
  const float doubled = 2 * loaded;
  if (n > 3) y[threadIdx.x] = doubled;
}"""


def test_a_value_that_is_used_fails_with_both_lines():
    with cuda.simulator():
        kernel = cuda.kernel(USES, "use")
        x, y = cuda.device_array(32, np.float32), cuda.zeros(32, np.float32)
        kernel[1, 32](x, y, 2)
        assert not y.copy_to_host().any()
        with pytest.raises(npp.SimulatorError) as error:
            kernel[1, 32](x, y, 5)
    text = str(error.value)
    assert "'use', block (0,0,0), thread (0,0,0), <source of 'use'>:5: an uninitialized" in text
    assert "is written to global memory: <source of 'use'>:3 read 4 bytes at 0x" in text
    assert "of which 4 were never written" in text
    assert "device_array at test_uninitialized.py:" in text


# As CUB's BlockMergeSort: each thread looks one word beyond what it merges.
PADDED = """
extern "C" __global__ void least(const int* x, int* y) {
  __shared__ int held[33];
  held[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int own = held[threadIdx.x];
  const int next = held[threadIdx.x + 1];
  y[threadIdx.x] = threadIdx.x == 31 || own < next ? own : next;
}"""


def test_padding_that_is_loaded_and_not_selected_is_no_fault():
    x = np.arange(32, dtype=np.int32)[::-1].copy()
    with cuda.simulator():
        y = cuda.device_array(32, np.int32)
        cuda.kernel(PADDED, "least")[1, 32](cuda.to_device(x), y)
        np.testing.assert_array_equal(y.copy_to_host(), [*x[1:], 0])


COUNTED = """
extern "C" __global__ void count(const int* x, int* y, int n) {
  __shared__ int counts[2];
  if (n > 0 && threadIdx.x == 0) counts[0] = 0;
  __syncthreads();
  atomicAdd(&counts[x[threadIdx.x] & 1], 1);
  __syncthreads();
  if (threadIdx.x < n) y[threadIdx.x] = counts[threadIdx.x];
}"""


def test_atomic_sums_fail_where_they_leave_the_kernel():
    with cuda.simulator():
        kernel = cuda.kernel(COUNTED, "count")
        x, y = cuda.to_device(np.arange(32, dtype=np.int32)), cuda.zeros(2, np.int32)
        kernel[1, 32](x, y, 1)
        np.testing.assert_array_equal(y.copy_to_host(), [16, 0])
        with pytest.raises(npp.SimulatorError) as error:
            kernel[1, 32](x, y, 2)
    text = str(error.value)
    assert "thread (1,0,0), <source of 'count'>:8: an uninitialized value is written to" in text
    assert "<source of 'count'>:6" in text
    assert "of shared memory, of which 4 were never written by this block" in text
