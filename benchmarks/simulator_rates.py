"""Measurements of the simulator, run as a script on one thread; prints JSON.

Rates are in lane instructions: instructions times active lanes, as in the simulator's counters.
"""

from __future__ import annotations

import ctypes
import json
import math
import re
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from numpy_plugin import cuda, inspect, vectorize
from numpy_plugin._benchmark.timing import median_times, repeated

Array = npt.NDArray[Any]

SAXPY = """
extern "C" __global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""
MANDELBROT = """
extern "C" __global__ void mandelbrot(int width, int height, int most, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  double re = -2.0 + 3.0 * (i % width) / width, im = -1.5 + 3.0 * (i / width) / height;
  double x = 0, y = 0;
  int n = 0;
  while (n < most && x * x + y * y <= 4) {
    double next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
    ++n;
  }
  out[i] = n;
}
"""
PHILOX = """
// Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011). A block's
// first word decides whether another one is drawn.
extern "C" __global__ void philox(unsigned key0, unsigned key1, unsigned* out, int* drawn, int n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0, first;
  int count = 0;
  do {
    unsigned c0 = i, c1 = count, c2 = 0, c3 = 0, k0 = key0, k1 = key1;
    for (int round = 0; round < 10; ++round) {
      unsigned high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
      unsigned high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
      c0 = high1 ^ c1 ^ k0;
      c1 = low1;
      c2 = high0 ^ c3 ^ k1;
      c3 = low0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    first = c0;
    sum += c0 ^ c1 ^ c2 ^ c3;
    ++count;
  } while (first & 3);
  out[i] = sum;
  drawn[i] = count;
}
"""
COLLATZ = """
extern "C" __global__ void collatz(int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long value = i + 1;
  int steps = 0;
  while (value != 1) {
    if (value & 1) value = 3 * value + 1;
    else value /= 2;
    ++steps;
  }
  out[i] = steps;
}
"""
N_VALUES = 1 << 20
N_DIVERGENT = 1 << 16
PHILOX_KEY = (0x12345678, 0x9ABCDEF0)
WIDTH = 512
ITERATIONS = 100
ROUNDS = 7
THREADS = 256
MEGABYTE = 1_000_000


@vectorize(["float32(float32, float32, float32)"])
def gaussian_pdf(x: float, mean: float, sigma: float) -> Any:
    """Density at x of the normal distribution with this mean and standard deviation."""
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * np.float32(2.5066283))


def rate(device: cuda.SimulatedDevice, launch: Callable[[], object]) -> float:
    """Return the median rate of several launches, in million lane instructions per second."""
    before = device.counters.instructions
    seconds = median_times({"launch": repeated(launch, 1, cuda.synchronize)}, ROUNDS)["launch"]
    instructions = (device.counters.instructions - before) / (1 + ROUNDS)
    return instructions * 1e-6 / seconds


def saxpy_rate(device: cuda.SimulatedDevice) -> float:
    """Measure one multiplication, one addition and three coalesced accesses per thread."""
    kernel = cuda.kernel(SAXPY, "saxpy")
    x, y = (
        cuda.to_device(np.random.default_rng(seed).random(N_VALUES, np.float32)) for seed in (1, 2)
    )
    out = cuda.device_array(N_VALUES, np.float32)
    blocks = -(-N_VALUES // THREADS)
    return rate(device, lambda: kernel[blocks, THREADS](np.float32(2), x, y, out, N_VALUES))


def mandelbrot_rate(device: cuda.SimulatedDevice) -> float:
    """Measure a divergent loop: each lane has its own number of trips."""
    kernel = cuda.kernel(MANDELBROT, "mandelbrot")
    out = cuda.device_array(WIDTH * WIDTH, np.int32)
    blocks = -(-WIDTH * WIDTH // THREADS)
    return rate(device, lambda: kernel[blocks, THREADS](WIDTH, WIDTH, ITERATIONS, out))


def philox_rate(device: cuda.SimulatedDevice) -> float:
    """Measure Philox 4x32-10, of which each lane draws blocks until one's first word ends in 00."""
    kernel = cuda.kernel(PHILOX, "philox")
    out = cuda.device_array(N_DIVERGENT, np.uint32)
    drawn = cuda.device_array(N_DIVERGENT, np.int32)
    key = tuple(map(np.uint32, PHILOX_KEY))
    blocks = N_DIVERGENT // THREADS
    found = rate(device, lambda: kernel[blocks, THREADS](*key, out, drawn, N_DIVERGENT))
    sums, counts = philox_sums(N_DIVERGENT)
    np.testing.assert_array_equal(out.copy_to_host(), sums)
    np.testing.assert_array_equal(drawn.copy_to_host(), counts)
    return found


def collatz_rate(device: cuda.SimulatedDevice) -> float:
    """Measure the steps of 1, 2, 3 ... to 1, whose number differs from lane to lane."""
    kernel = cuda.kernel(COLLATZ, "collatz")
    out = cuda.device_array(N_DIVERGENT, np.int32)
    blocks = N_DIVERGENT // THREADS
    found = rate(device, lambda: kernel[blocks, THREADS](out, N_DIVERGENT))
    np.testing.assert_array_equal(out.copy_to_host(), collatz_steps(N_DIVERGENT))
    return found


def philox_blocks(counters: Array, number: int) -> Array:
    """Return the 4 words of each counter's block of a number."""
    low = np.uint64(0xFFFFFFFF)
    words = np.zeros((4, counters.size), np.uint64)
    words[0], words[1] = counters, number
    keys = np.array(PHILOX_KEY, np.uint64)
    for _ in range(10):
        products = words[[0, 2]] * np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
        high, product_low = products >> np.uint64(32), products & low
        words = np.stack(
            [
                high[1] ^ words[1] ^ keys[0],
                product_low[1],
                high[0] ^ words[3] ^ keys[1],
                product_low[0],
            ]
        )
        keys = (keys + np.array([0x9E3779B9, 0xBB67AE85], np.uint64)) & low
    return words


def philox_sums(n: int) -> tuple[Array, Array]:
    """Return the sums of words and the numbers of blocks that the threads of PHILOX draw."""
    sums, counts = np.zeros(n, np.uint64), np.zeros(n, np.int32)
    rest = np.arange(n, dtype=np.uint64)
    number = 0
    while rest.size > 0:
        words = philox_blocks(rest, number)
        sums[rest] += np.bitwise_xor.reduce(words)
        counts[rest] += 1
        rest = rest[words[0] % 4 != 0]
        number += 1
    return sums.astype(np.uint32), counts


def collatz_steps(n: int) -> Array:
    """Return the numbers of steps from 1 to n."""
    values = np.arange(1, n + 1)
    steps = np.zeros(n, np.int32)
    while (values != 1).any():
        steps += values != 1
        values = np.where(values == 1, 1, np.where(values % 2 == 1, 3 * values + 1, values // 2))
    return steps


def large_module(text: str) -> str:
    """Repeat a module's kernels under other names until it has a million bytes."""
    start = text.index(".visible .entry")
    names = re.findall(r"\.visible \.entry (\w+)", text)
    pattern = re.compile("|".join(rf"\b{name}(?=\W|_param_)" for name in names))
    copies = [
        pattern.sub(rf"\g<0>_{number}", text[start:]) for number in range(MEGABYTE // len(text))
    ]
    return "\n".join([text, *copies])


def load_milliseconds(text: bytes) -> float:
    """Parse and decode PTX through the driver API: the median processor time."""
    driver = ctypes.CDLL(cuda.SIMULATOR_PATH)
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    calls = [driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)]
    calls.append(driver.cuCtxPushCurrent_v2(context))
    times = []
    for _ in range(ROUNDS + 1):
        start = time.process_time()
        calls.append(driver.cuModuleLoadData(ctypes.byref(module), text))
        times.append((time.process_time() - start) * 1e3)
        calls.append(driver.cuModuleUnload(module))
    if any(calls):
        raise RuntimeError(f"the simulated driver's answers are {calls}, expected zeros")
    return statistics.median(times[1:])


def main() -> None:
    """Measure and print."""
    with cuda.simulator(memory="64 MiB") as device:
        measured = (saxpy_rate, mandelbrot_rate, philox_rate, collatz_rate)
        numbers = {each.__name__.removesuffix("_rate"): each(device) for each in measured}
    text = inspect(gaussian_pdf).ptx()
    loads = {
        "load_ms": load_milliseconds(text.encode()),
        "load_megabyte_ms": load_milliseconds(large_module(text).encode()),
    }
    print(json.dumps({**numbers, **loads}))


if __name__ == "__main__":
    main()
