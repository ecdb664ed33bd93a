"""The derivative of each function by each operand, beside mpmath's; what has none says so."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from derivative_bounds import (
    BOUNDS,
    DERIVATIVES,
    REFUSED,
    bound_of,
    derivative_of,
    distances,
    row_of,
)
from function_bounds import DTYPES, GROUP, found_values, group_kernel
from long_runs import in_long_runs
from random_programs.daily import SEED

import numpy_plugin as npp
from numpy_plugin import cuda


@functools.cache
def kernel(operand: str, group: int, dtype: str) -> np.ufunc:
    """The derivatives by an operand of one group of calls."""
    calls = [call for call, each in DERIVATIVES if each == operand]
    rows = [row_of(call) for call in calls[group * GROUP : (group + 1) * GROUP]]
    return npp.derivative(group_kernel(rows, dtype), operand)


def results(call: str, operand: str, dtype: str, on_device: bool, *columns: np.ndarray):
    calls = [call for call, each in DERIVATIVES if each == operand]
    group, which = divmod(calls.index(call), GROUP)
    made = kernel(operand, group, dtype)
    if not on_device:
        return found_values(columns, functools.partial(made, np.int64(which)))
    arrays = [cuda.to_device(column) for column in columns]
    return made(np.int64(which), *arrays, *[arrays[-1]] * (4 - len(arrays))).copy_to_host()


def check(call: str, operand: str, count: int, *, on_device: bool = False) -> None:
    for dtype in DTYPES:
        compute = functools.partial(results, call, operand, dtype, on_device)
        most = getattr(bound_of(call, operand), dtype)
        found = max(distances(call, operand, dtype, count, compute))
        assert found <= most, (call, operand, dtype, found)


@pytest.mark.parametrize(("call", "operand"), DERIVATIVES)
def test_a_derivative_keeps_its_bound(call, operand):
    check(call, operand, 6)


@pytest.mark.slow
@pytest.mark.parametrize(("call", "operand"), DERIVATIVES)
def test_a_derivative_keeps_its_bound_at_many_points(call, operand):
    check(call, operand, 100)


@pytest.fixture(scope="module")
def device():
    with cuda.simulator(memory="64 MiB"):
        yield


# On devices rules have the CPU's code: some of them each day.
TODAY = DERIVATIVES[SEED % 8 :: 8]
OTHERS = [each for each in DERIVATIVES if each not in TODAY]


@pytest.mark.parametrize(("call", "operand"), [*TODAY, *in_long_runs(*OTHERS)])
def test_a_derivative_keeps_its_bound_on_a_device(device, call, operand):
    check(call, operand, 6, on_device=True)


@pytest.mark.parametrize(("call", "operand"), REFUSED)
def test_what_has_no_derivative_is_refused_by_name(call, operand):
    with pytest.raises(npp.KernelError, match=REFUSED[call, operand]):
        derivative_of(call, operand, "float64")


def test_bounds_are_of_derivatives_that_there_are():
    assert set(BOUNDS) <= set(DERIVATIVES)
    assert not set(REFUSED) & set(DERIVATIVES)
