"""The benchmarks of reductions: every contestant computes the same, every row is there."""

import json

import cpu_reductions
import numpy as np
import pytest
from results import Results

from numpy_plugin._commands.bench import Measurement


@pytest.mark.parametrize("name", cpu_reductions.CONTESTS)
def test_contestants_compute_the_same(name):
    x, y = np.random.default_rng(1).normal(size=(2, 5000))
    results = {who: call() for who, call in cpu_reductions.CONTESTS[name](x, y).items()}
    first, *others = results.values()
    assert next(iter(results)) == "numpy_plugin"
    assert others
    np.testing.assert_allclose(others, first, rtol=1e-12)


def test_every_contest_has_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu_reductions, "ROUNDS", 1)
    monkeypatch.setattr(cpu_reductions.measure, "__defaults__", (1000,))
    assert Results(tmp_path, tmp_path).add(cpu_reductions.PAGE, {"processor": "a test's"})
    record = json.loads((tmp_path / "cpu_reductions.json").read_text())
    assert record["environment"]["processor"] == "a test's"
    fields = [{name: row[name] for name in Measurement._fields} for row in record["measurements"]]
    rows = [Measurement(**row) for row in fields]
    assert (tmp_path / "cpu_reductions.md").read_text().count(" times |") == len(rows) - 3
    ours = [row for row in rows if row.unit == "ms"]
    assert [row.name for row in ours] == [
        f"{name} float64, 1e+03 values" for name in cpu_reductions.CONTESTS
    ]
    assert {row.unit for row in rows} == {"ms", "times"}
    assert all(row.value > 0 for row in rows)
