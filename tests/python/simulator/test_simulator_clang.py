"""Kernels that clang compiles to PTX, without CUDA's headers, give a plain computation's values."""

import ctypes
import shutil
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest

from numpy_plugin import cuda

CLANG = shutil.which("clang")

HEAD = """
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONSTANT __attribute__((constant))
typedef unsigned int uint;
DEVICE int lane() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int thread() {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + lane();
}
"""
COLLATZ = """
GLOBAL void kernel(const uint* in, uint* out) {
  uint x = in[thread()], steps = 0;
  for (; x > 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
  out[thread()] = steps;
}
"""
BLOCK_SUM = """
GLOBAL void kernel(const uint* in, uint* out) {
  SHARED static uint part[64];
  part[lane()] = in[thread()];
  for (int step = 32; step > 0; step /= 2) {
    __nvvm_bar_sync(0);
    if (lane() < step) part[lane()] += part[lane() + step];
  }
  __nvvm_bar_sync(0);
  out[thread()] = part[0];
}
"""
RECURSION = """
DEVICE __attribute__((noinline)) uint ackermann(uint m, uint n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
GLOBAL void kernel(const uint* in, uint* out) { out[thread()] = ackermann(2, in[thread()] % 5); }
"""
POINTERS = """
DEVICE __attribute__((noinline)) uint twice(uint x) { return 2 * x; }
DEVICE __attribute__((noinline)) uint square(uint x) { return x * x; }
DEVICE __attribute__((noinline)) uint low(uint x) { return x & 0xff; }
DEVICE uint (*table[3])(uint) = {twice, square, low};
GLOBAL void kernel(const uint* in, uint* out) {
  uint x = in[thread()];
  out[thread()] = table[x % 3](x);
}
"""
LOCAL_ARRAY = """
struct Digits { unsigned char of[12]; int n; };
DEVICE __attribute__((noinline)) Digits digits(uint x) {
  Digits found = {};
  do found.of[found.n++] = x % 10; while (x /= 10);
  return found;
}
CONSTANT const unsigned char weights[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
GLOBAL void kernel(const uint* in, uint* out) {
  Digits found = digits(in[thread()]);
  uint sum = 0;
  for (int i = 0; i < found.n; ++i) sum += weights[found.of[i]] << i;
  out[thread()] = sum;
}
"""
N_THREADS = 256


def collatz(values: np.ndarray) -> list[int]:
    def steps(x: int) -> int:
        n = 0
        while x > 1:
            x, n = (3 * x + 1 if x % 2 else x // 2), n + 1
        return n

    return [steps(int(x)) for x in values]


def block_sums(values: np.ndarray) -> list[int]:
    return list(np.repeat(values.reshape(-1, 64).sum(axis=1), 64))


def pointers(values: np.ndarray) -> list[int]:
    functions = [lambda x: 2 * x, lambda x: x * x % 2**32, lambda x: x & 0xFF]
    return [functions[x % 3](x) for x in map(int, values)]


def digit_sums(values: np.ndarray) -> list[int]:
    weights = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    return [
        sum(weights[int(digit)] << i for i, digit in enumerate(reversed(str(x)))) for x in values
    ]


KERNELS = {
    "collatz": (COLLATZ, collatz),
    "block_sum": (BLOCK_SUM, block_sums),
    "recursion": (RECURSION, lambda values: [2 * int(x % 5) + 3 for x in values]),
    "pointers": (POINTERS, pointers),
    "local_array": (LOCAL_ARRAY, digit_sums),
}


@pytest.fixture(scope="module", params=["-O0", "-O2"])
def ptx(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """All kernels, each under its name in KERNELS."""
    path = tmp_path_factory.mktemp("clang") / "kernels.cu"
    sources = [text.replace("void kernel(", f"void {name}(") for name, (text, _) in KERNELS.items()]
    path.write_text(HEAD + "".join(sources))
    options = ["--cuda-device-only", "--cuda-gpu-arch=sm_75", "-nocudainc", "-nocudalib"]
    command = [CLANG, "-x", "cuda", *options, "-S", request.param, "-o", "-", str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    if b"NVPTX" not in done.stdout:
        pytest.skip(f"{CLANG} does not compile for GPUs: {done.stderr.decode()[-200:]}")
    return done.stdout


@pytest.fixture
def driver() -> Iterator[ctypes.CDLL]:
    library = ctypes.CDLL(cuda.SIMULATOR_PATH)
    library.npp_simulator_report.restype = ctypes.c_char_p
    context = ctypes.c_void_p()
    assert library.cuInit(0) == 0
    assert library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert library.cuCtxPushCurrent_v2(context) == 0
    yield library
    library.cuCtxPopCurrent_v2(None)
    library.cuDevicePrimaryCtxRelease_v2(0)


def run(driver: ctypes.CDLL, ptx: bytes, name: str, values: np.ndarray) -> np.ndarray:
    """The named kernel's output for the values, one thread each in blocks of 64."""

    def call(entry_point: str, *arguments: object) -> None:
        if getattr(driver, entry_point)(*arguments) != 0:
            raise RuntimeError(driver.npp_simulator_report().decode())

    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), ptx)
    call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
    size = ctypes.c_size_t(values.nbytes)
    addresses = [ctypes.c_uint64(), ctypes.c_uint64()]
    for address in addresses:
        call("cuMemAlloc_v2", ctypes.byref(address), size)
    call("cuMemcpyHtoD_v2", addresses[0], ctypes.c_void_p(values.ctypes.data), size)
    parameters = (ctypes.c_void_p * 2)(*map(ctypes.addressof, addresses))
    blocks = values.size // 64
    call("cuLaunchKernel", function, blocks, 1, 1, 64, 1, 1, 0, None, parameters, None)
    results = np.empty_like(values)
    call("cuMemcpyDtoH_v2", ctypes.c_void_p(results.ctypes.data), addresses[1], size)
    for address in addresses:
        call("cuMemFree_v2", address)
    call("cuModuleUnload", module)
    return results


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
@pytest.mark.parametrize("name", KERNELS)
def test_clang_s_code_gives_the_values(driver, ptx, name):
    _, expected = KERNELS[name]
    values = np.random.default_rng(7).integers(1, 10**6, N_THREADS, dtype=np.uint32)
    results = run(driver, ptx, name, values)
    np.testing.assert_array_equal(results, np.array(expected(values), np.uint32))
