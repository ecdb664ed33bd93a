"""The device of the tests on device arrays: a simulated one, or that of this machine's driver."""

import os
from contextlib import AbstractContextManager

from numpy_plugin import cuda

#: "gpu" as `make test-gpu` sets it.
VARIABLE = "NUMPY_PLUGIN_TEST_DEVICE"


def is_gpu_tested() -> bool:
    return os.environ.get(VARIABLE) == "gpu"


def device_under_test() -> AbstractContextManager[cuda.Device]:
    """Return the device; a `with` block makes it the current one."""
    return cuda.gpus[0] if is_gpu_tested() else cuda.simulator()
