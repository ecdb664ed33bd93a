"""The meson.build of docs/how_to/shipping.md makes the wheel of examples/library/."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / "examples" / "library"
PROJECT = """\
[build-system]
requires = ["meson-python", "numpy_plugin"]
build-backend = "mesonpy"

[project]
name = "orbits"
version = "1.0"
"""
USE = """\
import numpy, orbits
assert type(orbits.eccentric_anomaly) is numpy.ufunc
print(orbits.eccentric_anomaly(1.0, 0.1))
"""

pytestmark = pytest.mark.slow


def run(words, directory, **environment):
    done = subprocess.run(
        [sys.executable, *(str(word) for word in words)],
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_meson_builds_the_library(tmp_path):
    pytest.importorskip("mesonpy", reason="meson-python is not installed")
    tree = tmp_path / "tree"
    shutil.copytree(LIBRARY / "declarations", tree / "declarations")
    shutil.copytree(LIBRARY / "src", tree / "src")
    page = (ROOT / "docs/how_to/shipping.md").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"```meson\n(.*?)```", page, re.DOTALL)
    (tree / "meson.build").write_text(recipe, encoding="utf-8")
    (tree / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    words = ["--no-build-isolation", "--no-deps", "--quiet", "--wheel-dir", "dist", "."]
    # meson and ninja are looked up on the path.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    run(["-m", "pip", "wheel", *words], tree, PYTHONSAFEPATH="1", PATH=path)
    (wheel,) = (tree / "dist").glob("orbits-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
        names = archive.namelist()
    assert {"orbits/__init__.py", "orbits/py.typed", "orbits/_ufuncs.pyi"} <= set(names)
    used = run(["-P", "-c", USE], tmp_path, PYTHONPATH=str(tmp_path / "installed"))
    assert float(used) == pytest.approx(1.0885977523978936, rel=1e-15)
