"""Build the package for aarch64 with a cross compiler, and run its tests in an emulator.

`test_aarch64.py DIRECTORY [-- ARGUMENT...]` unpacks this system's Python for arm64 into DIRECTORY,
with NumPy's and the tests' packages for it, and runs the GoogleTest programs, then pytest with the
given arguments. Compilers are programs of this machine, which emulated ones call.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from requirements import requirements  # noqa: E402
from wheels import run  # noqa: E402

# Programs of this machine, and Debian's packages that have them.
PROGRAMS = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64": "qemu-user",
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
}
PACKAGES = ("python3", "libpython3-dev", "libstdc++6")
# GoogleTests of what qemu does not emulate: threads of a child that a program with threads forked,
# the failure of posix_spawn, a program that starts itself, a child that starts within 20 ms or is
# killed as soon as posix_spawn returns, when it has no process group there yet; and NVRTC on all
# headers, which takes a quarter of an hour to find what it finds elsewhere.
NOT_EMULATED = [
    "InterfaceExitDeathTest.*",
    "MutexTest.IsFreeInAGrandchild",
    "ProcessEndTest.*",
    "ProcessTest.KillsAChildThatFloods",
    "ProcessTest.KillsAChildThatNobodyWaitsFor",
    "ProcessTest.ReportsAFileThatIsNoProgram",
    "ProcessTest.ReportsAProgramThatIsNotThere",
    "ProgressTest.AForkedChildHasItsOwn",
    "ThreadPoolTest.WorksIn*",
    "templates_test.nvrtc*",
]
# Tests that compare casts of numbers out of range with NumPy, which has the processor's values: the
# package has those of x86 everywhere.
CASTS_OF_NUMPY = [
    "language/test_language.py::test_casts_of_nan_and_inf",
    "language/test_language_constants.py::test_dtypes_as_texts",
    "language/test_language_corners.py::test_back_to_floating_an_integer_is_what_it_was",
    "language/test_language_corners.py::test_cast_nan_inf_all_targets",
    "language/test_language_corners.py::test_the_integer_of_an_absolute_value_may_be_negative",
    "language/test_number_functions.py::test_functions_of_one_number_are_typed_and_valued_as_numpys",
    "language/test_semantics_table.py::test_numpys_arrays_agree[casts]",
]
# Tests of memory that is reserved and not touched: qemu keeps a table of all its pages for good,
# several GiB for each of these.
RESERVED_MEMORY = [
    "device/test_cuda_devices.py::test_memory_of_devices_that_are_gone_is_given_back",
    "device/test_device_call_faults.py::test_more_elements_than_32_bits_are_indexed_with_64",
    "device/test_far_apart.py",
    "device/test_long_pitches.py",
]
# Tests that start a program of a wheel: nvdisasm, which is the emulated machine's.
PROGRAMS_OF_WHEELS = [
    "device/test_matrix_products.py::test_most_instructions_of_the_inner_loop_compute"
]
NOT_TRIED = CASTS_OF_NUMPY + RESERVED_MEMORY + PROGRAMS_OF_WHEELS
# Versions of glibc that wheels may need, up to the oldest of a system with this compiler.
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28, 31, 34, 35, 36)]

# apt's own settings, in a directory where nothing of this machine's is read or written.
APT_SETTINGS = """\
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Install-Recommends "false";
Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
"""
# Compilers compile for a processor that they do not run on.
COMPILER = """\
#!/bin/sh
for each do
  shift
  case $each in
    -march=native | -mcpu=native) ;;
    *) set -- "$@" "$each" ;;
  esac
done
exec {} "$@"
"""
# Tests start programs with libraries of their own.
PYTHON = """\
#!/bin/sh
exec {emulator} -E "LD_LIBRARY_PATH=${{LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}}{libraries}" \\
  -0 {link} {program} "$@"
"""


def write_program(path: Path, text: str) -> None:
    """Write a program, which may be one that runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Machine:
    """An emulated machine, in a directory of this one."""

    def __init__(self, directory: Path):
        """Take the directory, which `prepare` fills."""
        self.directory = directory
        self.system = directory / "sysroot"
        self.python = directory / "venv" / "bin" / "python"
        self.build = directory / "make"

    @property
    def libraries(self) -> str:
        """The directories of its libraries: paths of this machine, to link."""
        names = ("lib", "usr/lib")
        return ":".join(str(self.system / name / "aarch64-linux-gnu") for name in names)

    @property
    def emulator(self) -> list[str]:
        """The command that runs a program."""
        path = f"LD_LIBRARY_PATH={self.libraries}"
        return ["qemu-aarch64", "-L", str(self.system), "-E", path]

    @property
    def version(self) -> str:
        """Python's version, as in the names of its directories."""
        return (self.system / "usr" / "bin" / "python3").readlink().name.removeprefix("python")

    @property
    def packages(self) -> Path:
        """Where its Python finds installed packages."""
        return self.directory / "venv" / "lib" / f"python{self.version}" / "site-packages"

    def make_system(self) -> None:
        """Unpack Debian's Python, the C library and what else it needs."""
        done = self.system / ".done"
        if done.exists():
            return
        apt = self.directory / "apt"
        (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (apt / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        (apt / "status").touch()
        settings = apt / "apt.conf"
        settings.write_text(APT_SETTINGS.format(apt))
        run(["apt-get", "--quiet=2", "update"], APT_CONFIG=str(settings))
        download = ("install", "--quiet=2", "--yes", "--download-only")
        run(["apt-get", *download, *PACKAGES], APT_CONFIG=str(settings))
        for package in sorted((apt / "cache" / "archives").glob("*.deb")):
            run(["dpkg-deb", "--extract", package, self.system])
        # Where the include directory of Python's headers alone suffices.
        include = self.system / "usr" / "include"
        link = include / f"python{self.version}" / "aarch64-linux-gnu"
        link.symlink_to(include / "aarch64-linux-gnu")
        done.touch()

    def make_python(self) -> None:
        """Make an environment of the unpacked Python, a program that this machine starts."""
        programs = self.system / "usr" / "bin"
        command = {"link": self.python, "program": programs / f"python{self.version}"}
        emulator = shlex.join(self.emulator)
        text = PYTHON.format(emulator=emulator, libraries=self.libraries, **command)
        for name in ("python", "python3"):
            write_program(self.python.with_name(name), text)
        settings = f"home = {programs}\ninclude-system-site-packages = false\n"
        (self.directory / "venv" / "pyvenv.cfg").write_text(settings)
        self.packages.mkdir(parents=True, exist_ok=True)

    def install_packages(self) -> None:
        """Install wheels for the emulated machine, by this one's pip."""
        needed = [*requirements("build"), *requirements("test"), "pip"]
        programs = ("cmake", "ninja")  # this machine's
        needed = [each for each in needed if not each.startswith(programs)]
        list_of_needed = "\n".join(needed)
        done = self.directory / "packages.txt"
        if done.exists() and done.read_text() == list_of_needed:
            return
        shutil.rmtree(self.packages)
        target = ("--target", self.packages, "--python-version", self.version)
        options = ("--quiet", "--no-compile", "--no-warn-conflicts", "--only-binary=:all:")
        platforms = [word for each in (*PLATFORMS, "any") for word in ("--platform", each)]
        run([sys.executable, "-m", "pip", "install", *options, *target, *platforms, *needed])
        done.write_text(list_of_needed)

    def write_compilers(self) -> Path:
        """Write programs with a compiler's names that compile for the emulated machine."""
        programs = self.directory / "bin"
        for name in ("c++", "g++"):
            write_program(programs / name, COMPILER.format("aarch64-linux-gnu-g++"))
        if clang := shutil.which("clang++"):
            write_program(
                programs / "clang++", COMPILER.format(f"{clang} --target=aarch64-linux-gnu")
            )
        for name in ("nm", "objdump", "readelf", "strip"):
            write_program(programs / name, f'#!/bin/sh\nexec aarch64-linux-gnu-{name} "$@"\n')
        return programs

    def cmake_options(self) -> list[str]:
        """CMake's options for a build on this machine."""
        include = self.system / "usr" / "include" / f"python{self.version}"
        return [
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
            f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(self.emulator)}",
            f"-DPython_INCLUDE_DIR={include}",
            f"-DPython_NumPy_INCLUDE_DIR={self.packages / 'numpy' / '_core' / 'include'}",
            "-DNPP_BUILD_TESTS=ON",
        ]


def find_programs() -> None:
    """End this program where it lacks others."""
    missing = sorted({PROGRAMS[name] for name in PROGRAMS if not shutil.which(name)})
    if missing:
        raise SystemExit(f"the tests on aarch64 need {', '.join(missing)}: apt install "
                         f"{' '.join(missing)}")  # fmt: skip


def test(machine: Machine, arguments: Sequence[str]) -> None:
    """Build the package, run all tests, and end the program where some fail."""
    path = f"{machine.write_compilers()}{os.pathsep}{os.environ['PATH']}"
    variables = {"PATH": path, "PYTHONSAFEPATH": "1"}
    install = ("-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps")
    run(
        [machine.python, *install, "--force-reinstall", ROOT],
        NUMPY_PLUGIN_BUILD_DIR=str(machine.build),
        CMAKE_ARGS=shlex.join(machine.cmake_options()),
        **variables,
    )
    nvrtc = "from numpy_plugin import _core; print(_core.nvrtc_info()['path'])"
    found = subprocess.run(
        [machine.python, "-c", nvrtc], capture_output=True, text=True, check=True
    )
    # Not by ctest, which would start an emulator for each test.
    chosen = ("--gtest_brief=1", f"--gtest_filter=-{':'.join(NOT_EMULATED)}")
    programs = sorted((machine.build / "tests" / "cpp").glob("*_tests"))
    commands: list[list[str | Path]] = [[*machine.emulator, each, *chosen] for each in programs]
    left_out = [f"--deselect=tests/python/{each}" for each in NOT_TRIED]
    commands.append([machine.python, "-m", "pytest", *left_out, *arguments])
    environment = os.environ | variables | {"NUMPY_PLUGIN_TEST_NVRTC": found.stdout.strip()}
    failed = [subprocess.run(each, cwd=ROOT, env=environment).returncode for each in commands]
    raise SystemExit(any(failed))


def main() -> None:
    """Read the command line."""
    given, arguments = sys.argv[1:], []
    if "--" in given:
        end = given.index("--")
        given, arguments = given[:end], given[end + 1 :]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    machine = Machine(parser.parse_args(given).directory.resolve())
    find_programs()
    machine.make_system()
    machine.make_python()
    machine.install_packages()
    test(machine, arguments)


if __name__ == "__main__":
    main()
