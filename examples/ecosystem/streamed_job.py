"""Count random points in a circle: 100 GB of indices, streamed in chunks through a dask cluster.

python streamed_job.py --gigabytes 100 --workers 8 --memory "1 GB"

A chunk exists from its creation to its partial count, so the memory of a worker depends on the size
of a chunk and not on that of the job. The count is the same for any workers and chunks.
"""

from __future__ import annotations

import argparse
import math
import resource

import dask.array as da
from dask.distributed import Client, LocalCluster

import numpy_plugin as npp


@npp.vectorize(["bool(int64, int64)"])
def is_inside(seed: int, i: int) -> bool:
    """Whether the i-th random point of the unit square is in the unit circle."""
    x = npp.random.uniform(seed, 2 * i)
    y = npp.random.uniform(seed, 2 * i + 1)
    return x * x + y * y <= 1


def count_points(n_points: int, n_per_chunk: int) -> da.Array:
    """Return the lazy number of points in the circle."""
    indices = da.arange(n_points, chunks=n_per_chunk, dtype="int64")
    return is_inside(7, indices).sum()


def peak_memory() -> int:
    """Return the most bytes that this process has had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def version() -> str:
    """Return this process's version of the package; ModuleNotFoundError where it has none."""
    import numpy_plugin

    return numpy_plugin.__version__


def check_workers(client: Client) -> None:
    """Raise an exception unless all workers have this version of the package."""
    found = client.run(version)
    if wrong := {worker: text for worker, text in found.items() if text != version()}:
        raise RuntimeError(f"workers need numpy_plugin {version()}, found {wrong}")


def main() -> None:
    """Run the job, and print its result and the memory that it took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=100.0, help="of indices, 8 bytes each")
    parser.add_argument("--chunk", type=float, default=16.0, help="megabytes of a chunk")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="1 GB", help="limit of each worker")
    given = parser.parse_args()
    n_points, n_per_chunk = int(given.gigabytes * 1e9 / 8), int(given.chunk * 1e6 / 8)
    cluster = LocalCluster(
        n_workers=given.workers,
        threads_per_worker=1,
        memory_limit=given.memory,
        dashboard_address=None,
    )
    with cluster, Client(cluster) as client:
        check_workers(client)
        count_points(4 * given.workers, 1).compute()  # the code is loaded everywhere
        before = client.run(peak_memory)
        count = int(count_points(n_points, n_per_chunk).compute())
        after = client.run(peak_memory)
    grown = max(after[worker] - before[worker] for worker in after)
    pi = 4 * count / n_points
    assert abs(pi - math.pi) < 10 / math.sqrt(n_points), pi
    print(f"{n_points:,} points, {count:,} in the circle, pi is about {pi:.5f}")
    print(f"memory of a worker grew by {grown / 1e6:.0f} MB for {given.gigabytes:g} GB of indices")


if __name__ == "__main__":
    main()
