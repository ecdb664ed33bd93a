"""Bytes in flight of device kernels: the rule that counts them, and the limits they keep."""

import itertools
import json

import bytes_in_flight
import pytest
import reduction_instructions
from bytes_in_flight import Row, threads_per_multiprocessor
from bytes_in_flight import bytes_in_flight as in_flight
from instruction_count import Instruction
from long_runs import in_long_runs
from results import Results

from numpy_plugin._inspection import disassembly

needs_nvdisasm = pytest.mark.skipif(
    disassembly.find_nvdisasm() is None, reason="there is no nvdisasm here"
)


def path(*lines):
    return [Instruction(line.split()[0], "", line.partition(" ")[2]) for line in lines]


def test_loads_fly_until_one_that_is_later_is_used():
    way = path(
        "LDG.E.U8 R2, desc[UR4][R8.64]",
        "LDG.E.128 R4, desc[UR4][R8.64]",
        "IADD3 R8, R8, 0x80, RZ",
        "LDG.E.64 R10, desc[UR4][R8.64]",
        "IADD3 R20, R7, R20, RZ",
        "LDG.E R12, desc[UR4][R8.64]",
        "STG.E desc[UR4][R8.64], R2",
    )
    assert in_flight(way) == 1 + 16 + 8
    # The use of the last of the vector's registers waits for it and for the byte before it.
    assert in_flight(way[4:]) == 4
    assert in_flight([*way[:2], *way[4:5], *way[3:4], *way[5:]]) == 1 + 16
    assert in_flight(path("STG.E desc[UR4][R8.64], R2")) == 0


@pytest.mark.parametrize(
    ("n_registers", "n_threads"), [(16, 2048), (32, 2048), (33, 1536), (56, 1152), (255, 256)]
)
def test_registers_limit_threads(n_registers, n_threads):
    assert threads_per_multiprocessor(n_registers) == n_threads


NAMES = ("add int8", "add float16", "saxpy float32")
FORMS = list(itertools.product(NAMES, bytes_in_flight.FORMS))
FIRST_FORMS = [("add int8", "contiguous"), ("add float16", "rows"), ("saxpy float32", "strided")]


@needs_nvdisasm
@pytest.mark.parametrize(
    ("name", "form"),
    [*FIRST_FORMS, *in_long_runs(*(each for each in FORMS if each not in FIRST_FORMS))],
)
def test_every_form_has_enough_bytes_in_flight(name, form):
    case = next(case for case in bytes_in_flight.CASES if case.label.startswith(name))
    assert bytes_in_flight.row(case, form).kibibytes >= 48


@needs_nvdisasm
@pytest.mark.parametrize(
    ("form", "dtype"),
    [
        ("reduce vector_rows", "float32"),
        ("reduce rows", "float64"),
        ("reduce team_columns", "float32"),
        *in_long_runs(
            *(
                ("reduce vector_rows", dtype)
                for dtype in reduction_instructions.DTYPES
                if dtype != "float32"
            ),
            ("reduce rows", "float32"),
            ("reduce team_columns", "float64"),
        ),
    ],
)
def test_reductions_have_enough_bytes_in_flight(form, dtype):
    assert reduction_instructions.row(dtype, form).kibibytes >= 48


@needs_nvdisasm
def test_strided_bytes_take_few_instructions():
    case = next(case for case in bytes_in_flight.CASES if case.label.startswith("add int8"))
    assert bytes_in_flight.row(case, "1D strided").per_element <= 12


def test_the_table_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(bytes_in_flight, "rows", lambda: [Row("add", "rows", 8, 40, 1536, 32, 6.5)])
    environment = {"date": "2026-01-02", "NVRTC": "13.5"}
    assert Results(tmp_path, tmp_path).add(bytes_in_flight.PAGE, environment)
    text = (tmp_path / "bytes_in_flight.md").read_text()
    assert "| add | rows | 8 | 40 | 1536 | 32 | 48 | 6.50 |" in text
    assert "- NVRTC: 13.5" in text
    record = json.loads((tmp_path / "bytes_in_flight.json").read_text())
    assert record["rows"][0]["n_bytes"] == 32


def test_nothing_is_written_without_nvdisasm(monkeypatch, tmp_path):
    monkeypatch.setattr(bytes_in_flight, "can_count", lambda: False)
    assert not Results(tmp_path, tmp_path).add(bytes_in_flight.PAGE, {})
    assert list(tmp_path.iterdir()) == []
