"""Arrays that are like those of other libraries, over the memory of device arrays."""

import ctypes
import types

import numpy as np

from numpy_plugin import cuda


class Base:
    """An array of another library over a device array's memory."""

    def __init__(self, array, **changes):
        self.array = cuda.to_device(array)
        self.changes = changes
        self.calls = []

    def copy_to_host(self):
        return self.array.copy_to_host()


class Interface(Base):
    """One with __cuda_array_interface__ alone."""

    @property
    def __cuda_array_interface__(self):
        self.calls.append("interface")
        return {**self.array.__cuda_array_interface__, "stream": None, **self.changes}


class Dlpack(Base):
    """One with DLPack alone, which remembers what it was asked."""

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        return self.array.__dlpack__(**keywords)


class OldDlpack(Dlpack):
    """Of the first years of DLPack: no keyword but the stream."""

    def __dlpack__(self, stream=None):
        return super().__dlpack__(stream=stream)


class OldestDlpack(Dlpack):
    """Of the time before streams."""

    def __dlpack__(self):
        return super().__dlpack__()


class Both(Interface, Dlpack):
    """As CuPy's arrays: both protocols, and ufuncs looked up by their names."""

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return f"hijacked {ufunc.__name__}"

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=Both)


class OfModule(Dlpack):
    """As torch's tensors: their library's own module makes them."""


OfModule.__module__ = "library_of_the_test.core"

CLASSES = [Interface, Dlpack, OldDlpack, OldestDlpack, Both]


def ramp(shape, dtype=np.float64):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


# --- capsules made by hand ---


class Tensor(ctypes.Structure):
    """A tensor of DLPack, as its header has it."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Unversioned(ctypes.Structure):
    """What a capsule of the name `dltensor` holds."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER))


class Versioned(ctypes.Structure):
    """What a capsule of the name `dltensor_versioned` holds."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


CAPSULE_NAMES = {Unversioned: b"dltensor", Versioned: b"dltensor_versioned"}


class Handmade:
    """A producer whose capsules call a deleter that counts."""

    def __init__(self, kind=Versioned, strides=None, managed=False, **fields):
        self.array = cuda.to_device(ramp((2, 3)))
        self.managed = managed
        self.n_made = self.n_deleted = 0
        self.shape = (ctypes.c_int64 * 2)(2, 3)
        self.strides = None if strides is None else (ctypes.c_int64 * 2)(*strides)
        self.record = kind(deleter=DELETER(self.delete))
        tensor = self.record.tensor
        tensor.data = self.array.__cuda_array_interface__["data"][0]
        tensor.device_type, tensor.device_id = self.__dlpack_device__()
        tensor.ndim, tensor.code, tensor.bits, tensor.lanes = 2, 2, 64, 1
        tensor.shape = ctypes.addressof(self.shape)
        tensor.strides = None if strides is None else ctypes.addressof(self.strides)
        if kind is Versioned:
            self.record.major = 1
        for name, value in fields.items():
            setattr(self.record if hasattr(self.record, name) else tensor, name, value)

    def delete(self, address):
        assert address == ctypes.addressof(self.record)
        self.n_deleted += 1

    def __dlpack_device__(self):
        return (13 if self.managed else 2, self.array.device.id)

    def __dlpack__(self, **keywords):
        self.n_made += 1
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        return new(ctypes.addressof(self.record), CAPSULE_NAMES[type(self.record)], None)
