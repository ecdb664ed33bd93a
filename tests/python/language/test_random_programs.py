"""Random programs: plain Python over NumPy, the CPU and the simulator agree."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from long_runs import in_long_runs
from random_programs.daily import SEED
from random_programs.dtypes import DTYPES
from random_programs.runner import (
    ARCHITECTURES,
    MOST_RESULTS,
    Batch,
    differences,
    make_batch,
    make_operands,
)
from random_programs.shrink import shrink
from random_programs.tree import Expression, Program, Statement

HELPERS = Path(__file__).parents[1] / "helpers"


def run_in_parallel(*arguments: str, first: int = 0) -> None:
    run(f"--processes={os.cpu_count() or 1}", *arguments, first=first)


def run(*arguments: str, first: int = 0) -> None:
    command = [sys.executable, "-m", "random_programs", f"--first={first}", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])}
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-6000:] + found.stderr[-2000:]


def test_small_programs():
    run("--programs=40", "--most=1")


def test_larger_programs():
    run("--programs=6", "--most=3", "--results=12")


@pytest.mark.parametrize("results", [16, *in_long_runs(MOST_RESULTS)])
def test_programs_in_debug_mode(monkeypatch, results):
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", "1")
    run("--programs=10", "--most=1", f"--results={results}")


@pytest.mark.slow
def test_ten_thousand_small_programs():
    run_in_parallel("--programs=9600", "--most=1")


@pytest.mark.slow
def test_four_hundred_larger_programs():
    run_in_parallel("--programs=400", "--most=3")


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2, 4])
def test_many_programs(most):
    run_in_parallel("--programs=10000", f"--most={most}", first=SEED)


def test_programs_are_the_same_for_a_seed():
    assert make_batch(7, 2).source() == make_batch(7, 2).source()
    assert make_batch(7, 2).source() != make_batch(8, 2).source()


def wrong_program() -> Program:
    """Return a program of which the prediction is wrong: it adds 2 where the kernel adds 1."""
    parameter = Expression("i4", "a0", "a0")
    value = Expression("i4", "({} + 1)", "({} + 2)", [parameter])
    doubled = Expression("i4", "(2 * {})", "(2 * {})", [value])
    body = [
        Statement("v1 = {}", "v1 = as_i4({})", [doubled]),
        Statement("v2 = {}", "v2 = as_i4({})", [parameter]),
        Statement("return {}", "return as_i4({})", [Expression("i4", "v1", "v1")]),
    ]
    return Program("p0", {"a0": "i4"}, ["i4"], body=body)


def test_a_difference_is_found_and_made_small():
    batch = Batch([wrong_program()], make_operands(0))
    found = differences(batch)
    assert len(found) == 1
    assert "CPU" in found[0].text

    def fails(program: Program) -> bool:
        try:
            return bool(differences(batch.of([program])))
        except Exception:
            return False

    lines = shrink(found[0].program, fails).source(is_kernel=True).splitlines()
    assert lines == ["@npp.device", "def p0(a0):", "    v1 = (a0 + 1)", "    return v1"]


def test_seeds_run_on_every_architecture():
    assert {make_batch(seed, 1).arch for seed in range(6)} == set(ARCHITECTURES)


def test_operands_are_columns_of_every_dtype():
    operands = make_operands(3)
    assert {name: column.dtype for name, column in operands.items()} == DTYPES
    assert np.isnan(operands["f8"]).any() or np.isinf(operands["f8"]).any()
