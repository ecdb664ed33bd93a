"""Run the tests with several interpreters and versions of NumPy, on one build of the core.

`test_pythons.py CORE DIRECTORY PYTHON[==NUMPY]... [-- ARGUMENT...]` links an extension for each
interpreter with the build in CORE, which `make test` makes and which has all that needs no Python,
and runs pytest with the given arguments. An environment in DIRECTORY has the newest NumPy that its
interpreter can have, or the one that is named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from requirements import requirements  # noqa: E402
from wheels import build_wheel, make_tools, run  # noqa: E402


class Run(NamedTuple):
    """One run of the tests: where it is, how it ended, and pytest's last line."""

    name: str
    status: int
    last_line: str


def output(command: Sequence[str | Path]) -> str:
    """Return what a command prints."""
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=True
    ).stdout.strip()


def make_wheel(python: str, core: Path, directory: Path) -> Path:
    """Build an interpreter's wheel, only what has changed."""
    programs = make_tools(directory / "tools", requirements("build"), python)
    return build_wheel(
        str(programs / "python"),
        core,
        directory / "wheel",
        "--no-build-isolation",
        NUMPY_PLUGIN_BUILD_DIR=str(directory / "extension"),
        PATH=f"{programs}{os.pathsep}{os.environ['PATH']}",
    )


def run_pytest(programs: Path, arguments: Sequence[str]) -> Run:
    """Run the tests in an environment, and show what pytest prints."""
    python = programs / "python"
    versions = "import platform, numpy as np; print(platform.python_version(), np.__version__)"
    name = "CPython {}, NumPy {}".format(*output([python, "-c", versions]).split())
    print(f"{name}:", flush=True)
    # Without -P, the source directory would shadow the installed package.
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONSAFEPATH": "1"}
    last_line = ""
    with subprocess.Popen(
        [python, "-m", "pytest", *arguments],
        cwd=ROOT,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        text=True,
    ) as tests:
        assert tests.stdout is not None
        for line in tests.stdout:
            print(line, end="", flush=True)
            last_line = line.strip("= \n") or last_line
    return Run(name, tests.returncode, last_line)


def test(core: Path, directory: Path, pythons: Sequence[str], arguments: Sequence[str]) -> None:
    """Run the tests everywhere, and end the program with their last lines."""
    wheels: dict[Path, Path] = {}
    runs = []
    for text in pythons:
        python, _, numpy = text.partition("==")
        tag = "import sysconfig; print(sysconfig.get_config_var('SOABI'))"
        home = directory / output([python, "-c", tag])
        if home not in wheels:
            wheels[home] = make_wheel(python, core, home)
        needed = [*requirements("test"), f"numpy=={numpy}" if numpy else "numpy"]
        programs = make_tools(home / f"numpy-{numpy or 'newest'}", needed, python)
        install = ("-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall")
        run([programs / "python", *install, wheels[home]])
        runs.append(run_pytest(programs, arguments))
    for each in runs:
        print(f"{each.name}: {each.last_line}")
    raise SystemExit(any(each.status != 0 for each in runs))


def main() -> None:
    """Read the command line."""
    given, arguments = sys.argv[1:], []
    if "--" in given:
        end = given.index("--")
        given, arguments = given[:end], given[end + 1 :]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("core", type=Path)
    parser.add_argument("directory", type=Path)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON[==NUMPY]")
    read = parser.parse_args(given)
    test(read.core.resolve(), read.directory.resolve(), read.pythons, arguments)


if __name__ == "__main__":
    main()
