"""NVRTC and the simulated driver by their C interfaces."""

from __future__ import annotations

import ctypes
import functools
import os
import pathlib
import sysconfig
from collections.abc import Sequence

import numpy_plugin


class CompilationError(Exception):
    """NVRTC's log."""


class Nvrtc:
    """One NVRTC, by its path: several versions may be open at once."""

    def __init__(self, path: pathlib.Path, include: pathlib.Path) -> None:
        self.library = ctypes.CDLL(str(path))
        self.include = include
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def compile(self, source: str, arch: str, options: Sequence[str] = ()) -> str:
        """PTX for one architecture, such as "compute_90"."""
        program = ctypes.c_void_p()
        self._check(
            self.library.nvrtcCreateProgram(
                ctypes.byref(program), source.encode(), b"inventory.cu", 0, None, None
            )
        )
        try:
            arguments = [f"-arch={arch}", f"-I{self.include}", "-device-int128", *options]
            array = (ctypes.c_char_p * len(arguments))(*map(str.encode, arguments))
            if self.library.nvrtcCompileProgram(program, len(arguments), array) != 0:
                raise CompilationError(self._text(program, "ProgramLog"))
            return self._text(program, "PTX")
        finally:
            self.library.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> str:
        size = ctypes.c_size_t()
        self._check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self._check(getattr(self.library, f"nvrtcGet{what}")(program, text))
        return text.value.decode()

    @staticmethod
    def _check(status: int) -> None:
        assert status == 0, status


def site_packages() -> pathlib.Path:
    return pathlib.Path(sysconfig.get_paths()["purelib"])


@functools.cache
def pip_nvrtc() -> Nvrtc | None:
    """NVRTC of the pip package, with the headers of nvidia-cuda-runtime."""
    for directory in sorted(site_packages().glob("nvidia/cu1?"), reverse=True):
        paths = sorted(directory.glob("lib/libnvrtc.so.*"))
        if paths and (directory / "include/cuda_fp16.h").exists():
            return Nvrtc(paths[0], directory / "include")
    return None


@functools.cache
def toolkit_directory() -> pathlib.Path | None:
    """A CUDA toolkit with NVRTC and all headers."""
    places = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    for place in filter(None, places):
        directory = pathlib.Path(place)
        if (directory / "lib64/libnvrtc.so").exists() and (
            directory / "include/cuda_fp16.h"
        ).exists():
            return directory
    return None


@functools.cache
def toolkit_nvrtc() -> Nvrtc | None:
    directory = toolkit_directory()
    return directory and Nvrtc(directory / "lib64/libnvrtc.so", directory / "include")


class _Options(ctypes.Structure):
    _fields_ = (
        ("arch", ctypes.c_char_p),
        ("memory_bytes", ctypes.c_uint64),
        ("checks", ctypes.c_uint32),
        ("max_steps", ctypes.c_uint64),
        ("failing_allocation", ctypes.c_uint64),
        ("failing_launch", ctypes.c_uint64),
        ("lost_at_launch", ctypes.c_uint64),
        ("copy_delay_seconds", ctypes.c_double),
        ("n_multiprocessors", ctypes.c_uint32),
    )


class SimulatedDriver:
    """A simulated GPU whose driver loads modules."""

    def __init__(self, arch: str) -> None:
        path = pathlib.Path(numpy_plugin.__file__).with_name("libnumpy_plugin_simulator.so")
        self.library = ctypes.CDLL(str(path))
        self.library.npp_simulator_report.restype = ctypes.c_char_p
        options = _Options(arch=arch.encode(), memory_bytes=1 << 28, max_steps=1 << 30)
        assert self.library.cuInit(0) in (0, 100)  # or CUDA_ERROR_NO_DEVICE: it adds one
        self.ordinal = self.library.npp_simulator_add_device(ctypes.byref(options))
        assert self.ordinal >= 0, self.library.npp_simulator_report()
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        assert self.library.cuDeviceGet(ctypes.byref(device), self.ordinal) == 0
        retain = self.library.cuDevicePrimaryCtxRetain
        assert retain(ctypes.byref(self.context), device) == 0

    def load(self, code: str | bytes) -> str:
        """What loading a module says; empty where it loads. A fatbin is bytes."""
        image = code.encode() if isinstance(code, str) else code
        assert self.library.cuCtxSetCurrent(self.context) == 0
        module = ctypes.c_void_p()
        if self.library.cuModuleLoadData(ctypes.byref(module), image) != 0:
            return self.library.npp_simulator_report().decode()
        assert self.library.cuModuleUnload(module) == 0
        return ""

    def close(self) -> None:
        self.library.cuCtxSetCurrent(None)
        self.library.npp_simulator_remove_device(self.ordinal)
