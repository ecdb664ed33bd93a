"""Functions in kernels keep their bounds on the CPU and on the simulated device."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from function_bounds import DTYPES, FUNCTIONS, TARGETS, group_kernel, groups, measure

from numpy_plugin import cuda


class Kernels:
    """The kernels of all groups on one target, each compiled when first called."""

    def __init__(self, target: str) -> None:
        self.target = target
        self.made: dict[tuple[int, str], np.ufunc] = {}

    def __call__(self, row: object, dtype: str, *columns: np.ndarray) -> np.ndarray:
        group, which = divmod(FUNCTIONS.index(row), len(next(groups())))
        if (group, dtype) not in self.made:
            self.made[group, dtype] = group_kernel(list(groups())[group], dtype)
        kernel = self.made[group, dtype]
        if self.target == "cpu":
            return kernel(np.int64(which), *columns)
        return kernel(np.int64(which), *map(cuda.to_device, columns)).copy_to_host()


@pytest.fixture(scope="module", params=TARGETS)
def kernels(request):
    if request.param == "cpu":
        yield Kernels("cpu")
    else:
        with cuda.simulator(memory="64 MiB"):
            yield Kernels("device")


def check(kernels: Kernels, row, count: int) -> None:
    for dtype in DTYPES:
        away, beside = measure(row, dtype, count, functools.partial(kernels, row, dtype))
        most_away, most_beside = row.limits(kernels.target, dtype)
        assert away <= most_away, (row.call, dtype)
        assert beside <= most_beside, (row.call, dtype, "beside a zero")


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bound(kernels, row):
    check(kernels, row, 25)


@pytest.mark.slow
@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bound_at_many_points(kernels, row):
    check(kernels, row, 2000)
