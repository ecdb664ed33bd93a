"""Ray: a ufunc as an operand of tasks, and in functions of a data set's batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import ray

import numpy_plugin as npp


@npp.vectorize
def hypotenuse(x: float, y: float) -> float:
    """Length of the hypotenuse."""
    return (x * x + y * y) ** 0.5


@ray.remote
def apply(ufunc: np.ufunc, *operands: Any) -> Any:
    """Call a ufunc in a worker: it travels by value, as its declaration."""
    return ufunc(*operands)


def main() -> None:
    """Run tasks in two processes."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    chunks = np.arange(8.0).reshape(4, 2)
    shared = ray.put(np.zeros(2))  # workers read it in shared memory, without a copy
    results = ray.get([apply.remote(hypotenuse, chunk, shared) for chunk in chunks])
    np.testing.assert_array_equal(results, chunks)
    ray.shutdown()
    print(f"{len(results)} tasks")


if __name__ == "__main__":
    main()
