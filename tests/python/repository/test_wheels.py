"""Wheels: built on one core for each interpreter, small, and usable without a compiler.

`make wheel` runs this, for the interpreters in NUMPY_PLUGIN_TEST_PYTHONS, commands that blanks
part; by default for the one that runs the tests.
"""

import importlib
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WHEELS = ROOT / "build" / "wheels"
PYTHONS = os.environ.get("NUMPY_PLUGIN_TEST_PYTHONS", sys.executable).split()
TESTS = ROOT / "tests" / "python" / "environment"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def tool(*words):
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / "wheels.py"), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def make_wheel(directory, name, members, size=0):
    """A file that looks like a wheel, with noise that can't be compressed."""
    path = directory / name
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, os.urandom(size))
    return path


CORE = "numpy_plugin/_core.cpython-311-x86_64-linux-gnu.so"
SIMULATOR = "numpy_plugin/libnumpy_plugin_simulator.so"
LINKER = "numpy_plugin/libnumpy_plugin_nvjitlink.so"
WHOLE = [CORE, SIMULATOR, LINKER]
GOOD_NAME = "numpy_plugin-1-cp311-cp311-manylinux_2_28_x86_64.whl"


@pytest.mark.parametrize(
    ("name", "members", "size", "problem"),
    [
        (GOOD_NAME, WHOLE, 4_000_000, "a wheel has at most 6000000"),
        ("numpy_plugin-1-cp311-cp311-linux_x86_64.whl", WHOLE, 1, "no manylinux tag"),
        (GOOD_NAME, [SIMULATOR], 1, "numpy_plugin/_core. is missing"),
        (GOOD_NAME, [CORE, LINKER], 1, f"{SIMULATOR} is missing"),
        (GOOD_NAME, [CORE, SIMULATOR], 1, f"{LINKER} is missing"),
    ],
)
def test_what_is_wrong_with_a_wheel_is_said(tmp_path, name, members, size, problem):
    wheel = make_wheel(tmp_path, name, members, size)
    result = tool("check", wheel)
    assert result.returncode == 1
    assert f"{wheel}: " in result.stderr and problem in result.stderr


def test_a_good_wheel_is_accepted(tmp_path):
    wheel = make_wheel(tmp_path, GOOD_NAME, WHOLE, 1_000_000)
    result = tool("check", wheel)
    assert (result.returncode, result.stdout) == (0, f"{wheel}  3.00 MB\n"), result.stderr


def test_a_core_is_built_for_every_machine(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools")
    wheels = importlib.import_module("wheels")
    commands = []
    monkeypatch.setattr(wheels, "run", lambda command, **variables: commands.append(command))
    wheels.build_core(tmp_path)
    (configuring,) = [command for command in commands if "-S" in command]
    assert "-DNPP_SIM_LEVELS=all" in configuring


def test_no_wheel_is_an_error():
    result = tool("check")
    assert (result.returncode, result.stderr) == (1, "no wheel was given\n")


def test_cibuildwheel_builds_for_every_python_of_the_metadata():
    versions = [
        text.rpartition(" ")[2].replace(".", "")
        for text in SETTINGS["project"]["classifiers"]
        if text.startswith("Programming Language :: Python :: 3.")
    ]
    built = SETTINGS["tool"]["cibuildwheel"]["build"]
    assert [name for name in built if not name.startswith("cp314t")] == [
        f"cp{version}-*" for version in versions
    ]


def output(command, **variables):
    result = subprocess.run(
        list(map(str, command)),
        env={**os.environ, "PYTHONSAFEPATH": "1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def wheels():
    """The finished wheels of all interpreters."""
    for old in (WHEELS / "repaired").glob("*.whl"):
        old.unlink()
    result = tool("build", WHEELS, *PYTHONS)
    assert result.returncode == 0, result.stdout + result.stderr
    print(result.stdout)
    return list((WHEELS / "repaired").glob("*.whl"))


@pytest.fixture(scope="module", params=PYTHONS)
def installed(request, wheels, tmp_path_factory):
    """A fresh environment of an interpreter, with its wheel and pytest: Python, and the wheel."""
    environment = tmp_path_factory.mktemp("wheel") / "environment"
    output([request.param, "-m", "venv", environment])
    python = environment / "bin" / "python"
    soabi = "import sysconfig; print('cp' + sysconfig.get_config_var('SOABI').split('-')[1])"
    tag = output([python, "-c", soabi]).strip()
    (wheel,) = [wheel for wheel in wheels if f"-{tag}-" in wheel.name]
    output([python, "-m", "pip", "install", "--quiet", wheel, "pytest>=8"])
    return python, wheel


def run_tests(python, directory, file):
    command = [python, "-m", "pytest", "-rs", "-p", "no:cacheprovider", f"--basetemp={directory}"]
    return output([*command, TESTS / file], NUMPY_PLUGIN_CACHE_DIR="")


@pytest.mark.slow
def test_it_runs_without_a_compiler(installed, tmp_path):
    python, _ = installed
    found = output([python, "-c", "import numpy_plugin; print(numpy_plugin.__file__)"])
    assert Path(found.strip()).is_relative_to(python.parents[1])
    assert " passed" in run_tests(python, tmp_path / "tests", "test_no_compiler.py")


@pytest.mark.slow
def test_the_extras_bring_all_that_it_can_do(installed, tmp_path):
    """NVRTC and a compiler: no test is left out."""
    python, wheel = installed
    output([python, "-m", "pip", "install", "--quiet", f"{wheel}[compiler,cuda]"])
    found = run_tests(python, tmp_path / "tests", "test_no_compiler.py")
    assert " passed" in found and "SKIPPED" not in found, found
    assert " passed" in run_tests(python, tmp_path / "tests", "test_package_compiler.py")
