"""A kernel that breaks the context: what is said, and what lives on."""

from __future__ import annotations

import numpy as np

import numpy_plugin as npp
from gpu_check.probes.arrays import kernel
from gpu_check.probes.probe import probe
from numpy_plugin import cuda


@probe
def faults() -> object:
    """The exception names the fault every time; the CPU and the simulator go on."""
    f = kernel("float64", 2, "return x + y;")
    k = cuda.kernel('extern "C" __global__ void k(int* p) { *(int*)8 = 1; }', "k")
    there = cuda.zeros(4, np.int32)
    said = []
    for _ in range(2):
        try:
            k[1, 1](there)
            cuda.synchronize()
            there.copy_to_host()
        except (npp.CudaError, npp.SimulatorError) as error:
            said.append(" ".join(str(error).split())[:90])
    assert len(said) == 2, f"a store to address 8 was not reported twice: {said}"
    host = np.arange(4.0)
    assert (f(host, host) == host + host).all(), "the CPU"
    with cuda.simulator():
        x = cuda.to_device(host)
        assert (f(x, x).copy_to_host() == host + host).all(), "the simulator"
    return said
