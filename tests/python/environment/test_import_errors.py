"""Imports that fail: an old NumPy, no extension for this Python, an old C library, no build."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import numpy_plugin
from numpy_plugin import _core, _requirements

ROOT = Path(__file__).resolve().parents[3]
EXTENSION = f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"


@pytest.fixture
def package(tmp_path):
    """The package's Python files in a directory of their own, without the extension."""
    source = Path(numpy_plugin.__file__).parent
    copy = tmp_path / "installed" / "numpy_plugin"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("_core.*", "*.so", "__pycache__"))
    return copy


def import_error(package, *first, python=sys.executable):
    """The last line that an import of a package prints, with directories `first` on sys.path."""
    path = os.pathsep.join(map(str, [*first, package.parent]))
    child = subprocess.run(
        [python, "-P", "-c", "import numpy_plugin"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 1, child.stderr
    return child.stderr.splitlines()[-1]


def test_an_old_numpy(package, tmp_path):
    fake = tmp_path / "old" / "numpy"
    fake.mkdir(parents=True)
    (fake / "__init__.py").write_text("__version__ = '1.26.4'\n")
    assert import_error(package, fake.parent) == (
        "ImportError: numpy_plugin requires NumPy 2.2 or newer, and found NumPy 1.26.4 in "
        f"{fake}; pip install --upgrade numpy"
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="NumPy 1.26 has no wheel for this Python")
def test_an_installed_old_numpy(package, tmp_path):
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy==1.26.4"], check=True)
    message = import_error(package, python=python)
    assert "requires NumPy 2.2 or newer, and found NumPy 1.26.4 in " in message
    assert str(environment) in message


def test_no_numpy(package, tmp_path):
    fake = tmp_path / "without"
    fake.mkdir()
    (fake / "numpy.py").write_text("raise ModuleNotFoundError('No module named x', name='numpy')")
    assert import_error(package, fake) == (
        "ImportError: numpy_plugin requires NumPy 2.2 or newer, and found none; pip install numpy"
    )


def test_the_oldest_numpy_is_that_of_the_metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = ".".join(map(str, _requirements._NUMPY))
    assert f"numpy>={oldest}" in project["dependencies"]


def test_an_extension_of_another_python(package):
    (package / "_core.cpython-39-x86_64-linux-gnu.so").touch()
    message = import_error(package)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"numpy_plugin in {package} was not built for this Python {version}" in message
    assert f"expected {EXTENSION}, and found _core.cpython-39-x86_64-linux-gnu.so" in message
    assert "pip install --force-reinstall numpy_plugin" in message


def test_no_extension(package):
    assert f"expected {EXTENSION}, and found no extension" in import_error(package)


def test_a_source_tree_that_is_not_built(package):
    (package.parent / "CMakeLists.txt").touch()
    message = import_error(package)
    assert f"{package} is numpy_plugin's source, which has not been built" in message
    assert "run make" in message and "python with -P" in message


def test_an_old_c_library(package):
    bytes_ = Path(_core.__file__).read_bytes()
    newest = max(re.findall(rb"GLIBC_2\.\d\d(?=\0)", bytes_), key=lambda each: int(each[8:]))
    (package / EXTENSION).write_bytes(bytes_.replace(newest + b"\0", b"GLIBC_2.99\0"))
    message = import_error(package)
    assert f"extension {EXTENSION} was built for a newer system than this one" in message
    assert "which has glibc 2." in message
    assert "version `GLIBC_2.99' not found" in message


def test_a_damaged_extension(package):
    (package / EXTENSION).write_bytes(b"damaged")
    message = import_error(package)
    assert f"numpy_plugin's extension {EXTENSION} can't be loaded: " in message
    assert "file too short" in message or "ELF" in message
