"""Permutations by number, and a crossing that tries all orders of its lights: local arrays."""

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

import numpy_plugin as npp
from numpy_plugin import cuda

Vector = npt.NDArray[Any]

MOST = 12  # items: local arrays have a fixed size, and 12! fits in 32 bits


@npp.device
def factorial(n: Any) -> Any:
    """1 * 2 * ... * n."""
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


@npp.device
def nth_permutation(number: Any, n: Any, order: Any) -> None:
    """Write a permutation of range(n), given its number in the factorial number system."""
    left = npp.local_array(MOST, np.uint32)
    for i in range(n):
        left[i] = i
    n_left = n
    while True:
        if n_left == 0:
            break
        weight = factorial(n_left - 1)
        digit = number // weight % n_left
        order[n - n_left] = left[digit]
        n_left -= 1
        for i in range(digit, n_left):
            left[i] = left[i + 1]


@npp.guvectorize(["void(int64, int64[:], int64[:])"], "(),(n)->(n)")
def permutation(number: Any, items: Vector, out: Vector) -> None:
    """The items in the order of itertools.permutations at this index."""
    order = npp.local_array(MOST, np.uint32)
    nth_permutation(number, len(items), order)
    for i in range(len(items)):
        out[i] = items[order[i]]


@npp.guvectorize(["void(int64, int64, int64[:], int64[:], int64[:])"], "(),(),(n),(n)->()")
def waiting(seconds: Any, number: Any, green: Vector, every: Vector, out: Vector) -> None:
    """The number of cars waiting at a crossing after some seconds.

    The lights serve the roads in the order of a permutation, road i for green[i] seconds, and one
    car leaves per second; a car arrives on road i every `every[i]` seconds.
    """
    n = len(green)
    order = npp.local_array(MOST, np.uint32)
    nth_permutation(number, n, order)
    queue = npp.local_array(MOST, np.uint32)
    turn = 0
    left = green[order[0]]
    for second in range(1, seconds + 1):
        for road in range(n):
            if second % every[road] == 0:
                queue[road] += 1
        if queue[order[turn]] > 0:
            queue[order[turn]] -= 1
        left -= 1
        if left == 0:
            turn = (turn + 1) % n
            left = green[order[turn]]
    total = np.int64(0)
    for road in range(n):
        total += queue[road]
    out[0] = total


def waiting_in_python(seconds: int, order: tuple[int, ...], green: Vector, every: Vector) -> int:
    """The same crossing, second by second."""
    lights = itertools.cycle([road for road in order for _ in range(green[road])])
    queue = np.zeros(len(order), int)
    for second, road in zip(range(1, seconds + 1), lights, strict=False):
        queue += second % every == 0
        queue[road] -= queue[road] > 0
    return int(queue.sum())


def main() -> None:
    items = np.arange(5)
    numbers = np.arange(math.factorial(5))
    expected = np.array(list(itertools.permutations(items)))
    assert np.array_equal(permutation(numbers, items), expected)
    print("all", len(numbers), "permutations of 5 items: as itertools has them")
    print("the last of 12 items:", permutation(math.factorial(12) - 1, np.arange(12)))

    every = np.array([3, 4, 5, 6])
    green = np.array([[5, 4, 3, 2], [2, 2, 2, 2], [9, 1, 1, 1]])
    seconds = np.array([0, 17, 60, 200])
    orders = list(itertools.permutations(range(4)))
    grid = (seconds[:, None, None], np.arange(len(orders))[:, None], green, every)
    cars = waiting(*grid)
    reference = [
        [[waiting_in_python(t, order, row, every) for row in green] for order in orders]
        for t in seconds
    ]
    assert np.array_equal(cars, reference)
    print("timestamps x permutations x configurations:", cars.shape, "as in plain Python")
    best = np.unravel_index(cars[-1].argmin(), cars[-1].shape)
    print("fewest cars after", seconds[-1], "seconds:", cars[-1].min(), "in order", orders[best[0]])

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        on_device = permutation(cuda.to_device(numbers), cuda.to_device(items))
        assert np.array_equal(on_device.copy_to_host(), expected)
        on_device = waiting(*map(cuda.to_device, grid))
        assert np.array_equal(on_device.copy_to_host(), cars)
    print("on device arrays: the same")


if __name__ == "__main__":
    main()
