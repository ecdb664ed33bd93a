"""The sdist: it has what git has, nothing that a build leaves behind, and it builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Files useful only in a checkout.
NOT_SENT = {".gitignore", ".ci/run", ".github/workflows/wheels.yml"}
BUILD_SDIST = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"


def tracked_files() -> list[str]:
    found = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode != 0:
        pytest.skip("the tests are not run from a git checkout")
    return [name for name in found.stdout.split("\0") if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def tracked():
    return tracked_files()


@pytest.fixture(scope="module")
def sdist(tmp_path_factory, tracked):
    """The sdist of a tree in which somebody has built and run something."""
    pytest.importorskip("setuptools", minversion="77")
    tree = tmp_path_factory.mktemp("sdist") / "tree"
    left_behind = [
        "build/make/CMakeCache.txt",
        "numpy_plugin/_core.cpython-311-x86_64-linux-gnu.so",
        "numpy_plugin/_core.pyi",
        "numpy_plugin/libnumpy_plugin_built_module.a",
        "tests/python/__pycache__/conftest.cpython-311.pyc",
    ]
    for name in [*tracked, *left_behind]:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name in left_behind:
            path.write_text("left behind")
        else:
            shutil.copy(ROOT / name, path)
    made = subprocess.run(
        [sys.executable, "-c", BUILD_SDIST, str(tree / "dist")],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    (archive,) = (tree / "dist").iterdir()
    return archive


def test_it_has_what_git_has(sdist, tracked):
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    made = {name for name in names if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    assert sorted(names - made) == sorted(set(tracked) - NOT_SENT)


@pytest.mark.slow
def test_an_empty_environment_builds_a_wheel_of_it(sdist, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    for arguments in (
        ["wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(sdist)],
        ["install", "--quiet", "--find-links", str(tmp_path), "numpy_plugin"],
    ):
        subprocess.run([python, "-m", "pip", *arguments], cwd=tmp_path, env=environment, check=True)
    program = (
        "import numpy_plugin as npp\n"
        "f = npp.vectorize(['float64(float64)'], name='f', args='x', body='return 2 * x;')\n"
        "print(f(21.0))"
    )
    used = subprocess.run(
        [python, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert used.stdout == "42.0\n"
