"""What an installation holds, and what importing it does."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from machines.fresh_process import end_of

import numpy_plugin
from numpy_plugin import _core

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(numpy_plugin.__file__).parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def in_fresh_process(program, **environment):
    """What a program prints as JSON, run where the source tree is not on sys.path."""
    result = end_of(program, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_versions_agree():
    assert numpy_plugin.__version__ == PROJECT["version"]
    assert importlib.metadata.version("numpy_plugin") == PROJECT["version"]


def test_every_package_of_the_tree_is_installed():
    directories = [path.parent for path in (ROOT / "numpy_plugin").rglob("__init__.py")]
    names = [".".join(directory.relative_to(ROOT).parts) for directory in directories]
    assert sorted(PYPROJECT["tool"]["setuptools"]["packages"]) == sorted(names)


def test_types_travel_with_the_package():
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_core.pyi").exists()


def test_built_modules_find_their_library():
    assert (PACKAGE / "libnumpy_plugin_built_module.a").exists()


def test_the_stub_names_all_of_the_extension():
    stub = (PACKAGE / "_core.pyi").read_text(encoding="utf-8")
    names = [name for name in dir(_core) if not name.startswith("_")]
    assert names
    missing = [
        name for name in names if not re.search(rf"^(def|class) {name}\b|^{name}\b", stub, re.M)
    ]
    assert missing == []


@pytest.mark.parametrize("extra", ["cuda", "demo", "test", "bench", "ecosystem", "lint"])
def test_extras_are_declared(extra):
    assert extra in importlib.metadata.metadata("numpy_plugin").get_all("Provides-Extra")


def test_numpy_is_the_only_requirement_without_an_extra():
    required = importlib.metadata.requires("numpy_plugin")
    plain = [text for text in required if "extra ==" not in text]
    assert [re.match(r"[\w-]+", text)[0] for text in plain] == ["numpy"]


def test_every_public_name_is_there():
    for name in numpy_plugin.__all__:
        assert hasattr(numpy_plugin, name), name


def test_import_opens_no_cuda_library():
    maps = in_fresh_process(
        "import json, numpy_plugin; print(json.dumps(open('/proc/self/maps').read()))"
    )
    assert "_core" in maps
    assert "libcuda" not in maps
    assert "libnvrtc" not in maps


def test_import_brings_no_other_package():
    packages = in_fresh_process(
        "import json, sys, numpy, numpy_plugin\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    assert "numpy_plugin" in packages
    for heavy in ("scipy", "rich", "numba", "argparse", "subprocess", "cuda", "ml_dtypes"):
        assert heavy not in packages


def test_import_starts_no_thread_and_writes_no_file(tmp_path):
    n_threads = in_fresh_process(
        "import json, os, numpy\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "import numpy_plugin\n"
        "print(json.dumps(len(os.listdir('/proc/self/task')) - before))",
        NUMPY_PLUGIN_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert n_threads == 0
    assert list(tmp_path.iterdir()) == []


def test_a_ufunc_is_numpys():
    f = numpy_plugin.vectorize(["float64(float64)"], name="f", args="x", body="return 2 * x;")
    assert type(f) is np.ufunc


def requirements_tool(*words):
    return subprocess.run(
        [sys.executable, str(ROOT / "tools" / "requirements.py"), *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_requirements_tool_prints_an_extra():
    result = requirements_tool("lint")
    assert result.stdout.split() == PROJECT["optional-dependencies"]["lint"]


def test_requirements_tool_prints_the_extras_that_an_extra_names():
    result = requirements_tool("test")
    extras = PROJECT["optional-dependencies"]
    demo = [*extras["cuda13"], *extras["plot"], "numba", "rich", "scipy"]
    expected = [*demo, *extras["cuda12"], *extras["compiler"]]
    assert result.stdout.splitlines() == [*expected, *extras["test"][1:]]


def test_requirements_tool_refuses_an_unknown_extra():
    result = requirements_tool("moon")
    assert result.returncode == 1
    assert "no extra 'moon'; expected build or one of cuda" in result.stderr


def make_plan(*words):
    # Without the variables of a `make` that runs the tests.
    variables = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    result = subprocess.run(
        ["make", "-n", *words],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_make_test_runs_both_suites():
    plan = make_plan("test")
    assert "ctest --test-dir build/make" in plan
    assert "pytest" in plan


def test_make_test_pythons_links_all_with_the_build_of_make_test():
    plan = make_plan("test-pythons", "PYTHONS=python3.12 /opt/python3.13", "TESTS=-x some/tests")
    (command,) = [line for line in plan.splitlines() if "test_pythons.py" in line]
    words = command.split()
    assert words[2:4] == ["build/make", "build/pythons"]
    assert [word.rpartition("==")[2] for word in words[4:6]] == ["2.2.0", "2.4.*"]
    assert words[6:] == ["python3.12", "/opt/python3.13", "--", "-x", "some/tests"]


def test_make_wheel_installs_what_its_tests_need(tmp_path):
    plan = make_plan("wheel", f"VENV={tmp_path / 'venv'}")
    steps = ["-m venv", "tools/requirements.py test", "test_wheels.py"]
    assert [step for step in steps if step in plan] == steps
    assert sorted(steps, key=plan.index) == steps


def test_make_help_lists_every_target():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {line.split()[0] for line in listed.stdout.splitlines()}
    assert names >= {
        "demo",
        "test",
        "test-slow",
        "lint",
        "format",
        "docs",
        "docs-links",
        "bench",
        "asan",
        "ubsan",
        "tsan",
    }


def test_a_build_without_a_compiler_says_what_it_needs(tmp_path):
    pytest.importorskip("cmake")
    hidden = {"CC", "CXX", "CMAKE_ARGS"}
    result = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", f"--build-lib={tmp_path}"],
        cwd=ROOT,
        env={
            **{key: text for key, text in os.environ.items() if key not in hidden},
            "PATH": str(Path(sys.executable).parent),
            "NUMPY_PLUGIN_BUILD_DIR": str(tmp_path / "build"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "No CMAKE_CXX_COMPILER could be found" in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("error: ") and "needs a C++20 compiler" in last
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_two_isolated_installs_in_one_tree(tmp_path):
    environment = {**os.environ, "NUMPY_PLUGIN_BUILD_DIR": str(tmp_path / "build")}
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    for _ in range(2):
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "."], cwd=ROOT, env=environment, check=True
        )
    program = (
        "import numpy_plugin as npp\n"
        "f = npp.vectorize(['float64(float64)'], name='f', args='x', body='return 2 * x;')\n"
        "print(f(21.0))"
    )
    result = subprocess.run(
        [python, "-P", "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "42.0\n"
