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

from numpy_plugin import cuda, inspect, vectorize

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
N_VALUES = 1 << 20
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
    rates = []
    for _ in range(ROUNDS + 1):
        before = device.counters.instructions
        start = time.perf_counter()
        launch()
        cuda.synchronize()
        seconds = time.perf_counter() - start
        rates.append((device.counters.instructions - before) * 1e-6 / seconds)
    return statistics.median(rates[1:])


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
        numbers = {"saxpy": saxpy_rate(device), "mandelbrot": mandelbrot_rate(device)}
    text = inspect(gaussian_pdf).ptx()
    loads = {
        "load_ms": load_milliseconds(text.encode()),
        "load_megabyte_ms": load_milliseconds(large_module(text).encode()),
    }
    print(json.dumps({**numbers, **loads}))


if __name__ == "__main__":
    main()
