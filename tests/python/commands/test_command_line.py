"""The commands of `python -m numpy_plugin`: what they print, and the status they end with."""

import json
import os
import re
import signal
import subprocess
import sys

import end_to_end
import front_end
import instructions
import lane_blocks
import masked_calls
import pytest
import scratch_arrays
from results import measured

import numpy_plugin as npp
from numpy_plugin import _core
from numpy_plugin.__main__ import main
from numpy_plugin._benchmark import timing
from numpy_plugin._commands import bench, cache, report


def command(*words, **environment):
    return subprocess.run(
        [sys.executable, "-P", "-m", "numpy_plugin", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "words", [[], ["info"], ["demo"], ["build"], ["bench"], ["cache"], ["simulator"]]
)
def test_help_is_there(words, capsys):
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    assert "usage: python -m numpy_plugin" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "arguments are required"),
        (["bnech"], "invalid choice: 'bnech'"),
        (["demo", "--size", "0"], "a count of values must be at least 1, found 0"),
        (["demo", "--size", "many"], "invalid _count value: 'many'"),
        (["demo", "--plot"], "expected one argument"),
        (["cache", "burn"], "invalid choice: 'burn'"),
        (["info", "--xml"], "unrecognized arguments: --xml"),
    ],
)
def test_wrong_words_end_with_2(words, expected, capsys):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert expected in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"numpy_plugin {npp.__version__}\n"


@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["cache"]], ids=" ".join)
def test_a_reader_that_has_enough_is_no_error(words):
    """As `| head -0`: the pipe is closed before anything is written."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "numpy_plugin", *words],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    os.close(write)
    assert done.stderr == ""
    assert done.returncode == 128 + signal.SIGPIPE


def test_info_names_what_was_found():
    result = command("info")
    assert result.returncode == 0, result.stderr
    for word in ("numpy_plugin", "host compiler", "NVRTC", "cuBLAS", "cache", "threads", "GPU"):
        assert word in result.stdout
    assert "simulator" in result.stdout


def test_info_as_json(empty_cache, capsys):
    assert main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["versions"]["numpy_plugin"] == npp.__version__
    assert found["cache"]["directory"] == str(empty_cache)
    assert found["cache"]["n_entries"] == 0
    assert found["n_threads"] == _core.n_threads()
    assert bool(found["devices"]) == (found["driver"]["why_no_device"] == "")
    assert found["simulator"]["error"] == ""
    assert found["simulator"]["path"].endswith("libnumpy_plugin_simulator.so")
    assert {"command", "version"} <= set(found["host_compiler"])
    assert "error" in found["nvrtc"] or "sm_90" in found["nvrtc"]["architectures"]


def test_info_without_a_compiler():
    result = command("info", "--json", NUMPY_PLUGIN_CXX="/no/such/compiler")
    assert result.returncode == 0, result.stderr
    assert "/no/such/compiler" in json.loads(result.stdout)["host_compiler"]["error"]


def test_info_where_the_gpu_is_turned_off():
    result = command("info", "--json", NUMPY_PLUGIN_CUDA="off")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["devices"] == []
    assert "NUMPY_PLUGIN_CUDA" in found["driver"]["why_no_device"]


def test_info_where_the_simulator_is_selected():
    result = command("info", NUMPY_PLUGIN_CUDA="simulator")
    assert result.returncode == 0, result.stderr
    assert re.search(r"cuBLAS +not used: there is no GPU", result.stdout)
    assert re.search(r"simulated GPU +numpy_plugin simulator", result.stdout)
    assert "selected by NUMPY_PLUGIN_CUDA" in result.stdout


def test_cache_shows_then_clears(empty_cache, capsys):
    npp.vectorize(["float64(float64)"], name="f", args="x", body="return x + 1;")(1.0)
    n_files = len(list(empty_cache.iterdir()))
    assert n_files
    assert main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert re.search(
        rf"^{empty_cache}: {n_files} entr(y|ies), [\d.]+ kB of 1\.0 GB$", shown, re.MULTILINE
    )
    assert shown.count("whole") == n_files
    assert main(["cache", "clear"]) == 0
    assert f"removed {n_files} entr" in capsys.readouterr().out
    assert list(empty_cache.iterdir()) == []
    assert main(["cache", "--clear"]) == 0
    assert "removed 0 entries" in capsys.readouterr().out
    assert main(["cache"]) == 0
    assert "0 entries, 0 B" in capsys.readouterr().out


def test_cache_says_when_an_entry_is_damaged(empty_cache, capsys):
    npp.vectorize(["float64(float64)"], name="f", args="x", body="return x + 2;")(1.0)
    (entry,) = empty_cache.glob("*.so")
    entry.write_bytes(entry.read_bytes()[:-10])
    assert main(["cache"]) == 0
    assert "damaged" in capsys.readouterr().out


def test_cache_that_cannot_be_made(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMPY_PLUGIN_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert main(["cache"]) == 0
    assert capsys.readouterr().out.startswith("no cache: ")
    assert main(["cache", "clear"]) == 1


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 B"), (999, "999 B"), (17_234, "17.2 kB"), (5e6, "5.0 MB"), (2e9, "2.0 GB")],
)
def test_size(n_bytes, text):
    assert cache.size(n_bytes) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-3, "0 s"), (59, "59 s"), (61, "1 min"), (7200, "2 h"), (86399, "23 h"), (200_000, "2 d")],
)
def test_age(seconds, text):
    assert cache.age(seconds) == text


def test_plain_table_aligns_its_columns():
    text = report.plain_table("times", ["way", "ms"], [["ours", "1.5"], ["theirs", "12.25"]])
    assert text.splitlines() == [
        "times",
        "way        ms",
        "------  -----",
        "ours      1.5",
        "theirs  12.25",
    ]


def test_plain_table_of_words_is_flush_left():
    text = report.plain_table("found", ["what", "found"], [["a", "b"], ["c", "long"]], words=True)
    assert text.splitlines()[3:] == ["a     b", "c     long"]


def test_median_times_runs_in_turns():
    order = []
    steps = []
    times = timing.median_times(
        {"a": lambda: order.append("a"), "b": lambda: order.append("b")},
        rounds=2,
        after_each=lambda: steps.append(None),
    )
    assert order == ["a", "b"] * 3
    assert len(steps) == 4
    assert set(times) == {"a", "b"}


def test_calls_that_do_not_count_come_before_their_function():
    order = []
    functions = {name: lambda name=name: order.append(name) for name in "ab"}
    times = timing.times_of_rounds(functions, 2, before={"b": lambda: order.append("before b")})
    assert order == ["a", "b"] + ["a", "before b", "b"] * 2
    assert {name: len(values) for name, values in times.items()} == {"a": 2, "b": 2}


@pytest.mark.parametrize(
    ("value", "target", "is_upper", "outcome"),
    [
        (1.0, 2.0, True, "met"),
        (3.0, 2.0, True, "missed"),
        (3.0, 2.0, False, "met"),
        (1.0, 2.0, False, "missed"),
        (1.0, None, True, ""),
    ],
)
def test_measurement_outcome(value, target, is_upper, outcome):
    assert bench.Measurement("what", value, "ms", target, is_upper).outcome == outcome


def test_bench_writes_what_it_measured(monkeypatch, tmp_path, capsys):
    row = bench.Measurement("declare to first result", 45.6, "ms", 120)
    monkeypatch.setattr(bench, "start_up", lambda *_: [row])
    for step in ("errors", "one_element", "device_call", "against_others", "parallel", "nvrtc"):
        monkeypatch.setattr(bench, step, lambda *_: [])
    monkeypatch.setattr(end_to_end, "simulator", lambda: [row])
    monkeypatch.setattr(front_end, "measure", lambda: [row])
    monkeypatch.setattr(instructions, "counts_of_cases", list)
    for module in (scratch_arrays, lane_blocks, masked_calls):
        monkeypatch.setattr(module, "measure", list)
    monkeypatch.setattr(end_to_end, "PAGES", (instructions.PAGE,))
    places = ["--write", str(tmp_path / "numbers"), "--tables", str(tmp_path / "tables")]
    assert end_to_end.main(["--json", *places]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["measurements"][0]["outcome"] == "met"
    written = (tmp_path / "tables" / "end_to_end.md").read_text()
    assert "| declare to first result | 45.60 | ms | at most 120 | met |" in written
    assert json.loads((tmp_path / "numbers" / "end_to_end.json").read_text()) == record
    for secret in (str(tmp_path), os.uname().nodename, sys.prefix):
        assert secret not in written


def test_bench_names_the_tables_that_it_wrote(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(end_to_end, "steps", list)
    names = [page.name for page in end_to_end.PAGES]
    row = bench.Measurement("anything", 1.0, "ms")
    pages = [
        page._replace(measure=measured(lambda: [row]), facts=None) for page in end_to_end.PAGES
    ]
    pages[2] = pages[2]._replace(measure=lambda results: None)
    monkeypatch.setattr(end_to_end, "PAGES", pages)
    assert end_to_end.main(["--write", str(tmp_path)]) == 0
    seen = capsys.readouterr().err
    assert "written: end_to_end.md and end_to_end.json" in seen
    assert names[2] not in seen
    for name in (*names[:2], *names[3:]):
        assert seen.count(f"written: {name}.md and {name}.json") == 1
        assert "| anything | 1.00 | ms |" in (tmp_path / f"{name}.md").read_text()


def test_bench_prints_what_it_measured(monkeypatch, capsys):
    row = bench.Measurement("call on one element", 1.05, "times", 1.15)
    for step in ("start_up", "errors", "device_call", "against_others", "parallel", "nvrtc"):
        monkeypatch.setattr(bench, step, lambda *_: [])
    monkeypatch.setattr(bench, "one_element", lambda: [row])
    assert main(["bench", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["measurements"] == [{**row._asdict(), "outcome": "met"}]
    assert record["environment"]["numpy_plugin"] == npp.__version__
    assert main(["bench"]) == 0
    assert "call on one element" in capsys.readouterr().out


@pytest.mark.slow
def test_bench_measures(tmp_path):
    result = command("bench", "--json")
    assert result.returncode == 0, result.stderr
    names = [row["name"] for row in json.loads(result.stdout)["measurements"]]
    assert "import, over NumPy's" in names
