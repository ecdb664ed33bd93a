"""The table of instructions is ptxas's: every form of each row, and those next to it, get the same
verdict.
"""

from __future__ import annotations

import re

import pytest
from long_runs import in_long_runs
from ptx_grammar import exceptions, table
from ptx_grammar.exceptions import Disagreement
from ptx_grammar.neighbours import neighbours
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
SAMPLED_TARGETS = [*in_long_runs("sm_75"), "sm_90"]


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


def matrix_statements() -> list[Statement]:
    found: dict[Statement, None] = {}
    for form in table.matrix_forms():
        for mnemonic in form.mnemonics():
            found.update(dict.fromkeys(statements(mnemonic, form)))
    return list(found)


def neighbour_statements(target: str) -> list[Statement]:
    found: dict[Statement, None] = {}
    for form in all_forms(target):
        found.update(dict.fromkeys(neighbours(form)))
    return list(found)


def sample_of(statements: list[Statement]) -> list[Statement]:
    return statements[:: max(1, len(statements) // SAMPLE)]


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
        message = by_assembler[each] if each in by_assembler else by_simulator[each]
        if "not simulated" in message:
            continue
        found.append(Disagreement(taken_by, target, each, message))
    return found


def unexplained(found: list[Disagreement]) -> list[str]:
    known = exceptions.known()
    return [str(one) for one in found if not any(row.covers(one) for row in known)]


@pytest.mark.parametrize("target", SAMPLED_TARGETS)
def test_a_sample_of_the_forms_agrees_with_ptxas(assembler, target):
    asked = sample_of(form_statements(target))
    assert unexplained(disagreements(asked, target, assembler)) == []


@pytest.mark.parametrize("target", SAMPLED_TARGETS)
def test_a_sample_of_their_neighbours_agrees_with_ptxas(assembler, target):
    asked = sample_of(neighbour_statements(target))
    assert unexplained(disagreements(asked, target, assembler)) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, *SPECIFIC_TARGETS])
def test_every_form_agrees_with_ptxas(assembler, target):
    found = disagreements(form_statements(target), target, assembler)
    assert unexplained(found) == []


@pytest.mark.parametrize("target", SAMPLED_TARGETS)
def test_a_sample_of_the_forms_of_matrices_agrees_with_ptxas(assembler, target):
    asked = sample_of(matrix_statements())
    assert unexplained(disagreements(asked, target, assembler)) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, *SPECIFIC_TARGETS])
def test_neighbours_of_matrices_agree_with_ptxas(assembler, target):
    # Some wrong wmma make ptxas misread the statements after them.
    forms = [form for form in table.matrix_forms() if form.opcode != "wmma"]
    asked = list(dict.fromkeys(each for form in forms for each in neighbours(form)))
    assert unexplained(disagreements(asked, target, assembler)) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, *SPECIFIC_TARGETS])
def test_every_form_of_matrices_agrees_with_ptxas(assembler, target):
    found = disagreements(matrix_statements(), target, assembler)
    assert unexplained(found) == []


@pytest.mark.slow
@pytest.mark.parametrize("target", [*TARGETS, *SPECIFIC_TARGETS])
def test_every_neighbour_agrees_with_ptxas(assembler, target):
    found = disagreements(neighbour_statements(target), target, assembler)
    assert unexplained(found) == []


def test_neighbours_have_other_modifiers_and_operands():
    (form,) = (form for form in table.forms() if form.opcode == "bfe")
    texts = [each.text for each in neighbours(form)]
    assert texts == [each.text for each in neighbours(form)]
    for text in (
        "bfe %r1, %r2, %r3, %r4;",  # a modifier less
        "bfe.u64 %d1, %d2, %p1, %r4;",  # another operand
        "bfe.u64 %d1, %r3, %r4;",  # an operand less
        "bfe.u64 %d1, %d2, %r3, %r4, %r1;",  # an operand more
    ):
        assert text in texts
    assert any(text.startswith("bfe.f32 ") for text in texts)  # another modifier


def test_an_exception_is_of_one_side_some_targets_and_statements():
    (row,) = (row for row in exceptions.known() if row.targets.pattern == "sm_75")
    taken = Statement("fence.acquire.gpu", "fence.acquire.gpu;")
    assert row.covers(Disagreement("ptxas", "sm_75", taken, ""))
    assert not row.covers(Disagreement("simulator", "sm_75", taken, ""))
    assert not row.covers(Disagreement("ptxas", "sm_90", taken, ""))
    other = Statement("fence.acquire", "fence.acquire;")
    assert not row.covers(Disagreement("ptxas", "sm_75", other, ""))
