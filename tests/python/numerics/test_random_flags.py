"""Random programs report the kinds of floating-point errors that the documents promise.

NumPy says which are possible; those are needed that come from work on which the results depend.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from flag_kinds import COMPILERS, compile_with
from long_runs import in_long_runs
from machines.own_levels import OWN_LEVELS
from random_programs.daily import SEED
from random_programs.dtypes import DTYPES
from random_programs.flags import flag_difference, flag_programs
from random_programs.needed_flags import needed_kinds
from random_programs.tree import Expression, Program, Statement


def differences(seed: int, count: int) -> list[str]:
    programs, operands = flag_programs(seed, count)
    found = [flag_difference(program, operands) for program in programs]
    return [text for text in found if text]


@pytest.mark.parametrize("count", [2, *in_long_runs(6)])
@pytest.mark.parametrize("debug", ["0", "1"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_programs_of_each_compiler(monkeypatch, compiler, debug, count):
    compile_with(monkeypatch, compiler)
    monkeypatch.setenv("NUMPY_PLUGIN_DEBUG", debug)
    assert differences(7 * int(debug), count) == []


@pytest.mark.parametrize("count", [1, *in_long_runs(3)])
@pytest.mark.parametrize("seed", range(len(OWN_LEVELS)))
@pytest.mark.parametrize("compiler", COMPILERS)
def test_programs_of_each_level(monkeypatch, compiler, seed, count):
    compile_with(monkeypatch, compiler)
    monkeypatch.setenv("NUMPY_PLUGIN_CPU", OWN_LEVELS[seed])
    assert differences(100 + seed, count) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("compiler", COMPILERS)
def test_other_programs(monkeypatch, compiler, seed):
    compile_with(monkeypatch, compiler)
    monkeypatch.setenv("NUMPY_PLUGIN_CPU", OWN_LEVELS[seed % len(OWN_LEVELS)])
    assert differences(SEED + seed, 20) == []


def quotient_program(kernel: str, oracle: str) -> Program:
    """Return a program with a quotient of two numbers in its result."""
    one, other = (Expression("f8", name, name) for name in ("a0", "a1"))
    quotient = Expression("f8", "({} / {})", "({} / {})", [one, other])
    result = Expression("f8", kernel, oracle, [quotient, other])
    returned = Statement("return {}", "return as_f8({})", [result])
    return Program("p0", {"a0": "f8", "a1": "f8"}, ["f8"], body=[returned])


COLUMNS = {"a0": np.array([1.0, 1.0, -3.0]), "a1": np.array([0.0, 2.0, 0.0])}


@pytest.mark.parametrize(
    ("result", "needed"),
    [
        ("({} + {})", [{"divide by zero"}, set(), {"divide by zero"}]),
        ("({0} if {1} else 0.0)", [set(), set(), set()]),
        ("({0} if {1} < 2 else 0.0)", [{"divide by zero"}, set(), {"divide by zero"}]),
        ("(np.int8(np.isnan({0})) + {1})", [{"divide by zero"}, set(), {"divide by zero"}]),
    ],
)
def test_kinds_are_needed_where_the_result_depends_on_them(result, needed):
    assert needed_kinds(quotient_program(result, result), COLUMNS) == needed


def test_a_missing_kind_and_one_too_many_are_found(monkeypatch):
    columns = {name: np.ones(3, dtype) for name, dtype in DTYPES.items()}
    columns["f8"] = np.array([0.0, 1.0, 2.0])
    reported = quotient_program("({0} + {1})", "({0} + {1})")
    assert flag_difference(reported, columns) == ""
    missing = quotient_program("{1}", "({0} + {1})")
    assert re.match(r"set\(\); needed: {'invalid value'}", flag_difference(missing, columns))
    spurious = quotient_program("({0} + {1})", "({1} + {1})")
    assert re.match("{'invalid value'}; needed: set", flag_difference(spurious, columns))
