"""The demonstration: what it shows in a pipe and on a terminal, and what it leaves out."""

import os
import pty
import re
import subprocess
import sys

import pytest

from numpy_plugin import cuda
from numpy_plugin._commands import demo, demo_plot

COMMAND = [sys.executable, "-P", "-m", "numpy_plugin", "demo", "--size", "20000"]
PNG = b"\x89PNG\r\n\x1a\n"


def on_a_terminal(command):
    """What a command writes to a terminal, and its status."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "140"}
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return shown.decode(), process.wait(timeout=120)


def test_a_pipe_gets_plain_text(tmp_path, nvrtc):
    pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    plot = tmp_path / "demo.png"
    done = subprocess.run(
        [*COMMAND, "--plot", str(plot)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "\x1b" not in shown
    declaration = '@vectorize(["float32(float32, float32, float32)"'
    order = [
        declaration,
        "def gaussian_pdf(",
        "numpy.ufunc",
        "ok",
        "32-byte transactions",
        "plot: ",
    ]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)
    for name in ("float32", "float64"):
        assert re.search(rf"^CPU, 20,000 values, {name}: .*norm\.pdf, .*: ok$", shown, re.MULTILINE)
        assert re.search(
            rf"^simulated GPU, 20,000 values, {name}: .*norm\.pdf, .*: ok$", shown, re.MULTILINE
        )
    assert re.search(r"^launches +1 +1$", shown, re.MULTILINE)
    assert re.search(r"^bytes loaded per value +4\.0\d +8\.0\d$", shown, re.MULTILINE)
    for way in ("numpy_plugin", "SciPy", "NumPy expression", "Numba @vectorize"):
        assert len(re.findall(rf"^  {way} +[█▏▎▍▌▋▊▉]+ +[\d.]+ ms$", shown, re.MULTILINE)) == 2
        assert re.search(rf"^{way}  +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$", shown, re.MULTILINE)
    for arch in demo.ARCHITECTURES:
        assert re.search(rf"^{arch} +\d+ +\d+ B +\d+ +\d+ B$", shown, re.MULTILINE)
    assert "every check passed" in shown
    if not cuda.is_available():
        assert "not run on a GPU: " in shown
    assert shown.count(f"plot: {plot}") == 1
    assert plot.read_bytes().startswith(PNG)


@pytest.mark.slow
def test_a_terminal_gets_colours_and_progress():
    pytest.importorskip("rich")
    shown, status = on_a_terminal(COMMAND)
    assert status == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert plain != shown
    assert "def gaussian_pdf(" in plain
    assert re.search(r"timing .*\d+%", plain)
    assert "every check passed" in plain
    (path,) = re.findall(r"plot: (\S+)", plain)
    with open(path, "rb") as file:
        assert file.read().startswith(PNG)
    os.unlink(path)
    os.rmdir(os.path.dirname(path))


@pytest.fixture
def run_here(tmp_path):
    return lambda **options: demo.run(1000, plot=tmp_path / "demo.png", rounds=1, **options)


def test_it_ends_with_1_when_a_check_fails(run_here, capsys):
    assert run_here(tolerance_scale=1e-9) == 1
    printed = capsys.readouterr().out
    assert "FAILED" in printed
    assert "failed: CPU, 1,000 values, float32; CPU, 1,000 values, float64" in printed


def test_without_nvrtc_it_says_so(run_here, monkeypatch, capsys):
    reason = "no NVRTC; pip install the extra"
    monkeypatch.setattr(demo.info, "nvrtc", lambda: {"error": reason})
    assert run_here() == 0
    printed = capsys.readouterr().out
    assert f"not compiled for GPUs: {reason}" in printed
    assert f"not run on the simulated GPU: {reason}" in printed
    assert "sm_75" not in printed


def test_what_is_not_installed_is_named_and_left_out(run_here, monkeypatch, capsys):
    for package in ("scipy", "scipy.stats", "numba", "matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(demo.info, "version_of", lambda package: None)
    assert run_here() == 0
    printed = capsys.readouterr().out
    for package in ("scipy", "numba"):
        line = f"not compared with {package}, which is not installed: pip install {package}"
        assert line in printed
    assert "no PNG, because matplotlib is not installed: pip install matplotlib" in printed
    assert "compared with NumPy's float64, at most" in printed
    assert "SciPy" not in printed and "Numba" not in printed
    assert "every check passed" in printed


def test_a_png_that_cannot_be_written(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = tmp_path / "absent" / "demo.png"
    assert demo.run(1000, plot=path, rounds=1) == 1
    assert f"no PNG: {path}: No such file or directory" in capsys.readouterr().out


@pytest.mark.gpu
@pytest.mark.slow
def test_it_runs_on_the_gpu(run_here, capsys):
    assert run_here() == 0
    assert capsys.readouterr().out.count("GPU (") == 2


def test_bars_are_as_long_as_the_times():
    lines = demo_plot.bars({"float64": {"ours": 0.001, "theirs": 0.002, "none": 0.0}})
    assert lines[0] == "float64, shorter is faster"
    assert [line.count("█") for line in lines[1:]] == [25, 50, 0]
    assert [line.split()[-2] for line in lines[1:]] == ["1.00", "2.00", "0.00"]
    assert lines[3].split()[1] == "▏"
