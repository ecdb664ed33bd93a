"""Functions in kernels keep their bounds on the CPU and on the simulated device."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from function_bounds import (
    DTYPES,
    FUNCTIONS,
    GROUP,
    Function,
    group_kernel,
    measure,
    measure_at,
)
from function_errors import Farthest, Wide, every_float32, largest_distances
from long_runs import in_long_runs
from random_programs.daily import SEED
from worst_arguments import WORST

from numpy_plugin import cuda


def in_groups(rows: list[Function]) -> list[list[Function]]:
    """Functions that are compiled together."""
    return [rows[start : start + GROUP] for start in range(0, len(rows), GROUP)]


# SciPy's of which float32 is the rounded float64.
ROUNDED = [row for row in FUNCTIONS if row.bounds[::2] == (1, 1)]
PLAIN = [row for row in FUNCTIONS if row not in ROUNDED]
GROUPS = in_groups(PLAIN) + in_groups(ROUNDED)


class Kernels:
    """The kernels of all groups on one target, each compiled when first called."""

    def __init__(
        self, target: str, groups: list[list[Function]] = GROUPS, **options: object
    ) -> None:
        self.target, self.groups, self.options = target, groups, options
        self.made: dict[tuple[int, str], np.ufunc] = {}

    def __call__(self, row: Function, dtype: str, *columns: np.ndarray) -> np.ndarray:
        group = next(i for i, rows in enumerate(self.groups) if row in rows)
        which = self.groups[group].index(row)
        if (group, dtype) not in self.made:
            self.made[group, dtype] = group_kernel(self.groups[group], dtype, **self.options)
        kernel = self.made[group, dtype]
        if self.target == "cpu":
            return kernel(np.int64(which), *columns)
        return kernel(np.int64(which), *map(cuda.to_device, columns)).copy_to_host()


@pytest.fixture(scope="module")
def host():
    return Kernels("cpu")


@pytest.fixture(scope="module")
def device():
    with cuda.simulator(memory="64 MiB"):
        yield Kernels("device")


def check_distances(
    kernels: Kernels, row: Function, dtype: str, found: tuple[float, float]
) -> None:
    (away, beside), (most_away, most_beside) = found, row.limits(kernels.target, dtype)
    assert away <= most_away, (row.call, dtype)
    assert beside <= most_beside, (row.call, dtype, "beside a zero")


def check(kernels: Kernels, row: Function, count: int, dtypes: Sequence[str] = DTYPES) -> None:
    for dtype in dtypes:
        found = measure(row, dtype, count, functools.partial(kernels, row, dtype))
        check_distances(kernels, row, dtype, found)


@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bound(host, row):
    check(host, row, 25, DTYPES[row in ROUNDED :])


# Formulas that lose all digits where sums are reordered.
FRAGILE = ["math.pow(x, y)", "math.log10(x)", "special.beta(x, y)", "special.hyp2f1(x, y, z, w)"]


@pytest.mark.parametrize("which", [FRAGILE, ["math.pow(x, y)"]], ids=len)
def test_liberties_of_a_kernel_are_not_taken_in_functions(which):
    rows = [row for row in FUNCTIONS if row.call in which]
    assert len(rows) == len(which)
    kernels = Kernels("cpu", [rows], fastmath=True)
    for row in rows:
        check(kernels, row, 100, ["float64"])


# On devices those of SciPy have the CPU's code: a group of them each day.
TODAY = [*PLAIN, *in_groups(ROUNDED)[SEED % len(in_groups(ROUNDED))]]
OTHERS = [row for row in FUNCTIONS if row not in TODAY]


@pytest.mark.parametrize("row", [*TODAY, *in_long_runs(*OTHERS)], ids=lambda row: row.call)
def test_a_function_keeps_its_bound_on_a_device(device, row):
    check(device, row, 25, DTYPES[row in ROUNDED :])


@pytest.mark.parametrize("target", ["host", "device"])
@pytest.mark.parametrize("call", WORST)
def test_a_function_keeps_its_bound_where_it_once_did_not(request, target, call):
    kernels = request.getfixturevalue(target)
    row = next(row for row in FUNCTIONS if row.call == call)
    for dtype, numbers in zip(DTYPES, WORST[call], strict=True):
        columns = [np.array(column, dtype) for column in zip(*numbers, strict=True)]
        if columns:
            found = measure_at(row, columns, functools.partial(kernels, row, dtype))
            check_distances(kernels, row, dtype, found)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["host", "device"])
@pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.call)
def test_a_function_keeps_its_bound_at_many_points(request, target, row):
    check(request.getfixturevalue(target), row, 2000)


def test_a_search_of_all_numbers_finds_the_farthest():
    row = next(row for row in FUNCTIONS if row.call == "math.log2(x)")
    (numbers,) = next(every_float32(1.0, 1.5))
    wide = Wide(row, [numbers])
    found = wide.values.astype(np.float32)
    found[[70, 5000]] += [3e-6, 2e-6]
    farthest = Farthest(is_beside=False)
    farthest.add(found, wide)
    nearest_first = farthest.columns[0][farthest.sizes.argsort()]
    assert nearest_first[:-3:-1].tolist() == [numbers[70], numbers[5000]]


def test_a_search_looks_at_all_that_may_be_farther():
    row = next(row for row in FUNCTIONS if row.call == "math.log2(x)")
    (numbers,) = next(every_float32(3.99, 4.01))  # to and from a power of 2
    wide = Wide(row, [numbers])
    steps = np.random.default_rng(7).integers(-12, 13, len(numbers))
    found = (wide.rounded.view(np.int32) + steps.astype(np.int32)).view(np.float32)
    found[9] = np.nan
    for least in (0.0, 0.4, 1.0, 2.6, 5.0, 11.5):
        looked_at = wide.far_from(found, least)
        all_sizes = wide.sizes(found, np.arange(len(found)), is_beside=False)
        missed = np.setdiff1d(np.flatnonzero(all_sizes > max(least, 0.5)), looked_at)
        assert missed.size == 0
        assert looked_at.size < found.size


def test_a_search_finds_more_than_few_points_do():
    row = next(row for row in FUNCTIONS if row.call == "math.tanh(x)")
    kernels = Kernels("cpu", [[row]])
    few, _ = measure(row, "float64", 25, functools.partial(kernels, row, "float64"))
    away, _ = largest_distances(row.call, "cpu", "float64", 1 << 16)
    most, _ = row.limits("cpu", "float64")
    assert few < away <= most


PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "function_accuracy.md"
STATED = ["math.exp(x)", "math.log10(x)", "math.tan(x)", "math.gamma(x)", "special.j0(x)"]


def stated_error(call: str, target: str, dtype: str) -> float:
    """Return the largest error that the page has for a call, in ulp."""
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    header = next(row for row in rows if f" {target}, {dtype} " in row)
    cells = next(row for row in rows if len(row) > 1 and row[1].strip() == f"`{call}`")
    return float(cells[header.index(f" {target}, {dtype} ")].split()[0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", STATED)
def test_the_page_states_the_largest_errors(call, dtype):
    row = next(row for row in FUNCTIONS if row.call == call)
    stated = stated_error(call, "device", dtype)
    away, _ = largest_distances(call, "device", dtype, 1 << 14)
    assert 0 < away <= stated + 0.005
    assert stated <= row.limits("device", dtype)[0]
