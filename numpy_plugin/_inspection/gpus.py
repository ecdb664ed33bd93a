"""GPUs that calls are predicted for: figures of NVIDIA's data sheets."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GPUS", "Gpu", "find_gpu"]


class Gpu(NamedTuple):
    """A GPU.

    Attributes:
        name: for `explain(..., gpu=name)`.
        arch: its architecture, such as "sm_90".
        n_multiprocessors: streaming multiprocessors.
        clock: of the multiprocessors when boosted, in hertz.
        bandwidth: of its memory, in bytes per second.
        link: PCIe transfer rate per direction, in bytes per second.
    """

    name: str
    arch: str
    n_multiprocessors: int
    clock: float
    bandwidth: float
    link: float

    @property
    def rates(self) -> dict[str, int]:
        """Instructions of threads per clock and multiprocessor, by class."""
        return _RATES[self.arch]


_PCIE_3, _PCIE_4, _PCIE_5 = 16e9, 32e9, 64e9  # 16 lanes

# Data sheets of each GPU; multiprocessors and clocks of consumer GPUs from the white papers of
# their architectures. Multiprocessors * float32 rate * 2 * clock is the sheet's peak.
_ROWS = (
    Gpu("T4", "sm_75", 40, 1.590e9, 320e9, _PCIE_3),  # 8.1 TFLOPS
    Gpu("A100 40GB", "sm_80", 108, 1.410e9, 1555e9, _PCIE_4),  # 19.5 TFLOPS
    Gpu("A100 80GB PCIe", "sm_80", 108, 1.410e9, 1935e9, _PCIE_4),  # 19.5 TFLOPS
    Gpu("A100 80GB SXM", "sm_80", 108, 1.410e9, 2039e9, _PCIE_4),  # 19.5 TFLOPS
    Gpu("RTX 3090", "sm_86", 82, 1.695e9, 936e9, _PCIE_4),  # 35.6 TFLOPS
    Gpu("L4", "sm_89", 58, 2.040e9, 300e9, _PCIE_4),  # 30.3 TFLOPS
    Gpu("L40S", "sm_89", 142, 2.520e9, 864e9, _PCIE_4),  # 91.6 TFLOPS
    Gpu("RTX 4090", "sm_89", 128, 2.520e9, 1008e9, _PCIE_4),  # 82.6 TFLOPS
    Gpu("H100 PCIe", "sm_90", 114, 1.755e9, 2.0e12, _PCIE_5),  # 51 TFLOPS
    Gpu("H100 SXM", "sm_90", 132, 1.980e9, 3.35e12, _PCIE_5),  # 67 TFLOPS
    Gpu("H200 SXM", "sm_90", 132, 1.980e9, 4.8e12, _PCIE_5),  # 67 TFLOPS
    Gpu("RTX 5090", "sm_120", 170, 2.407e9, 1792e9, _PCIE_5),  # 104.8 TFLOPS
)
GPUS = {gpu.name: gpu for gpu in _ROWS}


# CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions". Other classes are
# limited by the four schedulers alone, each of which issues to a warp of 32 threads per clock.
def _rates(float32: int, float64: int, integer: int) -> dict[str, int]:
    return {"float32": float32, "float64": float64, "integer": integer, "special function": 16}


_RATES = {
    "sm_75": _rates(64, 2, 64),
    "sm_80": _rates(64, 32, 64),
    "sm_86": _rates(128, 2, 64),
    "sm_89": _rates(128, 2, 64),
    "sm_90": _rates(128, 64, 64),
    "sm_120": _rates(128, 2, 128),
}


def find_gpu(name: str) -> Gpu:
    """Return the GPU of a name; raise a ValueError that lists the known ones."""
    gpu = GPUS.get(name)
    if gpu is None:
        raise ValueError(f"unknown gpu {name!r}; expected one of {', '.join(GPUS)}")
    return gpu
