"""`python -m numpy_plugin check` of directories, whose modules import from each other."""

import json
import textwrap

import pytest

from numpy_plugin.__main__ import main
from numpy_plugin._check.modules import Modules
from numpy_plugin._check.program import read_program
from numpy_plugin._commands.check import check

FILES = {
    "package/__init__.py": "from .types import signatures\n",
    "package/types.py": """
        import math
        from collections import namedtuple
        from types import SimpleNamespace

        import numpy as np
        from numba import float64, guvectorize, njit

        signatures = [float64(float64, float64)]
        ROOT = np.sqrt(2.0)
        SIZES = {"a": 3}
        P = SimpleNamespace(k=2.0)
        Point = namedtuple("Point", "x y")
        ORIGIN = Point(1, 2.0)
        _hidden = 1

        @njit
        def area(r):
            return math.pi * r * r

        def make():
            raise SystemExit
    """,
    "package/circle.py": "from .circle import A\n",
    "package/kernels/__init__.py": "",
    "package/kernels/all.py": """
        import package.types
        from package import signatures
        from ..types import *
        from ..types import ROOT as R, guvectorize as gu, make
        from .. import types as t
        from ..circle import A
        from numba import cuda, vectorize
        import elsewhere

        @vectorize(signatures)
        def imported(x, y):
            return area(x) * R + t.ROOT + P.k + package.types.ROOT * ORIGIN.y + y

        @gu([(float64[:], float64[:])], "(n)->(n)")
        def through_a_module(x, out):
            for i in range(ORIGIN.x):
                out[i] = x[i]

        @vectorize([SIZES["b"]])
        def without_a_key(x):
            return x

        @vectorize(signatures)
        def hidden(x, y):
            return x + _hidden

        @vectorize(make())
        def made(x):
            return x

        @vectorize(signatures)
        def of_a_circle(x, y):
            return x + A

        @vectorize(signatures)
        def of_others(x, y):
            return x + elsewhere.N
    """,
    "src/inner/kernel.py": "N = 3\n",
    "tests/run.py": """
        from numba import vectorize
        from inner.kernel import N

        @vectorize(["float64(float64)"])
        def f(x):
            return x + N
    """,
    ".hidden/kernel.py": "from numba import nothing\n",
    "empty.py": "x = 1\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    root = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text).lstrip())
    return root


@pytest.fixture(scope="module")
def kernels(project):
    found = check(read_program(project / "package/kernels/all.py", Modules()))
    return {each["name"]: each for each in found["kernels"]}


@pytest.mark.parametrize(
    ("name", "outcome", "why"),
    [
        ("imported", "works", ""),
        ("through_a_module", "works", ""),
        ("without_a_key", "can't", "KeyError: 'b'"),
        ("hidden", "can't", "line 25: unknown name '_hidden'"),
        ("made", "not checked", "line 27 calls 'make'"),
        (
            "of_a_circle",
            "not checked",
            "'A' is imported in line 6: 'A' is imported in line 1: 'A' is imported in line 1 from "
            "itself",
        ),
        (
            "of_others",
            "not checked",
            "'elsewhere' is imported in line 8: elsewhere is not read",
        ),
    ],
)
def test_modules_of_the_program_are_read(kernels, name, outcome, why):
    found = kernels[name]
    assert (found["outcome"], found["why"]) == (outcome, why)


def test_directories_and_a_summary(project, capsys):
    assert main(["check", str(project)]) == 1
    printed = capsys.readouterr().out
    assert "empty.py" not in printed
    assert ".hidden" not in printed
    assert printed.splitlines()[-1] == (
        "8 kernels found; 3 work, with the changes above; 2 can't; 3 not checked"
    )


@pytest.mark.parametrize(
    ("paths", "status", "last"),
    [
        (["tests"], 0, "1 kernels found; 1 work, with the changes above; 0 can't; 0 not checked"),
        (["tests", "empty.py"], 0, "1 kernels found"),
        (["src"], 0, "0 kernels found"),
        (["tests", "missing.py"], 2, "1 files not read"),
        (["tests", "package", "missing.py"], 1, "1 files not read"),
    ],
)
def test_statuses(project, capsys, paths, status, last):
    assert main(["check", *(str(project / path) for path in paths)]) == status
    assert last in capsys.readouterr().out.splitlines()[-1]


def test_json_of_a_directory(project, capsys):
    assert main(["check", "--json", str(project / "tests")]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["file"].endswith("run.py")
