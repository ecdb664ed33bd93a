"""The same call on host arrays and of a device: results, outputs and errors compared."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from numpy_plugin import _core, cuda

#: Names of NumPy's ufuncs of numbers that kernels can call.
UFUNCS = {
    name
    for name, value in vars(np).items()
    if type(value) is np.ufunc and value.signature is None and value.__name__ == name
    if _core.kernels_can_call(f"numpy.{name}")
}


def on_device(value: np.ndarray) -> cuda.DeviceArray:
    """The values in device memory with the strides of the host's."""
    if value.ndim == 0 or value.flags.c_contiguous or value.flags.f_contiguous:
        return cuda.to_device(value)
    order = np.argsort([-abs(stride) for stride in value.strides], kind="stable")
    return cuda.to_device(np.ascontiguousarray(value.transpose(order))).transpose(
        *np.argsort(order).tolist()
    )


def assert_both(ufunc: np.ufunc, expected: object, *operands: np.ndarray) -> None:
    """A call on host arrays and one on arrays of a device both give what is expected."""
    np.testing.assert_array_equal(ufunc(*operands), expected)
    result = ufunc(*(cuda.to_device(operand) for operand in operands))
    np.testing.assert_array_equal(result.copy_to_host(), expected)


def outcome(call: Callable[..., Any], arrays: dict[str, Any]) -> tuple[Any, BaseException | None]:
    names = inspect.signature(call).parameters
    try:
        return call(**{name: arrays[name] for name in names}), None
    except Exception as error:
        return None, error


def assert_same_array(device: Any, host: Any) -> None:
    host = np.asarray(host)
    assert isinstance(device, cuda.DeviceArray)
    assert (device.shape, device.dtype) == (host.shape, host.dtype)
    if host.size > 1:
        steps = [n > 1 for n in host.shape]
        mine, numpys = (np.array(a.strides, int)[steps] for a in (device, host))
        assert mine.tolist() == numpys.tolist()
    values = device.copy_to_host()
    same = (values == host) | ((values != values) & (host != host))
    assert same.all(), (values[~same][:5], host[~same][:5])
    if host.dtype.kind in "fc":
        for mine, numpys in ((values.real, host.real), (values.imag, host.imag)):
            zeros = numpys == 0
            assert np.array_equal(np.signbit(mine[zeros]), np.signbit(numpys[zeros]))


def assert_same(call: Callable[..., Any], **arrays: Any) -> None:
    """The call gives the same on both; then its operands are the same, too."""
    device_arrays = {name: on_device(value) for name, value in arrays.items()}
    with np.errstate(all="ignore"):
        host, host_error = outcome(call, arrays)
        device, device_error = outcome(call, device_arrays)
    if host_error is not None or device_error is not None:
        assert (type(device_error), str(device_error)) == (type(host_error), str(host_error))
    elif isinstance(host, tuple):
        assert isinstance(device, tuple) and len(device) == len(host)
        for mine, numpys in zip(device, host, strict=True):
            assert_same_array(mine, numpys)
    else:
        assert_same_array(device, host)
    for name, value in arrays.items():
        np.testing.assert_array_equal(device_arrays[name].copy_to_host(), value)


def assert_same_error(call: Callable[..., Any], **arrays: Any) -> None:
    assert outcome(call, arrays)[1] is not None, "NumPy takes the call"
    assert_same(call, **arrays)
