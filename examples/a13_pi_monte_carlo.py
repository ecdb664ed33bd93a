"""Random numbers inside a kernel: pi from the fraction of random points inside a circle."""

import math

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda

SEED = 2024
POINTS_PER_BLOCK = 64


@npp.vectorize(["int64(int64, int64)"])
def count_inside(seed: int, block: int) -> int:
    """Count a block's points inside the unit circle; each comes from the seed and its own index."""
    count = 0
    for k in range(POINTS_PER_BLOCK):
        point = block * POINTS_PER_BLOCK + k
        x = npp.random.uniform(seed, 2 * point)
        y = npp.random.uniform(seed, 2 * point + 1)
        if x * x + y * y < 1:
            count += 1
    return count


def is_inside(seed: int, point: int) -> int:
    """Map: 1 for a point inside the circle."""
    x = npp.random.uniform(seed, 2 * point)
    y = npp.random.uniform(seed, 2 * point + 1)
    return 1 if x * x + y * y < 1 else 0


# One pass over nothing but the points' numbers.
count_all = npp.reduction(is_inside, np.add, index=True, identity=0)


def main() -> None:
    blocks = np.arange(4096)
    n_points = blocks.size * POINTS_PER_BLOCK
    counts = count_inside(SEED, blocks)
    pi = 4 * int(counts.sum()) / n_points
    sigma = 4 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / n_points)
    assert abs(pi - math.pi) < 5 * sigma
    print(f"{n_points:,} points: pi is about {pi:.4f}, within 5 sigma")

    points = np.arange(n_points)
    x, y = (npp.random.uniform(SEED, 2 * points + axis) for axis in (0, 1))
    assert np.count_nonzero(x * x + y * y < 1) == counts.sum()
    print("the same points as arrays: the same count")
    assert count_all(SEED, shape=n_points) == counts.sum()
    print("mapped and reduced in one pass: the same count")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = count_inside(SEED, cuda.to_device(blocks[:512]))
        assert np.array_equal(on_device.copy_to_host(), counts[:512])
        first = count_all(cuda.to_device(np.array(SEED)), shape=512 * POINTS_PER_BLOCK)
        assert first.copy_to_host() == counts[:512].sum()
    print("on a device: the same count in every block")


if __name__ == "__main__":
    main()
