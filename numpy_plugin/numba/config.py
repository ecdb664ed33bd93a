"""Settings that `numba.config` has for device kernels, from the same environment variables."""

import os

__all__ = ["CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY"]


def _is_on(name: str) -> bool:
    return os.environ.get(f"NUMBA_{name}", "1") != "0"


#: Whether launches of fewer blocks than the device has multiprocessors warn.
CUDA_LOW_OCCUPANCY_WARNINGS = _is_on("CUDA_LOW_OCCUPANCY_WARNINGS")

#: Whether launches with host arrays, which are copied, warn.
CUDA_WARN_ON_IMPLICIT_COPY = _is_on("CUDA_WARN_ON_IMPLICIT_COPY")
