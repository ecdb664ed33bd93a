"""The folder to carry: the package for another Python, the tests, the benchmarks and the checks."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What a machine takes with one command.
MOST_BYTES = 64 << 20
COMPILED = shutil.ignore_patterns("__pycache__")
#: Parts of the checks that only the machine with a network runs.
STAYS = shutil.ignore_patterns("__pycache__", "prepare.py", "report.py")
#: Tests whose subject is the repository.
NO_TESTS = shutil.ignore_patterns("__pycache__", "repository")

__all__ = ["MOST_BYTES", "make_folder", "prepare"]


def prepare(folder: Path, python: str, core: Path) -> None:
    """Make the folder for an interpreter, such as "python3.12", with a build of `make test`."""
    sys.path.insert(0, str(ROOT / "tools"))
    from test_pythons import make_wheel, output

    tag = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
    built = ROOT / "build" / "pythons" / output([python, "-c", tag])
    wheel = make_wheel(python, core.resolve(), built)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "unpacked")
    make_folder(folder, built / "unpacked" / "numpy_plugin")
    shutil.rmtree(built / "unpacked")
    print(
        f"{folder}: {wheel.name}, {size_of(folder) / 2**20:.1f} MiB; bash {folder}/run.sh RESULTS"
    )
    print(simulator_levels(core))


def make_folder(folder: Path, package: Path) -> None:
    """Fill the folder, with the package of a directory."""
    shutil.rmtree(folder, ignore_errors=True)
    packages = folder / "packages"
    shutil.copytree(package, packages / "numpy_plugin", ignore=COMPILED)
    shutil.copytree(ROOT / "tools" / "gpu_check", packages / "gpu_check", ignore=STAYS)
    shutil.copytree(ROOT / "tests" / "python", folder / "tests" / "python", ignore=NO_TESTS)
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=COMPILED)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for table in ROOT.glob("src/**/*.def"):  # that tests read
        (folder / table.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(table, folder / table.relative_to(ROOT))
    shutil.move(packages / "gpu_check" / "run.sh", folder / "run.sh")
    if size_of(folder) > MOST_BYTES:
        raise SystemExit(
            f"{folder} has {size_of(folder):,} bytes; a folder to carry has at most 64 MiB"
        )


def size_of(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def simulator_levels(core: Path) -> str:
    """Say which processors the simulator is built for, without which half of the probes fail."""
    lines = (core / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
    (levels,) = [line.partition("=")[2] for line in lines if line.startswith("NPP_SIM_LEVELS:")]
    if levels != "native":
        return f"the simulator is built for: {levels}"
    every = "--core DIRECTORY of `tools/wheels.py core DIRECTORY` is for every processor"
    return f"the simulator is built for processors like this machine's; {every}"
