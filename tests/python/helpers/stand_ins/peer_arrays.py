"""What the stand-ins of CuPy and torch share: arrays over device arrays, streams and captures.

Like the libraries, they work on a stream of their own choice, which this package has to find out.
"""

import contextlib
import ctypes
import operator
import threading

import numpy as np

from numpy_plugin import cuda

_streams = threading.local()


class Stream:
    """A stream; in its block, the library works on it."""

    def __init__(self, non_blocking=False, handle=None):
        self._own = cuda.stream() if handle is None else cuda.external_stream(handle)
        self.handle = self.ptr = self.cuda_stream = self._own.handle

    def __enter__(self):
        stack().append(self)
        return self

    def __exit__(self, *exception):
        stack().pop()

    def synchronize(self):
        self._own.synchronize()

    def work(self):
        """A block whose calls of this package are on the stream."""
        return self._own


def stack():
    """The streams of the blocks that this thread is in."""
    if not hasattr(_streams, "blocks"):
        _streams.blocks = [Stream(handle=1)]
    return _streams.blocks


def current():
    return stack()[-1]


def own(value):
    """An argument as this package takes it."""
    if isinstance(value, tuple):
        return tuple(map(own, value))
    return value.values if isinstance(value, Array) else value


class Array:
    """An array of the library."""

    def __init__(self, values):
        self.values = values

    def of(self, values):
        """A result, as an array of the same library."""
        if isinstance(values, tuple):
            return tuple(map(self.of, values))
        return type(self)(values) if isinstance(values, cuda.DeviceArray) else values

    def call(self, function, *arguments, **keywords):
        """Call a function on the library's stream."""
        arguments = map(own, arguments)
        with current().work():
            return self.of(function(*arguments, **{k: own(v) for k, v in keywords.items()}))

    def __dlpack__(self, stream=None, **keywords):
        """Have the stream wait for the library's, if it is another."""
        if stream not in (None, -1, current().handle):
            event = cuda.event()
            event.record(current().work())
            event.wait(cuda.external_stream(stream))
        return self.values.__dlpack__(stream=-1, **keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()

    def __getattr__(self, name):
        if name.startswith("__") or name == "values":
            raise AttributeError(name)
        value = getattr(self.values, name)
        if not callable(value):
            return self.of(value)
        return lambda *arguments, **keywords: self.call(value, *arguments, **keywords)

    def __getitem__(self, key):
        return self.call(operator.getitem, self, key)

    def __add__(self, other):
        return self.call(operator.add, self, other)

    def __mul__(self, other):
        return self.call(operator.mul, self, other)

    def __float__(self):
        with current().work():
            return float(np.asarray(self.values.copy_to_host()).reshape(-1)[0])


def functions(names, kind):
    """NumPy's functions of arrays, as functions of the library's arrays."""

    def made(name):
        function = getattr(np, name)
        return lambda *arguments, **keywords: kind(None).call(function, *arguments, **keywords)

    return {name: made(name) for name in names.split()}


# --- what the driver does for them ---


def driver(name, *arguments):
    """Call the driver; its results are checked."""
    result = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if result != 0:
        raise RuntimeError(f"{name} returned {result}")


class Memory:
    """Memory from the library's pool."""

    def __init__(self, n_bytes):
        address = ctypes.c_uint64()
        driver("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(n_bytes, 1)))
        self.ptr = address.value

    def __del__(self):
        with contextlib.suppress(RuntimeError):
            driver("cuMemFree_v2", ctypes.c_uint64(self.ptr))


class Capture:
    """What a stream is asked to do, recorded in the mode that torch has by default."""

    def begin(self, stream, mode=0):
        self._stream = ctypes.c_void_p(stream.handle)
        driver("cuStreamBeginCapture_v2", self._stream, mode)

    def end(self):
        graph, self._executable = ctypes.c_void_p(), ctypes.c_void_p()
        driver("cuStreamEndCapture", self._stream, ctypes.byref(graph))
        flags = ctypes.c_ulonglong(0)
        driver("cuGraphInstantiateWithFlags", ctypes.byref(self._executable), graph, flags)

    def launch(self, stream):
        driver("cuGraphLaunch", self._executable, ctypes.c_void_p(stream.handle))
