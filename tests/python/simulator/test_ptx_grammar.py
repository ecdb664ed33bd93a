"""The table of instructions is ptxas's: every form of each row gets the same verdict."""

from __future__ import annotations

import re

import pytest
from ptx_grammar import exceptions, table
from ptx_grammar.exceptions import Disagreement
from ptx_grammar.operands import Statement, statements
from ptx_grammar.verdicts import (
    Assembler,
    pip_assembler,
    simulator_refusals,
    toolkit_assembler,
)
from ptx_tools import SimulatedDriver

TARGETS = ["sm_75", "sm_90", "sm_100", "sm_120"]
SPECIFIC_TARGETS = ["sm_90a", "sm_100a", "sm_120a"]  # for opcodes with forms that need one
ASSEMBLERS = {"pip": pip_assembler, "toolkit": toolkit_assembler}
SAMPLE = 400


@pytest.fixture(params=ASSEMBLERS)
def assembler(request) -> Assembler:
    found = ASSEMBLERS[request.param]()
    if found is None:
        pytest.skip(f"no ptxas of {request.param}; the pip package is nvidia-cuda-nvcc")
    return found


def all_forms(target: str) -> list[table.Form]:
    forms = table.forms()
    if target not in SPECIFIC_TARGETS:
        return forms
    specific = {form.opcode for form in forms if re.search(r"\bsm_\d+[af]", form.grammar)}
    return [form for form in forms if form.opcode in specific]


def form_statements(target: str) -> list[Statement]:
    found: dict[Statement, None] = {}
    for form in all_forms(target):
        for mnemonic in form.mnemonics():
            found.update(dict.fromkeys(statements(mnemonic, form)))
    return list(found)


def disagreements(asked: list[Statement], target: str, assembler: Assembler) -> list[Disagreement]:
    by_assembler = assembler.refusals(asked, target)
    driver = SimulatedDriver(target.rstrip("af"))
    try:
        by_simulator = simulator_refusals(asked, target, assembler.ptx_version, driver)
    finally:
        driver.close()
    found = []
    for each in asked:
        if (each in by_assembler) == (each in by_simulator):
            continue
        taken_by = "simulator" if each in by_assembler else "ptxas"
        message = by_assembler.get(each) or by_simulator[each]
        found.append(Disagreement(taken_by, target, each, message))
    return found


def unexplained(found: list[Disagreement]) -> list[str]:
    known = exceptions.known()
    return [str(one) for one in found if not any(row.covers(one) for row in known)]


@pytest.mark.parametrize("target", ["sm_75", "sm_90"])
def test_a_sample_of_the_forms_agrees_with_ptxas(assembler, target):
    every = form_statements(target)
    asked = every[:: max(1, len(every) // SAMPLE)]
    assert unexplained(disagreements(asked, target, assembler)) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, *SPECIFIC_TARGETS])
def test_every_form_agrees_with_ptxas(assembler, target):
    found = disagreements(form_statements(target), target, assembler)
    assert unexplained(found) == []
