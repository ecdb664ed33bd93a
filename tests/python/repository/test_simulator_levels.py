"""NPP_SIM_LEVELS: the instruction sets that the simulator's handlers are built for."""

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("cmake", reason="configures builds with the CMake of the build requirements")

ROOT = Path(__file__).resolve().parents[3]
ALL = ["avx2", "avx512", "baseline"] if platform.machine() == "x86_64" else ["baseline"]


def configure(directory, levels, *options):
    """CMake's result for a build in `directory`, without the extension."""
    ninja = Path(sys.executable).parent / "ninja"
    command = [
        *("cmake", "-S", ROOT, "-B", directory, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"),
        *(f"-DPython_EXECUTABLE={sys.executable}", "-DNPP_BUILD_EXTENSION=OFF"),
        *(f"-DNPP_SIM_LEVELS={levels}", *options),
    ]
    environment = {**os.environ, "PATH": f"{ninja.parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """A build directory for all tests: each finds the compiler that the first one has found."""
    return tmp_path_factory.mktemp("build")


def built_levels(directory, levels):
    result = configure(directory, levels)
    assert result.returncode == 0, result.stderr
    commands = json.loads((directory / "compile_commands.json").read_text(encoding="utf-8"))
    return sorted(set(re.findall(r"-DNPP_ISA=(\w+)", " ".join(row["command"] for row in commands))))


@pytest.mark.parametrize("levels", ["all", ";".join(ALL[:2])])
def test_handlers_are_built_for_the_levels_named(directory, levels):
    assert built_levels(directory, levels) == (
        ALL if levels == "all" else sorted(levels.split(";"))
    )


def test_native_is_the_one_level_of_this_machine(directory):
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    better = [name for name, flag in (("avx512", "avx512vl"), ("avx2", "avx2")) if flag in flags]
    assert built_levels(directory, "native") == [*better, "baseline"][:1]


def test_an_unknown_level_is_an_error(directory):
    result = configure(directory, "native;baseline")
    assert result.returncode == 1
    assert "NPP_SIM_LEVELS is 'native;baseline'; expected native, all, or of" in result.stderr


@pytest.mark.slow
def test_every_level_passes_the_tests_of_the_simulator(tmp_path):
    """`make test` has the handlers of this machine's level only."""
    result = configure(tmp_path, "all", "-DNPP_BUILD_TESTS=ON")
    assert result.returncode == 0, result.stderr
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")
    build = ["cmake", "--build", tmp_path, "--target", "simulator_tests", "--parallel", jobs]
    subprocess.run(build, capture_output=True, check=True)
    tests = [tmp_path / "tests" / "cpp" / "simulator_tests", "--gtest_brief=1"]
    result = subprocess.run(tests, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-5000:]
