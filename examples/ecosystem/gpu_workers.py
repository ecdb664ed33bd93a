"""A dask cluster with one GPU a worker, which the worker finds through its environment.

dask-cuda's LocalCUDACluster starts such workers on machines with GPUs. This program does it with
dask alone, by the same variable, so that it also runs with simulated GPUs:

NUMPY_PLUGIN_CUDA=simulator NUMPY_PLUGIN_SIMULATED_DEVICES=2 python gpu_workers.py
"""

from __future__ import annotations

import dask.array as da
import numpy as np
from dask.distributed import Client, Nanny, Scheduler, SpecCluster

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["float32(float32, float32)"], target="cuda")
def hypotenuse(x: float, y: float) -> float:
    """Length of the hypotenuse."""
    return (x * x + y * y) ** 0.5


def environment(worker: int, n_devices: int) -> dict[str, str]:
    """Return the variables of a worker: its own device comes first, all others follow."""
    order = [(worker + k) % n_devices for k in range(n_devices)]
    return {"CUDA_VISIBLE_DEVICES": ",".join(map(str, order))}


def make_cluster(n_devices: int) -> SpecCluster:
    """Return a cluster with a worker for each device."""
    local = {"host": "127.0.0.1", "port": 0}
    workers = {
        worker: {
            "cls": Nanny,
            "options": {**local, "nthreads": 1, "env": environment(worker, n_devices)},
        }
        for worker in range(n_devices)
    }
    return SpecCluster(workers, {"cls": Scheduler, "options": {**local, "dashboard": False}})


def device_of_worker() -> str:
    """Return the UUID of the device that this process computes on."""
    return cuda.current_device().uuid


def main() -> None:
    """Compute on each worker's device, and print which ones these are."""
    with make_cluster(len(cuda.gpus)) as cluster, Client(cluster) as client:
        client.wait_for_workers(len(cuda.gpus))
        devices = client.run(device_of_worker)
        assert len(set(devices.values())) == len(cuda.gpus)
        x = da.arange(200_000, chunks=50_000, dtype="float32")
        lengths = hypotenuse(x, np.float32(0)).compute()
    np.testing.assert_array_equal(lengths, np.arange(200_000, dtype="float32"))
    print(f"{len(lengths):,} lengths from {len(devices)} devices")
    print(*sorted(devices.values()), sep="\n")


if __name__ == "__main__":
    main()
