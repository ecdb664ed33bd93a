"""Kernels written in CUDA C++, compiled by NVRTC and launched on a simulated GPU."""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ptx_tools import SimulatedDriver, pip_nvrtc, site_packages

SOURCES = pathlib.Path(__file__).parent


def cccl_headers() -> list[pathlib.Path]:
    """Where the pip package has CCCL's headers; empty without it."""
    return sorted(site_packages().glob("nvidia/cu1?/include/cccl"), reverse=True)[:1]


class Program:
    """A module's kernels; their arguments are NumPy's arrays and scalars."""

    def __init__(self, driver: SimulatedDriver, ptx: str) -> None:
        self.driver = driver.library
        self.report = driver.library.npp_simulator_report
        assert self.driver.cuCtxSetCurrent(driver.context) == 0
        self.module = ctypes.c_void_p()
        self._check(self.driver.cuModuleLoadData(ctypes.byref(self.module), ptx.encode()))

    @classmethod
    def compile(cls, driver: SimulatedDriver, name: str, architecture: int) -> Program:
        """The program of a source in this directory; skips without its headers."""
        nvrtc = pip_nvrtc()
        headers = cccl_headers()
        if nvrtc is None or not headers:
            pytest.skip("no NVRTC with CUDA's and CCCL's headers (pip install nvidia-cuda-cccl)")
        options = [f"-I{path}" for path in headers]
        options += ["-default-device", "-std=c++17", "-fmad=false"]
        source = (SOURCES / name).read_text(encoding="utf-8")
        return cls(driver, nvrtc.compile(source, f"compute_{architecture}", options))

    def launch(self, kernel: str, blocks: int, threads: int, *arguments: Any) -> None:
        """Copies arrays to the device before the launch, and back to where they were after it."""
        function = ctypes.c_void_p()
        get_function = self.driver.cuModuleGetFunction
        self._check(get_function(ctypes.byref(function), self.module, kernel.encode()))
        places = [self._place(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(places))(*map(ctypes.addressof, places))
        sizes = (blocks, 1, 1, threads, 1, 1, 0)
        status = self.driver.cuLaunchKernel(function, *sizes, None, pointers, None)
        status = status or self.driver.cuCtxSynchronize()
        for argument, place in zip(arguments, places, strict=True):
            if isinstance(argument, np.ndarray):
                self._take_back(argument, place, copies=status == 0)
        self._check(status)

    def _place(self, argument: Any) -> Any:
        if not isinstance(argument, np.ndarray):
            return ctypes.c_int(argument)
        address = ctypes.c_uint64()
        self._check(
            self.driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(argument.nbytes))
        )
        host = argument.ctypes.data_as(ctypes.c_void_p)
        self._check(self.driver.cuMemcpyHtoD_v2(address, host, ctypes.c_size_t(argument.nbytes)))
        return address

    def _take_back(self, array: np.ndarray, address: ctypes.c_uint64, copies: bool) -> None:
        host = array.ctypes.data_as(ctypes.c_void_p)
        if copies:
            self._check(self.driver.cuMemcpyDtoH_v2(host, address, ctypes.c_size_t(array.nbytes)))
        self._check(self.driver.cuMemFree_v2(address))

    def _check(self, status: int) -> None:
        assert status == 0, f"{status}: {self.report().decode()}"


def arrays(count: int, size: int, dtype: Any) -> Sequence[np.ndarray]:
    return [np.zeros(size, dtype) for _ in range(count)]
