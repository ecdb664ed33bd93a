"""The checks of a GPU, run on a stand-in for its driver, with stand-ins of CuPy and torch."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from machines.counting_driver import DIRECTORY, EXECUTING, skip_without
from random_programs.daily import SEED

import numpy_plugin

ROOT = Path(__file__).resolve().parents[3]
STAND_INS = ROOT / "tests" / "python" / "helpers" / "stand_ins"
#: Runs a program as the tool of CUDA of its name, which prints what that prints.
TOOL = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift 2; done
"$@"
status=$?
echo "========= ERROR SUMMARY: 0 errors"
echo "  npp_add_0 (1024, 1, 1)x(128, 1, 1), Device 0, CC 9.0, Invocations 2"
echo "    gpu__time_duration.sum                      us     10.1   12.5   11.3"
echo "    launch__registers_per_thread   register/thread     32     32     32"
exit $status
"""


def module(name, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    return importlib.import_module(name)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What is carried to a machine with a GPU."""
    made = tmp_path / "carried"
    module("gpu_check.prepare", monkeypatch).make_folder(made, Path(numpy_plugin.__file__).parent)
    return made


def run(folder, results, **variables):
    """Check the stand-in, somewhere else; return the process."""
    skip_without(DIRECTORY / "libcuda.so.1")
    environment = {name: value for name, value in os.environ.items() if name != "NUMPY_PLUGIN_CUDA"}
    environment |= {
        "COUNTING_DRIVER": EXECUTING,
        "GPU_CHECK_SIZE": "small",
        "LD_LIBRARY_PATH": str(DIRECTORY),
        "NUMPY_PLUGIN_CUBLAS": "off",
        "PYTHON": sys.executable,
        "PYTHONPATH": str(STAND_INS),
        "SECONDS_IN_ALL": "900",
    }
    return subprocess.run(
        ["bash", str(folder / "run.sh"), str(results)],
        cwd=results.parent,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def endings(report):
    """How each step of a report ended, in the first words."""
    headings = [line[3:] for line in report.splitlines() if line.startswith("== ")]
    return {
        name: end.split()[0].strip(":")
        for name, _, end in (line.partition(": ") for line in headings)
    }


def check(done, results):
    """Everything ran, is right, and is in the report; return how the steps ended."""
    report = (results / "report.txt").read_text()
    assert done.returncode == 0, report + (results / "log.txt").read_text()[-5000:]
    assert report.strip() in done.stdout
    for probe in json.loads((results / "probes.json").read_text()):
        assert probe["status"] in ("ok", "skip"), probe
        assert f"{probe['status']:4} {probe['probe']} " in report
    rows = json.loads((results / "bench.json").read_text())["rows"]
    assert rows
    for row in rows:
        values = [value for name, value in row.items() if name not in ("section", "what", "unit")]
        assert all(isinstance(value, int | float) for value in values), row
        assert f"\n{row['what']}: " in report
    return endings(report)


def test_a_part_of_it_each_day(folder, tmp_path):
    results = tmp_path / "results"
    done = run(folder, results, GPU_CHECK_PART=f"{SEED}/8")
    ended = check(done, results)
    assert set(ended.values()) <= {"ok", "skipped"}
    ran = {name for name, end in ended.items() if end == "ok"}
    assert ran >= {"machine", "info", "probes", "bench", "device tests", "tests marked gpu"}


@pytest.mark.slow
def test_all_of_it(folder, tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("compute-sanitizer", "ncu"):
        (tools / name).write_text(TOOL)
        (tools / name).chmod(0o755)
    results = tmp_path / "results"
    done = run(folder, results, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    assert set(check(done, results).values()) == {"ok"}
    assert "\nnpp_add_0, time 11.3 us, registers 32 register/thread" in done.stdout
    content = json.loads((results / "bench.json").read_text())
    columns = [set(row) for row in content["rows"] if row["what"] != "launch of a graph of 10"]
    assert sum({"ours", "cupy", "torch"} <= each for each in columns) > 50
    page = tmp_path / "gpu.md"
    module("gpu_check.report", monkeypatch).write(results, page)
    lines = page.read_text().splitlines()
    assert lines[0] == "# On counting GPU 0"
    assert f"- date: {content['date']}" in lines
    assert "| GB/s | numpy_plugin | CuPy | PyTorch |" in lines
    assert sum(line.startswith("| ") for line in lines) > len(content["rows"])


def test_a_step_that_fails_hangs_or_has_no_program(tmp_path, monkeypatch):
    steps, runner = module("gpu_check.steps", monkeypatch), module("gpu_check.run", monkeypatch)

    def step(name, *command, most=20.0, **options):
        return steps.Step(name, most, command, steps.every_line, 60, **options)

    hang = "import subprocess; print('begun', flush=True); subprocess.run(['sleep', '60'])"
    made = [
        step("right", sys.executable, "-c", "print('a\\n' * 50)"),
        step("wrong", sys.executable, "-c", "raise SystemExit(3)"),
        step("hangs", sys.executable, "-u", "-c", hang, most=1.0),
        step("absent", "no-such-program"),
        step("lacking", "true", programs=["no-such-program"]),
        step("too late", "true", modules=["no_such_module"]),
    ]
    monkeypatch.setattr(runner, "steps", lambda results: made)
    assert runner.run(tmp_path) == 1
    report = (tmp_path / "report.txt").read_text()
    assert endings(report) == {
        "right": "ok",
        "wrong": "FAILED",
        "hangs": "STOPPED",
        "absent": "FAILED",
        "lacking": "skipped",
        "too late": "skipped",
    }
    assert "FAILED with 3" in report and "begun" in report
    assert "more lines in log.txt" in report
    assert "skipped: no no-such-program on PATH" in report
    assert "skipped: no_such_module is not installed" in report


def test_no_step_begins_without_time(tmp_path, monkeypatch):
    runner = module("gpu_check.run", monkeypatch)
    monkeypatch.setattr(runner, "SECONDS_IN_ALL", 1.0)
    assert runner.run(tmp_path) == 0
    assert set(endings((tmp_path / "report.txt").read_text()).values()) == {"skipped"}


TESTS = {
    "test_imports.py": "import absent_package.part\ndef test_never(): pass\n",
    "test_calls.py": "def test_import(): import absent_package\ndef test_right(): pass\n",
    "test_broken.py": "def test_of_python(): import json.absent\n"
    "def test_ours(): import numpy_plugin.absent\n",
}


def test_what_needs_a_missing_package_is_left_out(tmp_path):
    for name, text in TESTS.items():
        (tmp_path / name).write_text(text)
    options = ["-q", "-p", "no:cacheprovider", "-p", "gpu_check.missing_packages"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={tmp_path}", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "missing: 2 left out, absent_package is not installed" in done.stdout
    assert "2 failed, 1 passed, 2 skipped" in done.stdout


def test_a_folder_that_is_too_large_is_refused(tmp_path, monkeypatch):
    prepare = module("gpu_check.prepare", monkeypatch)
    monkeypatch.setattr(prepare, "MOST_BYTES", 1000)
    with pytest.raises(SystemExit, match="a folder to carry has at most 64 MiB"):
        prepare.make_folder(tmp_path / "carried", Path(numpy_plugin.__file__).parent)


CONTENT = {
    "GPU": "A GPU",
    "driver": "13.0",
    "date": "2026-01-02",
    "versions": {"numpy": "2.5.2", "torch": "2.11.0", "pytest": "9"},
    "missing": {"cupy": "ImportError: no\nlibrary"},
    "rows": [
        {"section": "forms", "what": "copy", "unit": "GB/s", "ours": 4012.3, "torch": 3990.0},
        {"section": "forms", "what": "add", "unit": "GB/s", "ours": 41.25},
        {"section": "forms", "what": "x.T", "unit": "GB/s", "ours": 7, "torch": "ValueError: so"},
        {"section": "calls", "what": "f(x)", "unit": "us", "ours": 3.5},
    ],
}


def test_measurements_in_the_report_and_on_the_page(tmp_path, monkeypatch):
    (tmp_path / "bench.json").write_text(json.dumps(CONTENT))
    lines = module("gpu_check.bench.lines", monkeypatch).lines(tmp_path / "bench.json")
    assert lines == [
        "no cupy: ImportError: no library",
        "# forms [GB/s]: ours / torch",
        "copy: 4012 / 3990",
        "add: 41.25 / -",
        "x.T: 7 / error",
        "  ValueError: so",
        "# calls [us]: ours",
        "f(x): 3.5",
    ]
    page = tmp_path / "gpu.md"
    module("gpu_check.report", monkeypatch).write(tmp_path, page)
    text = page.read_text()
    assert text.startswith("# On A GPU\n")
    assert "- date: 2026-01-02\n- GPU: A GPU\n- CUDA driver: 13.0\n- numpy: 2.5.2\n" in text
    assert "- not measured: CuPy (ImportError: no)\n\n## Launch forms\n" in text
    assert "| GB/s | numpy_plugin | PyTorch |\n|---|---:|---:|\n| copy | 4012 | 3990 |" in text
    assert "| x.T | 7 | error |\n\n## Short calls\n\n| microseconds a call |" in text


def test_the_summary_of_nsight_compute(monkeypatch):
    text = """==ERROR== no counters
      void copy<int>(T1 *) (64, 1, 1)x(32, 2, 1), Device 0, CC 9.0, Invocations 1
        gpu__time_duration.sum   us   1.00   3.00   2.00
        other.metric   us   1.00   3.00   2.00
    """
    lines = module("gpu_check.ncu_lines", monkeypatch).lines(text)
    assert lines == ["==ERROR== no counters", "void copy<int>(T1 *), time 2.00 us"]


def test_without_a_python_that_imports_the_package_it_says_so(folder, tmp_path):
    shutil.rmtree(folder / "packages" / "numpy_plugin")
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho \"No module named 'numpy'\" >&2\nexit 1\n")
    python.chmod(0o755)
    done = run(folder, tmp_path / "results", PYTHON=str(python))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "no Python on PATH imports this package:",
        "No module named 'numpy'",
    ]
