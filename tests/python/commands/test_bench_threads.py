"""The benchmarks of threads and memory: all contestants compute the same, every row is there."""

import json

import memory_bound
import numpy as np
import parallel
import pytest
from results import Page, Results, measured

import numpy_plugin as npp
from numpy_plugin._commands.bench import Measurement


@pytest.mark.parametrize("name", memory_bound.KERNELS)
def test_contestants_compute_the_same(name):
    calls = memory_bound.contestants(name, 1001)
    first, *others = [np.copy(call()) for who, call in calls.items() if not who.startswith("C")]
    assert len(others) >= 2
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-15)


@pytest.mark.parametrize("n", [1, 7, 8, 1003])
def test_the_tuned_triad_computes_it(n):
    x, y = np.random.default_rng(1).normal(size=(2, n))
    out = np.zeros(n + 1)
    memory_bound.tuned_triad()(x, y, out[1:])
    np.testing.assert_array_equal(out[1:], x + 3.0 * y)
    assert out[0] == 0


def test_rows_of_memory(monkeypatch):
    monkeypatch.setattr(memory_bound, "ROUNDS", 1)
    monkeypatch.setattr(memory_bound, "KERNELS", {"triad": memory_bound.KERNELS["triad"]})
    rows = memory_bound.measure((1000,))
    assert sum(row.unit == "GB/s" for row in rows) == 2
    assert [row.target for row in rows if "faster than C" in row.name] == [0.95, 0.95]


def test_rows_of_threads(monkeypatch):
    monkeypatch.setattr(parallel, "ROUNDS", 1)
    before = npp.get_num_threads()
    rows = parallel.measure((1000,))
    assert npp.get_num_threads() == before
    assert [row.name.partition(",")[0] for row in rows] == list(parallel.FORMS)
    assert all(row.value > 0 for row in rows)


def test_rows_are_written(tmp_path):
    rows = [Measurement("a", 1.5, "times", 1.0, False), Measurement("b", 2.0, "ms")]
    results = Results(tmp_path / "tables", tmp_path / "records")
    assert results.add(Page("some", "Some", measured(lambda: rows)), {"processor": "p"})
    record = json.loads((tmp_path / "records/some.json").read_text())
    assert record["environment"]["processor"] == "p"
    assert [row["name"] for row in record["measurements"]] == ["a", "b"]
    text = (tmp_path / "tables/some.md").read_text()
    assert "- processor: p" in text
    assert "| a | 1.50 | times | at least 1 | met |" in text
