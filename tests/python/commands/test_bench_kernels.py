"""The table of kernels on the CPU: the peers compute the same; rows, ratios and plots."""

import importlib
from itertools import product

import numpy as np
import pytest
from kernel_table import kernels, peers, plots, table
from kernel_table.kernels import KERNELS
from long_runs import in_long_runs
from results import Results

SIZE = 50


OTHERS = [kernel for kernel in KERNELS if kernel not in KERNELS[::3]]


@pytest.mark.parametrize(
    "kernel",
    [*KERNELS[::3], *in_long_runs(*((kernel,) for kernel in OTHERS))],
    ids=lambda kernel: kernel.name,
)
def test_peers_compute_the_same(kernel):
    operands = kernels.operands_of(kernel, "f8", SIZE)
    ours = peers.ours(kernel, "f8", "cpu")(*operands)
    assert np.isfinite(ours).all()
    python = kernels.function_of(kernel, "f8")
    theirs = [python(*values) for values in zip(*operands, strict=True)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    if kernel.is_expression:
        whole = peers.contestants(kernel, "f4")["NumPy"](*map(np.float32, operands))
        assert whole.dtype == np.float32


def test_missing_peers_are_named(monkeypatch):
    def without(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", without)
    found = peers.contestants(KERNELS[0], "f8")
    with_fastmath = peers.contestants(KERNELS[0], "f8", fastmath=True)
    assert set(with_fastmath) == {"Numba", "Numba, parallel"}
    missing = {name: value for name, value in found.items() if isinstance(value, str)}
    assert set(missing) == {"numexpr", "Numba", "Numba, parallel", "JAX"}
    assert peers.versions()["numpy"] == np.__version__


def _rows(function, dtype, threads, size, fastmath=False):
    common = {"kernel": function.replace("_", " "), "dtype": dtype, "threads": threads}
    common |= {"size": size, "fastmath": fastmath, "level": "x86-64-v3"}
    return [
        {**common, "function": function, "seconds": 1e-6, "ratio": 1.0},
        {**common, "function": "NumPy", "seconds": 2e-6, "ratio": 2.0},
        {**common, "function": "Numba", "seconds": 4e-6, "ratio": 4.0},
        {**common, "function": "JAX", "seconds": None, "ratio": None},
    ]


@pytest.mark.parametrize(
    ("case", "target", "outcome"),
    [
        (("gaussian", "float32", 1, 1_000), 1.5, "met"),
        (("gaussian", "float32", 1, 100_000), 3.0, "missed"),
        (("gaussian", "float64", 1, 100_000), 1.5, "met"),
        (("gaussian", "float64", 2, 100_000), 2.3, "missed"),
    ],
)
def test_comparisons(case, target, outcome):
    (found,) = table.comparisons(_rows(*case))
    assert (found.best, found.target) == ("NumPy", target)
    assert found.ratios == {"NumPy": 2.0, "Numba": 4.0}
    assert outcome in found.cells()


def test_document_and_plots(tmp_path):
    conditions = product((False, True), (1_000, 100_000))
    rows = [
        row
        for fastmath, size in conditions
        for row in _rows("scaled_sum", "float64", 1, size, fastmath)
    ]
    roof = {
        "ceilings": {"bytes": 1e10, "operations": 1e11},
        "rows": [{"function": "f", "operations a byte": 1, "operations a second": 1e9}],
    }
    results = Results(tmp_path / "tables", tmp_path / "records")
    named = plots.write(results, rows, roof)
    assert set(named) == {"roofline.svg", "speed.svg"}
    assert plots.summary_ratios(rows[:8]) == {"scaled sum": {"NumPy": 2.0, "Numba": 4.0}}
    assert all(5_000 < (results.tables / name).stat().st_size < 60_000 for name in named)
    assert [path.name for path in results.records.iterdir()] == ["cpu_kernels_1.svg"]
    text = "\n".join(table._document(rows, named))
    assert (
        text.count("| scaled sum | float64 | x86-64-v3 | 1 | 1,000 | 1 | **2.00** | 1 | met |") == 1
    )
    assert text.count("NumPy 2, Numba 4 | 1 | **2.00** | met |") == 1
    assert "(roofline.svg)" in text
