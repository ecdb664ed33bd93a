"""A kernel that writes past the end of its array, found on a machine without a GPU."""

import re

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda

SOURCE = """
__global__ void doubled(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) to[i] = i < n ? 2 * from[i] : 0;
}
"""


def main() -> None:
    doubled = cuda.kernel(SOURCE, "doubled")
    values = np.ones(1000, np.float32)

    with cuda.simulator():
        from_array = cuda.to_device(values)
        to = cuda.device_array(1000, np.float32)
        try:
            doubled[8, 128](from_array, to, 1000)
        except npp.SimulatorError as error:
            text = str(error)
        else:
            raise AssertionError("the simulator found nothing")
        assert "doubled" in text and "c05_memory_check.py" in text
        where = re.search(r"block \(\d+,\d+,\d+\), thread \(\d+,\d+,\d+\)", text)
        what = re.search(r"wrote 4 bytes at 0x[0-9a-f]+, (.*?) of allocation", text)
        assert where is not None and what is not None
        print("found:", where[0], "wrote 4 bytes,", what[1])
        print("error:", error_name(doubled))

        # The device stays usable after a fault.
        doubled[8, 125](from_array, to, 999)
        assert to[:999].copy_to_host().sum() == 1998
        print("999 values doubled:", to[0].item())


def error_name(kernel: cuda.Kernel) -> str:
    """Return the driver's name for the kernel's error."""
    try:
        kernel[1, 32](np.ones(4, np.float32), np.ones(4, np.float32), 4)
    except npp.SimulatorError as error:
        return error.name
    return "none"


if __name__ == "__main__":
    main()
