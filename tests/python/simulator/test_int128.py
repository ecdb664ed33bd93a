"""128-bit integers, which NVRTC compiles to chains of carries: against Python's integers."""

from __future__ import annotations

import numpy as np
import pytest

from numpy_plugin import cuda

SOURCE = """
extern "C" __global__ void divide(const unsigned __int128* a, const unsigned __int128* b,
                                  unsigned __int128* quotient, unsigned __int128* remainder) {
  quotient[threadIdx.x] = a[threadIdx.x] / b[threadIdx.x];
  remainder[threadIdx.x] = a[threadIdx.x] % b[threadIdx.x];
}
extern "C" __global__ void divide_signed(const __int128* a, const __int128* b,
                                         __int128* quotient, __int128* remainder) {
  quotient[threadIdx.x] = a[threadIdx.x] / b[threadIdx.x];
  remainder[threadIdx.x] = a[threadIdx.x] % b[threadIdx.x];
}
extern "C" __global__ void combine(const __int128* a, const __int128* b,
                                   __int128* difference, __int128* product) {
  difference[threadIdx.x] = a[threadIdx.x] - b[threadIdx.x];
  product[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
}
"""
COUNT = 200
MODULUS = 1 << 128


def signed(bits: int) -> int:
    return bits - MODULUS if bits >> 127 else bits


def truncated(a: int, b: int) -> tuple[int, int]:
    """Quotient towards zero, and remainder, as in C++."""
    quotient = abs(a) // abs(b)
    quotient = quotient if (a < 0) == (b < 0) else -quotient
    return quotient, a - quotient * b


EXPECTED = {
    "divide": divmod,
    "divide_signed": lambda a, b: truncated(signed(a), signed(b)),
    "combine": lambda a, b: (a - b, a * b),
}


def draw() -> tuple[list[int], list[int]]:
    """Numbers of all lengths, and divisors that are not zero."""
    random = np.random.default_rng(0)

    def number() -> int:
        return int.from_bytes(random.bytes(16), "little") >> int(random.integers(128))

    hard = [(0, 1), (MODULUS - 1, 1), (MODULUS - 1, 1 << 64), (1 << 127, 3), (5, MODULUS - 1)]
    rest = [(number(), number() or 1) for _ in range(COUNT - len(hard))]
    first, second = zip(*hard, *rest, strict=True)
    return list(first), list(second)


def words(numbers: list[int]) -> np.ndarray:
    data = b"".join(number.to_bytes(16, "little") for number in numbers)
    return np.frombuffer(data, np.uint64)


def numbers(words: np.ndarray) -> list[int]:
    data = words.tobytes()
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]


@pytest.mark.parametrize("name", EXPECTED)
def test_results_are_pythons(name):
    a, b = draw()
    kernel = cuda.kernel(SOURCE, name, ["-device-int128"])
    with cuda.simulator(memory="16 MiB"):
        first, second = (cuda.device_array(2 * COUNT, np.uint64) for _ in range(2))
        kernel[1, COUNT](cuda.to_device(words(a)), cuda.to_device(words(b)), first, second)
        found = numbers(first.copy_to_host()), numbers(second.copy_to_host())
    expected = zip(*map(EXPECTED[name], a, b), strict=True)
    for results, wanted in zip(found, expected, strict=True):
        assert results == [value % MODULUS for value in wanted]
