"""The device of the tests on device arrays: a simulated one, or that of this machine's driver."""

import os
from contextlib import AbstractContextManager

import pytest

from numpy_plugin import cuda

#: "gpu" as `make test-driver` and tools/gpu_check set it.
VARIABLE = "NUMPY_PLUGIN_TEST_DEVICE"


def is_gpu_tested() -> bool:
    return os.environ.get(VARIABLE) == "gpu"


#: For tests that ask what only a simulated device tells, such as its counters.
needs_simulator = pytest.mark.skipif(is_gpu_tested(), reason="asks a simulated device")


def device_under_test(memory: str = "1 GiB") -> AbstractContextManager[cuda.Device]:
    """Return the device; a `with` block makes it the current one.

    Args:
        memory: of a simulated device.
    """
    return cuda.gpus[0] if is_gpu_tested() else cuda.simulator(memory=memory)
