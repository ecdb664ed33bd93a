"""A stand-in of torch: the part of its interface that checks and benchmarks on GPUs use."""

import contextlib
import types

import ml_dtypes
import numpy as np
from peer_arrays import Array, Capture, Memory, Stream, current, driver, functions, stack

from numpy_plugin import cuda as _cuda

__version__ = "0 (a stand-in)"
uint8, int16, int32, int64 = np.uint8, np.int16, np.int32, np.int64
int8, float16, float32, float64 = np.int8, np.float16, np.float32, np.float64
complex64, bool, bfloat16 = np.complex64, np.bool_, np.dtype(ml_dtypes.bfloat16)


class Tensor(Array):
    """A tensor, on the device or the host; it does not tell the stream of its work."""

    requires_grad = False

    @property
    def is_cuda(self):
        return isinstance(self.values, _cuda.DeviceArray)

    @property
    def device(self):
        return "cuda:0" if self.is_cuda else "cpu"

    def __dlpack__(self, **keywords):
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient")
        return super().__dlpack__(**keywords)

    def cpu(self):
        with current().work():
            return Tensor(self.values.copy_to_host())

    def to(self, device):
        return self.call(_cuda.to_device, self.values)

    def numpy(self):
        return self.values

    def data_ptr(self):
        return self.memory.ptr

    def copy_(self, source):
        with current().work():
            if self.device == "cpu":
                source.values.copy_to_host(self.values)
            else:
                self.values.copy_to_device(source.values)
        return self

    def index_add_(self, axis, places, values):
        return self.call(np.add.at, self, places, values)


def from_dlpack(values):
    return Tensor(_cuda.as_device_array(values))


def _made(function, *arguments, **keywords):
    return Tensor(None).call(function, *arguments, **keywords)


def ones(shape, dtype=float32, device="cpu", requires_grad=False):
    made = _made(_cuda.ones, shape, dtype)
    made.requires_grad = requires_grad
    return made


def zeros(shape, dtype=float32, device="cpu"):
    return _made(_cuda.zeros, shape, dtype)


def empty(n_bytes, dtype=uint8, device="cpu"):
    """A tensor from the library's pool."""
    made = Tensor(None)
    made.memory = Memory(n_bytes)
    return made


def empty_like(values):
    return _made(_cuda.empty, values.shape, values.dtype)


def full(shape, value, dtype=None, device="cpu"):
    return _made(_cuda.full, shape, value, dtype)


def arange(*limits, dtype=None, device="cpu"):
    return as_tensor(np.arange(*limits, dtype=dtype), device)


def as_tensor(host, device="cpu"):
    return Tensor(host) if device == "cpu" else _made(_cuda.to_device, host)


def bincount(values):
    return _made(_cuda.bincount, values)


globals().update(functions("add sum cumsum sort argsort matmul", Tensor))


def _cross(x, y):
    return as_tensor(np.cross(x.cpu().numpy(), y.cpu().numpy()), "cuda")


linalg = types.SimpleNamespace(cross=_cross)


# --- torch.cuda ---


@contextlib.contextmanager
def _graph(graph):
    with Stream(non_blocking=True) as stream:
        _wait()
        graph.begin(stream)
        try:
            yield
        finally:
            graph.end()


def _wait():
    driver("cuCtxSynchronize")


class _Graph(Capture):
    def replay(self):
        self.launch(current())


cuda = types.SimpleNamespace(
    is_available=lambda: True,
    current_stream=lambda device=None: current(),
    default_stream=lambda: stack()[0],
    Stream=Stream,
    ExternalStream=lambda handle, device=None: Stream(handle=handle),
    stream=lambda stream: stream,
    synchronize=_wait,
    empty_cache=_cuda.trim,
    CUDAGraph=_Graph,
    graph=_graph,
)
