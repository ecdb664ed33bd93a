"""Machine instructions of device kernels: the rule that counts them, and the limits they keep."""

import json

import instructions
import pytest
import reduction_instructions
from instruction_count import PathCount, count_path
from instructions import ARCHITECTURES, Case, Counts, count
from long_runs import in_long_runs
from results import Results

from numpy_plugin import inspect
from numpy_plugin._inspection import disassembly

needs_nvdisasm = pytest.mark.skipif(
    disassembly.find_nvdisasm() is None, reason="there is no nvdisasm here"
)

# ---- the rule


def listing(*lines):
    """A listing whose lines are labels, or instructions without their addresses."""
    rows = []
    for line in lines:
        rows.append(
            f"{line}:" if line.startswith(".L") else f"        /*{len(rows):04x}*/ {line} ;"
        )
    return "\n".join(rows)


def test_the_path_that_stores_most_counts():
    text = listing(
        "S2R R0, SR_TID.X",
        "@P0 BRA `(.L_x_0)",
        "STG.E desc[UR4][R2.64], R5",
        "EXIT",
        ".L_x_0",
        "LDG.E.128 R4, desc[UR4][R2.64]",
        "STG.E.128 desc[UR4][R2.64], R4",
        "STG.E.U8 desc[UR4][R2.64+0x10], R8",
        "EXIT",
        ".L_x_1",
        "BRA `(.L_x_1)",
        "NOP",
    )
    assert count_path(text) == PathCount(6, 17, 2, 9)


def test_conditional_exits_and_uniform_branches_go_on():
    text = listing(
        "@!P0 EXIT",
        "BRA.U UP0, `(.L_x_0)",
        "FADD R1, R1, R1",
        "FADD R1, R1, R1",
        ".L_x_0",
        "STG.E.64 desc[UR4][R2.64], R4",
        "@P1 BRA `(.L_x_2)",
        "MUFU.RCP R1, R1",
        ".L_x_2",
        "EXIT",
    )
    assert count_path(text) == PathCount(5, 8, 0, 8)


def test_of_paths_that_store_as_much_the_one_that_loads_most_counts():
    text = listing(
        "@P0 BRA `(.L_x_0)",
        "LDG.E R5, desc[UR4][R2.64]",
        "FADD R5, R5, R5",
        "BRA `(.L_x_1)",
        ".L_x_0",
        "LDC R5, c[0x0][0x210]",
        "@P1 LDG.E.128 R4, desc[UR4][R2.64]",
        "@P1 BRA `(.L_x_2)",
        ".L_x_1",
        "STG.E desc[UR4][R2.64], R5",
        "EXIT",
        ".L_x_2",
        "EXIT",
    )
    assert count_path(text) == PathCount(6, 4, 0, 10)


def test_loops_are_gone_through_as_often_as_asked():
    text = listing(
        "@!P0 BRA `(.L_x_1)",
        ".L_x_0",
        "IADD3 R0, R0, R0",
        "@P1 BRA `(.L_x_0)",
        ".L_x_1",
        "STG.E desc[UR4][R2.64], R4",
        "EXIT",
    )
    assert count_path(text).n_instructions == 3
    assert count_path(text, 1).n_instructions == 7
    assert count_path(text, 2).n_instructions == 9


def test_a_listing_without_an_end_is_refused():
    for text in ("", listing(".L_x_0", "BRA `(.L_x_0)")):
        with pytest.raises(ValueError, match="found none"):
            count_path(text)


def test_the_shortest_way_that_loads_a_part_counts():
    text = listing(
        ".L_x_0",
        "LDG.E.64 R4, desc[UR4][R2.64]",
        "@P0 BRA `(.L_x_1)",
        "@P1 LDG.E R6, desc[UR4][R2.64]",
        "@P1 BRA `(.L_x_2)",
        "NOP",
        "BRA `(.L_x_0)",
        ".L_x_1",
        "@!P2 BRA `(.L_x_0)",
        ".L_x_2",
        "@P3 EXIT",
        "ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R4.64], R19",
        "EXIT",
    )
    path = reduction_instructions.shortest_path(text, 16)
    assert [each.name for each in path[:3]] == ["LDG.E.64", "BRA", "BRA"]
    assert len(path) == 9
    assert len(reduction_instructions.shortest_path(text, 12)) == 7
    assert len(reduction_instructions.shortest_path(text, 8, 0)) == 4
    with pytest.raises(ValueError, match="loads 6 bytes; found none"):
        reduction_instructions.shortest_path(text, 6)


# ---- kernels


def case(name, types):
    return next(
        each
        for each in instructions.CASES
        if each.ufunc.__name__ == name and each.signature.startswith(types)
    )


@needs_nvdisasm
@pytest.mark.parametrize(
    ("name", "types", "limit", "n_vectors"),
    [
        ("saxpy", "float32", 5.5, 2),
        ("multiply", "float64", 6.5, 2),
        ("add", "int8", 2.5, 2),
        ("hypot", "float32", 36, 2),
    ],
)
def test_full_tiles_take_few_instructions(name, types, limit, n_vectors):
    kernel = case(name, types)
    counts = count(kernel)
    assert counts.per_element <= limit
    assert counts.n_vector_accesses == n_vectors * (kernel.ufunc.nin + kernel.ufunc.nout)


@needs_nvdisasm
@pytest.mark.parametrize("arch", ["sm_100", "sm_120"])
def test_vectors_have_32_bytes_where_the_architecture_has(arch):
    kernel = case("saxpy", "float32")
    counts = count(kernel, arch=arch)
    assert counts.n_elements == 8
    assert counts.n_vector_accesses == 4
    assert counts.per_element < 5


@needs_nvdisasm
@pytest.mark.parametrize(("name", "types"), [("saxpy", "float32"), ("add", "int8")])
def test_a_mask_costs_few_instructions(name, types):
    kernel = case(name, types)
    plain, masked = count(kernel), count(kernel, "masked contiguous")
    assert masked.n_elements == plain.n_elements
    assert plain.n_instructions < masked.n_instructions <= 1.3 * plain.n_instructions


@needs_nvdisasm
def test_an_inner_sum_takes_few_instructions_in_all():
    assert reduction_instructions.row("float32", "reduce vector_rows").per_element <= 3


@needs_nvdisasm
def test_narrow_integers_that_are_not_packed():
    """C++ bodies are not analyzed."""
    import numpy_plugin as npp

    add = npp.vectorize(["int8(int8, int8)"], name="add", args="x, y", body="return x + y;")
    counts = count(Case(add, "int8(int8, int8)"))
    assert 2.5 < counts.per_element <= 7
    assert counts.n_vector_accesses == 3


@pytest.mark.parametrize("arch", [*in_long_runs(*ARCHITECTURES[:-1]), ARCHITECTURES[-1]])
def test_no_architecture_spills(arch):
    for name, types in (("saxpy", "float32"), ("multiply", "float64"), ("hypot", "float32")):
        kernel = case(name, types)
        for form in ("contiguous", "rows", "short_rows", "1D strided", "strided"):
            (row,) = inspect(kernel.ufunc).resources(kernel.signature, arch, form)
            assert (row.stack_bytes, row.spill_store_bytes) == (0, 0), (name, form)
            assert row.n_registers <= 40, (name, form)


@needs_nvdisasm
def test_strides_in_three_dimensions():
    assert count(case("saxpy", "float32"), "strided", steps_back=1).per_element <= 60


@needs_nvdisasm
def test_unaligned_views_are_read_one_by_one_with_several_in_flight():
    counts = count(case("saxpy", "float32"), "1D strided")
    assert counts.n_elements == 4
    assert counts.n_vector_accesses == 0


# ---- the table


def test_the_table_is_written(monkeypatch, tmp_path):
    kernel = instructions.CASES[0].label
    counts = [
        Counts(kernel, "rows", arch, 80, 8, 6, 32, 16 * (arch == "sm_75"), 3200)
        for arch in ARCHITECTURES
    ]
    monkeypatch.setattr(instructions, "counts_of_cases", lambda: counts)
    environment = {"date": "2026-01-02", "NVRTC": "13.5", "processor": "one"}
    assert Results(tmp_path, tmp_path).add(instructions.PAGE, environment)
    text = (tmp_path / "instructions.md").read_text()
    assert f"| {kernel} | rows | 8 |" + " 10.00 (32) |" * 5 + " 16 | 3200 |" in text
    assert "- NVRTC: 13.5" in text
    record = json.loads((tmp_path / "instructions.json").read_text())
    assert record["counts"][0]["per_element"] == 10


def test_nothing_is_written_without_nvdisasm(monkeypatch, tmp_path):
    monkeypatch.setattr(instructions, "find_nvdisasm", lambda: None)
    assert instructions.against_targets() == []
    assert not Results(tmp_path, tmp_path).add(instructions.PAGE, {})
    assert list(tmp_path.iterdir()) == []
