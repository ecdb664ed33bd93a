"""The benchmarks of reductions: every contestant computes the same, every row is there."""

import json

import cpu_reductions
import device_reductions
import numpy as np
import pytest
from results import Results

from numpy_plugin import cuda
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


def test_what_is_measured_on_devices_is_computed():
    with cuda.simulator():
        for operation in device_reductions.OPERATIONS:
            ((library, call),) = device_reductions.calls(operation, 3 * 1024)
            host = np.random.default_rng(0).integers(-1000, 1000, size=3 * 1024)
            host = host.astype(operation.dtype)
            if operation.is_matrix:
                host = host.reshape(3, 1024)
            expected = operation.numpy(np, host)
            assert library == "numpy_plugin"
            found = np.array(call().tolist())
            if operation.name == "argsort":  # stable, NumPy's default is not
                expected = np.argsort(host, kind="stable")
            np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_without_a_gpu_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMPY_PLUGIN_CUDA", "off")
    assert not Results(tmp_path, tmp_path).add(device_reductions.PAGE, {})
    assert not list(tmp_path.iterdir())
