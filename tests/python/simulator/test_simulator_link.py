"""Code of several parts on the simulated driver: LTO-IR through nvJitLink, alone and beside PTX."""

import ctypes
from collections.abc import Iterator

import numpy as np
import pytest
from device_parts import LTO_IR, MACHINE_CODE, PTX, compile_source
from machines.cuda_packages import installed_library

from numpy_plugin import _core, cuda

CALLER = """
extern "C" __device__ float scale(float a, float x);
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += scale(a, x[i]);
}
"""
CALLEE = 'extern "C" __device__ float scale(float a, float x) { return a * x; }'

Pointer = ctypes.c_void_p


class Driver:
    """The simulated driver by its C interface, with the first device's context."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(cuda.SIMULATOR_PATH)
        self.library.npp_simulator_report.restype = ctypes.c_char_p
        self.call("cuInit", 0)
        context = Pointer()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxPushCurrent_v2", context)

    def close(self) -> None:
        self.call("cuCtxPopCurrent_v2", None)
        self.call("cuDevicePrimaryCtxRelease_v2", 0)

    def call(self, name: str, *arguments: object) -> None:
        if getattr(self.library, name)(*arguments) != 0:
            raise RuntimeError(self.library.npp_simulator_report().decode())

    def link(self, *parts: bytes) -> Pointer:
        """A module of the parts, whatever each is."""
        state, image, module = Pointer(), Pointer(), Pointer()
        self.call("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
        try:
            for part in parts:
                size = ctypes.c_size_t(len(part))
                self.call("cuLinkAddData_v2", state, 1, part, size, b"part", 0, None, None)
            self.call("cuLinkComplete", state, ctypes.byref(image), None)
            self.call("cuModuleLoadData", ctypes.byref(module), image)
        finally:
            self.call("cuLinkDestroy", state)
        return module

    def saxpy(self, module: Pointer, a: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What the module's kernel leaves in `y`."""
        function, size = Pointer(), ctypes.c_size_t(x.nbytes)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"saxpy")
        addresses = []
        for array in (x, y):
            address = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(address), size)
            self.call("cuMemcpyHtoD_v2", address, Pointer(array.ctypes.data), size)
            addresses.append(address)
        values = (ctypes.c_float(a), *addresses, ctypes.c_int(x.size))
        parameters = (Pointer * 4)(*map(ctypes.addressof, values))
        self.call("cuLaunchKernel", function, 4, 1, 1, 32, 1, 1, 0, None, parameters, None)
        result = np.empty_like(y)
        self.call("cuMemcpyDtoH_v2", Pointer(result.ctypes.data), addresses[1], size)
        return result


@pytest.fixture
def driver() -> Iterator[Driver]:
    opened = Driver()
    yield opened
    opened.close()


@pytest.fixture
def nvjitlink(driver: Driver) -> None:
    path = installed_library("nvJitLink")
    version = ctypes.c_uint(), ctypes.c_uint()
    ctypes.CDLL(path).nvJitLinkVersion(*map(ctypes.byref, version))
    found, needed = tuple(part.value for part in version), _core.nvrtc_info()["version"]
    if found < tuple(map(int, needed.split("."))):
        pytest.skip(f"nvJitLink {found[0]}.{found[1]} is older than NVRTC {needed}")
    driver.library.npp_simulator_set_linker_path(path.encode())


@pytest.mark.parametrize(
    ("caller", "callee"),
    [(LTO_IR, LTO_IR), (LTO_IR, PTX), (PTX, PTX)],
    ids=["LTO-IR", "LTO-IR calls PTX", "PTX"],
)
def test_parts_meet(driver, nvjitlink, caller, callee):
    module = driver.link(compile_source(CALLER, caller), compile_source(CALLEE, callee))
    x, y = np.arange(100, dtype=np.float32), np.ones(100, np.float32)
    np.testing.assert_array_equal(driver.saxpy(module, 2.0, x, y), 2 * x + 1)


def test_a_missing_part_is_named(driver, nvjitlink):
    for output in (LTO_IR, PTX):
        with pytest.raises(RuntimeError, match="scale"):
            driver.link(compile_source(CALLER, output))


def test_machine_code_is_refused_with_a_remedy(driver):
    with pytest.raises(RuntimeError, match=r"machine code only, .* give it PTX or LTO-IR"):
        driver.link(compile_source(CALLEE, MACHINE_CODE))
