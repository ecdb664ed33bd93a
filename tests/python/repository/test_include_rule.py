"""The rules of tools/check_layout.py hold here, and the checker finds what breaks them."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def load_checker():
    specification = importlib.util.spec_from_file_location(
        "check_layout", ROOT / "tools" / "check_layout.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


check_layout = load_checker()


LAYERS = [
    "numpy_plugin/base",
    "numpy_plugin/system",
    "simulator/api",
    "simulator/decode",
    "simulator/execute/run",
    "numpy_plugin/emit/source",
    "numpy_plugin/jit/nvrtc",
    "numpy_plugin/load",
    "numpy_plugin/run/launch",
    "numpy_plugin/ufunc/api",
]


def tree(tmp_path: Path, name: str, text: str) -> Path:
    """A tree in which every room has one source, "a.hpp", and one file more."""
    for room in LAYERS:
        (tmp_path / "src" / room).mkdir(parents=True)
        (tmp_path / "src" / room / "a.hpp").touch()
    (tmp_path / "src" / "LAYERS").write_text("\n".join(LAYERS), encoding="utf-8")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return tmp_path


def test_this_tree_keeps_every_rule():
    assert check_layout.violations(ROOT) == []


def test_the_walk_sees_this_tree():
    layers = (ROOT / "src" / "LAYERS").read_text().split()
    assert {"numpy_plugin/base", "numpy_plugin/kernel", "simulator/decode"} < set(layers)
    assert len(layers) == len(set(layers))
    assert list((ROOT / "templates").rglob("*.hpp"))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "src/numpy_plugin/base/file.cpp",
            '#include "numpy_plugin/emit/source/a.hpp"\n',
            "src/numpy_plugin/base/file.cpp:1: numpy_plugin/base includes "
            "numpy_plugin/emit/source/a.hpp, and numpy_plugin/emit/source comes after it",
        ),
        (
            "src/numpy_plugin/jit/nvrtc/b.hpp",
            '#pragma once\n#  include "numpy_plugin/load/a.hpp"\n',
            "src/numpy_plugin/jit/nvrtc/b.hpp:2: numpy_plugin/jit/nvrtc includes",
        ),
        (
            "src/simulator/decode/decode.cpp",
            '#include "simulator/execute/run/a.hpp"\n',
            "simulator/decode includes simulator/execute/run/a.hpp, and simulator/execute/run ",
        ),
        (
            "src/simulator/decode/decode.cpp",
            '#include "numpy_plugin/jit/nvrtc/a.hpp"\n',
            "numpy_plugin/jit/nvrtc/a.hpp is not for the simulator",
        ),
        (
            "src/numpy_plugin/load/b.cpp",
            '#include "simulator/decode/a.hpp"\n',
            "simulator/decode/a.hpp is for simulator, not for numpy_plugin/load",
        ),
        (
            "src/numpy_plugin/run/launch/call.cpp",
            "#include <Python.h>\n",
            "call.cpp:1: Python.h is for numpy_plugin/ufunc, built_module, not for numpy_plugin",
        ),
        (
            "src/numpy_plugin/run/launch/call.cpp",
            "#include <numpy/ndarraytypes.h>\n",
            "call.cpp:1: numpy/ndarraytypes.h is for numpy_plugin/ufunc",
        ),
        (
            "src/numpy_plugin/emit/source/b.cpp",
            '#include "nanobind/nanobind.h"\n',
            "nanobind/nanobind.h is for numpy_plugin/ufunc",
        ),
        (
            "src/numpy_plugin/emit/source/b.cpp",
            "#include <cuda.h>\n",
            "cuda.h is for numpy_plugin/load, numpy_plugin/run, simulator, not for",
        ),
        (
            "src/numpy_plugin/emit/source/b.cpp",
            '#include "a.hpp"\n',
            '"a.hpp" is not a file of src/',
        ),
        (
            "src/numpy_plugin/emit/source/b.cpp",
            '#include "npp/ops.hpp"\n',
            '"npp/ops.hpp" is not in templates/',
        ),
        (
            "src/numpy_plugin/ufunc/api/b.cpp",
            '// Errors.\nimport_("numpy_plugin._errors.mistake");\n',
            "b.cpp:2: numpy_plugin._errors.mistake is named in C++, not in numpy_plugin/_hooks.py",
        ),
        (
            "src/numpy_plugin/ufunc/api/b.hpp",
            "// As numpy_plugin/_frontend/syntax.py makes it.\n",
            "b.hpp:1: numpy_plugin/_frontend/syntax is named in C++",
        ),
        (
            "src/numpy_plugin/jit/nvrtc/b.cpp",
            "int f() {\n  static const std::string name = make();\n",
            "b.cpp:2: a static that is made at run time",
        ),
        (
            "src/numpy_plugin/system/b.cpp",
            '  static const std::regex kPattern("a+");\n',
            "b.cpp:1: a static that is made at run time",
        ),
        ("src/numpy_plugin/new/b.cpp", "", "src/numpy_plugin/new: not in src/LAYERS"),
        (
            "src/numpy_plugin/emit/source/units/b.cpp",
            '#include "numpy_plugin/load/a.hpp"\n',
            "b.cpp:1: numpy_plugin/emit/source includes numpy_plugin/load/a.hpp, and",
        ),
        ("templates/npp/a.hpp", "#include <cmath>\n", "<cmath> in a template"),
        ("numpy_plugin/long.py", "pass\n" * 601, "numpy_plugin/long.py:601: 601 lines"),
        ("tests/cpp/base/long_test.cpp", "//\n" * 700, "700 lines; a file has at most 600"),
    ],
)
def test_a_broken_rule_is_named(tmp_path, name, text, expected):
    found = check_layout.violations(tree(tmp_path, name, text))
    assert len(found) >= 1
    assert expected in found[0]


def test_modules_that_cpp_names(tmp_path):
    text = (
        'import_("numpy_plugin._hooks"); "numpy_plugin._core.Type"; starts_with("numpy_plugin._")'
    )
    assert check_layout.violations(tree(tmp_path, "src/numpy_plugin/ufunc/api/b.cpp", text)) == []


def test_subdirectories_of_a_room_include_each_other(tmp_path):
    root = tree(
        tmp_path, "src/numpy_plugin/load/one/a.hpp", '#include "numpy_plugin/load/two/a.hpp"\n'
    )
    (root / "src/numpy_plugin/load/two").mkdir()
    (root / "src/numpy_plugin/load/two/a.hpp").write_text(
        '#include "numpy_plugin/load/one/a.hpp"\n#include "numpy_plugin/load/a.hpp"\n',
        encoding="utf-8",
    )
    assert check_layout.violations(root) == []
    (root / "src/LAYERS").write_text(
        "\n".join([*LAYERS, "numpy_plugin/load/two"]), encoding="utf-8"
    )
    assert check_layout.violations(root) == [
        "src/numpy_plugin/load/one/a.hpp:1: numpy_plugin/load includes "
        "numpy_plugin/load/two/a.hpp, and numpy_plugin/load/two comes after it in src/LAYERS"
    ]


def test_a_listed_directory_without_sources_is_named(tmp_path):
    root = tree(tmp_path, "src/README.md", "")
    (root / "src/numpy_plugin/load/a.hpp").unlink()
    assert check_layout.violations(root) == ["src/LAYERS: numpy_plugin/load has no sources"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "src/numpy_plugin/emit/source/b.cpp",
            '#include "numpy_plugin/emit/source/a.hpp"\n#include <vector>\n',
        ),
        ("src/numpy_plugin/emit/source/b.cpp", '#include "numpy_plugin/base/a.hpp"\n'),
        ("src/numpy_plugin/load/b.cpp", '#include "simulator/api/a.hpp"\n'),
        ("src/simulator/decode/b.cpp", '#include "numpy_plugin/system/a.hpp"\n'),
        (
            "src/numpy_plugin/ufunc/api/b.cpp",
            "#include <Python.h>\n#include <numpy/ufuncobject.h>\n",
        ),
        ("src/numpy_plugin/emit/source/b.cpp", '// #include "numpy_plugin/ufunc/api/a.hpp"\n'),
        ("src/numpy_plugin/ufunc/api/b.cpp", "  static PyObject* const name = make();\n"),
        (
            "src/numpy_plugin/load/b.cpp",
            "  static constexpr int kSize = 4;\n  static std::atomic<int> count = 0;\n"
            "  static thread_local std::string text;\n  static int size(int n);\n",
        ),
        ("templates/npp/ops.hpp", '#include "npp/prelude.hpp"\n'),
        ("numpy_plugin/long.py", "pass\n" * 600),
        ("src/README.md", "line\n" * 700),
    ],
)
def test_an_allowed_file_passes(tmp_path, name, text):
    assert check_layout.violations(tree(tmp_path, name, text)) == []
