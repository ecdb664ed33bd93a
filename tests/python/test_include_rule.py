"""The rules of tools/check_layout.py hold here, and the checker finds what breaks them."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_checker():
    specification = importlib.util.spec_from_file_location(
        "check_layout", ROOT / "tools" / "check_layout.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


check_layout = load_checker()


def tree(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return tmp_path


def test_this_tree_keeps_every_rule():
    assert check_layout.violations(ROOT) == []


def test_the_walk_sees_this_tree():
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders >= {"base", "declare", "emit", "jit", "load", "run", "ufunc"}
    assert list((ROOT / "templates").rglob("*.hpp"))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "src/base/file.cpp",
            '#include "numpy_plugin/emit/emit.hpp"\n',
            "src/base/file.cpp:1: base includes numpy_plugin/emit/emit.hpp, and emit sorts after",
        ),
        (
            "src/jit/nvrtc.hpp",
            '#pragma once\n#  include "numpy_plugin/load/module.hpp"\n',
            "src/jit/nvrtc.hpp:2: jit includes numpy_plugin/load/module.hpp",
        ),
        (
            "src/sim/decode/decode.cpp",
            '#include "numpy_plugin/sim/execute/warp.hpp"\n',
            "sim/decode includes numpy_plugin/sim/execute/warp.hpp, and sim/execute sorts after",
        ),
        ("src/run/call.cpp", "#include <Python.h>\n", "src/run/call.cpp:1: Python.h is for ufunc"),
        (
            "src/run/call.cpp",
            "#include <numpy/ndarraytypes.h>\n",
            "src/run/call.cpp:1: numpy/ndarraytypes.h is for ufunc",
        ),
        ("src/emit/a.cpp", '#include "nanobind/nanobind.h"\n', "nanobind/nanobind.h is for ufunc"),
        ("src/emit/a.cpp", "#include <cuda.h>\n", "cuda.h is for load, run, sim, not for emit"),
        ("src/emit/a.cpp", '#include "emit.hpp"\n', '"emit.hpp" is not of the form'),
        ("templates/numpy_plugin/a.hpp", "#include <cmath>\n", "<cmath> in a template"),
        ("numpy_plugin/long.py", "pass\n" * 601, "numpy_plugin/long.py:601: 601 lines"),
        ("tests/cpp/base/long_test.cpp", "//\n" * 700, "700 lines; a file has at most 600"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, name, text, expected):
    found = check_layout.violations(tree(tmp_path, name, text))
    assert len(found) >= 1
    assert expected in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/emit/a.cpp", '#include "numpy_plugin/emit/emit.hpp"\n#include <vector>\n'),
        ("src/emit/a.cpp", '#include "numpy_plugin/base/dtype.hpp"\n'),
        ("src/ufunc/a.cpp", "#include <Python.h>\n#include <numpy/ufuncobject.h>\n"),
        (
            "src/emit/a.cpp",
            '// #include "numpy_plugin/ufunc/loops.hpp"\n',
        ),
        ("templates/numpy_plugin/ops.hpp", '#include "numpy_plugin/prelude.hpp"\n'),
        ("numpy_plugin/long.py", "pass\n" * 600),
        ("src/README.md", "line\n" * 700),
    ],
)
def test_an_allowed_file_passes(tmp_path, name, text):
    assert check_layout.violations(tree(tmp_path, name, text)) == []
