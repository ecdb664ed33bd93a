"""A built module, and programs that use it where this package and compilers are missing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from numpy_plugin import _core, build

DECLARATIONS = Path(__file__).with_name("declared_ufuncs.py")

# Imports fail as where the package is not installed.
HEAD = """
import json, pickle, sys, warnings
import numpy as np
sys.modules["numpy_plugin"] = None
import {module} as built
def show(value):
    print(json.dumps(value))
"""


@pytest.fixture(scope="session")
def built_directory(tmp_path_factory):
    """The directory of a built module of one level."""
    directory = tmp_path_factory.mktemp("built")
    build.build(DECLARATIONS, directory / "some_ufuncs", levels=_core.cpu_levels()[:1])
    return directory


@pytest.fixture
def run(built_directory, tmp_path):
    """What a program shows that uses the built module without this package and compilers."""

    def run_program(program, module="some_ufuncs"):
        text = HEAD.format(module=module) + program
        done = subprocess.run(
            [sys.executable, "-P", "-c", text],
            env={"PATH": str(tmp_path), "PYTHONPATH": str(built_directory), "HOME": os.devnull},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run_program
