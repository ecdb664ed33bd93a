"""The library of examples/library/: built as a wheel, installed and tested without this package."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

from numpy_plugin.__main__ import main

LIBRARY = Path(__file__).resolve().parents[3] / "examples" / "library"
# Where the tests of the library find these packages, and no others of this environment.
PACKAGES = (
    "numpy",
    "numpy.libs",
    "pytest",
    "_pytest",
    "pluggy",
    "py.py",
    "iniconfig",
    "packaging",
    "pygments",
)

pytestmark = pytest.mark.slow


def run(command, directory, **environment):
    done = subprocess.run(
        [str(word) for word in command],
        cwd=directory,
        env={**os.environ, "PYTHONSAFEPATH": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The library's wheel, built from a copy of its tree."""
    tree = tmp_path_factory.mktemp("library") / "tree"
    shutil.copytree(LIBRARY, tree)
    words = ["wheel", "--no-build-isolation", "--no-deps", "--quiet", "--wheel-dir", "dist", "."]
    run([sys.executable, "-m", "pip", *words], tree)
    (made,) = (tree / "dist").glob("orbits-*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """The Python of a fresh environment with the library, NumPy and pytest."""
    directory = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(directory, with_pip=False, symlinks=True)
    (packages,) = directory.glob("lib/python3*/site-packages")
    installed = Path(np.__file__).parents[1]
    for name in PACKAGES:
        if (installed / name).exists():
            (packages / name).symlink_to(installed / name)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return directory / "bin" / "python"


def test_the_wheel_has_the_module_and_no_declarations(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("orbits/")]
    assert sorted(name.partition(".")[0] + Path(name).suffix for name in names) == [
        "orbits/__init__.py",
        "orbits/_ufuncs.pyi",
        "orbits/_ufuncs.so",
        "orbits/py.typed",
    ]


def test_this_package_is_missing_there(environment, tmp_path):
    program = "import importlib.util; print(importlib.util.find_spec('numpy_plugin'))"
    assert run([environment, "-c", program], tmp_path).strip() == "None"


def test_the_librarys_own_tests_pass(environment, tmp_path):
    shutil.copytree(LIBRARY / "tests", tmp_path / "tests")
    shown = run([environment, "-m", "pytest", "-q", "tests"], tmp_path, PATH=str(tmp_path))
    assert "7 passed" in shown


def test_sdists_compile_nothing(tmp_path):
    shutil.copytree(LIBRARY, tmp_path / "tree")
    program = "import sys; from setuptools.build_meta import build_sdist; build_sdist('dist')"
    run([sys.executable, "-c", program], tmp_path / "tree", NUMPY_PLUGIN_CXX="/missing")
    (made,) = (tmp_path / "tree" / "dist").iterdir()
    with tarfile.open(made) as archive:
        assert any(name.endswith("/declarations/ufuncs.py") for name in archive.getnames())


def test_the_stub_is_up_to_date(tmp_path, capsys):
    source = LIBRARY / "declarations" / "ufuncs.py"
    assert main(["build", str(source), "-o", str(tmp_path / "_ufuncs"), "--stub"]) == 0
    assert capsys.readouterr().out.startswith("wrote ")
    made = (tmp_path / "_ufuncs.pyi").read_text(encoding="utf-8")
    assert made == (LIBRARY / "src/orbits/_ufuncs.pyi").read_text(encoding="utf-8")
