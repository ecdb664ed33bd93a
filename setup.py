"""Runs CMake for the extension; everything else is in pyproject.toml."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import ExecError

ROOT = Path(__file__).resolve().parent
NEEDS = (
    "building numpy_plugin needs a C++20 compiler, such as g++ 12, and Python's headers (Debian: "
    "g++ python3-dev); a wheel needs neither, if there is one for this system and Python"
)


def is_stale(build: Path) -> bool:
    """Whether a build directory refers to deleted tools, such as those of isolated builds."""
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        return False
    tools = re.findall(
        r"^(?:CMAKE_MAKE_PROGRAM|nanobind_DIR|Python_EXECUTABLE|_Python_EXECUTABLE)\S*=(.+)$",
        cache.read_text(),
        re.MULTILINE,
    )
    return any(not Path(tool).exists() for tool in tools)


class BuildWithCMake(build_ext):
    """Configures, builds and installs the extension next to the package's Python files."""

    def build_extension(self, ext: Extension) -> None:
        per_python = ROOT / "build" / "package" / sysconfig.get_config_var("SOABI")
        build = Path(os.environ.get("NUMPY_PLUGIN_BUILD_DIR", per_python))
        if is_stale(build):
            shutil.rmtree(build)
        destination = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        cmake = shutil.which("cmake") or "cmake"
        arguments = ["-S", str(ROOT), "-B", str(build), f"-DPython_EXECUTABLE={sys.executable}"]
        if ninja := shutil.which("ninja"):
            arguments += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
        # A build of `tools/wheels.py core`; without one, this build has a core of its own.
        core = os.environ.get("NUMPY_PLUGIN_CORE_DIR", "")
        arguments.append(f"-DNPP_CORE_DIR={Path(core).resolve() if core else ''}")
        arguments += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        self.run_tool([cmake, *arguments])
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        self.run_tool([cmake, "--build", str(build), "--parallel", jobs])
        self.run_tool(
            [cmake, "--install", str(build), "--component", "python", "--prefix", str(destination)]
        )

    def run_tool(self, command: list[str]) -> None:
        self.announce(shlex.join(command), level=2)
        finished = subprocess.run(command, check=False)
        if finished.returncode != 0:
            failure = f"{shlex.join(command)} exited with {finished.returncode}, see above"
            raise ExecError(f"{failure}; {NEEDS}")


setup(
    ext_modules=[Extension("numpy_plugin._core", sources=[])],
    cmdclass={"build_ext": BuildWithCMake},
)
