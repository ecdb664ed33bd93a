"""A stand-in of CuPy: the part of its interface that checks and benchmarks on GPUs use."""

import types

import numpy as np
from peer_arrays import Array, Capture, Memory, current, driver, functions
from peer_arrays import Stream as _Stream

from numpy_plugin import cuda as _cuda

__version__ = "0 (a stand-in)"
float32, float64 = np.float32, np.float64


class ndarray(Array):
    """An array that names the stream of its work."""

    @property
    def __cuda_array_interface__(self):
        return {**self.values.__cuda_array_interface__, "stream": current().handle}

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=from_dlpack)

    def get(self, out=None):
        with current().work():
            return self.values.copy_to_host(out)

    def set(self, host):
        with current().work():
            self.values.copy_to_device(host)


def from_dlpack(values):
    return ndarray(_cuda.as_device_array(values))


def _made(function, *arguments, **keywords):
    return ndarray(None).call(function, *arguments, **keywords)


def ones(shape, dtype=float):
    return _made(_cuda.ones, shape, dtype)


def zeros(shape, dtype=float):
    return _made(_cuda.zeros, shape, dtype)


def full(shape, value, dtype=None):
    return _made(_cuda.full, shape, value, dtype)


def empty(shape, dtype=float):
    return _made(_cuda.empty, shape, dtype)


def empty_like(values):
    return empty(values.shape, values.dtype)


def arange(*limits, dtype=None):
    return asarray(np.arange(*limits, dtype=dtype))


def asarray(host):
    return host if isinstance(host, ndarray) else _made(_cuda.to_device, host)


def asnumpy(values):
    return values.get()


def copyto(to, values):
    to.values.copy_to_device(values.values)


def bincount(values):
    return _made(_cuda.bincount, values)


class _Add:
    """The ufunc `add`."""

    def __call__(self, *operands, **keywords):
        return _made(np.add, *operands, **keywords)

    def at(self, *operands):
        return _made(np.add.at, *operands)


add = _Add()
globals().update(functions("sum cumsum sort argsort matmul", ndarray))


class _CapturingStream(_Stream):
    def begin_capture(self):
        self._capture = Capture()
        self._capture.begin(self)

    def end_capture(self):
        self._capture.end()
        return self._capture


_CapturingStream.null = _Stream(handle=1)


class _Device:
    def __init__(self, number=0):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def synchronize(self):
        driver("cuCtxSynchronize")


cuda = types.SimpleNamespace(
    Stream=_CapturingStream,
    ExternalStream=lambda handle, device: _Stream(handle=handle),
    Device=_Device,
    alloc=Memory,
)


def get_default_memory_pool():
    return types.SimpleNamespace(free_all_blocks=_cuda.trim)
