"""Streams: asynchronous copies and kernels, ordered and timed with events."""

import numpy as np

from numpy_plugin import cuda

SOURCE = """
__global__ void scale(float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
"""


def main() -> None:
    scale = cuda.kernel(SOURCE, "scale")
    n = 4096

    # Copies on the simulator are delayed, so that there is something to wait for.
    with cuda.gpus[0] if len(cuda.gpus) else cuda.simulator(faults={"copy_delay": 0.02}):
        streams = [cuda.stream() for _ in range(2)]
        pinned = cuda.pinned_array((2, n), np.float32)
        pinned[:] = np.arange(n)
        results = cuda.pinned_array((2, n), np.float32)

        begin, ends = cuda.event(), [cuda.event() for _ in streams]
        begin.record(streams[0])
        for row, stream, end in zip(range(2), streams, ends, strict=True):
            with stream:  # copies and launches use this stream
                x = cuda.to_device(pinned[row])
                scale[n // 128, 128](x, 10.0 ** (row + 1), n)
                x.copy_to_host(results[row])
                end.record()

        for row, end in enumerate(ends):
            end.synchronize()
            assert np.array_equal(results[row], np.arange(n, dtype=np.float32) * 10 ** (row + 1))
            print(f"stream {row}: {n} values scaled by {10 ** (row + 1)}")
        assert begin.elapsed_time(ends[0]) > 0
        print("the first stream was done after it had begun")

        # Ordering two streams: the second waits for an event on the first.
        shared = cuda.zeros(n, np.float32)
        pinned[0] = 1
        shared.copy_to_device(pinned[0], stream=streams[0])
        copied = cuda.event()
        copied.record(streams[0])
        streams[1].wait(copied)
        scale[n // 128, 128, streams[1]](shared, 3.0, n)
        assert np.array_equal(shared.copy_to_host(), np.full(n, 3, np.float32))
        print("a kernel on one stream after a copy on the other")


if __name__ == "__main__":
    main()
