"""The import of the package loads only what its names need when they are used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from long_runs import in_long_runs
from machines.fresh_process import end_of

import numpy_plugin as npp

PACKAGE = Path(npp.__file__).parent


def modules_after(code):
    """Return the package's modules that a new process has after the code."""
    names = "[name for name in sys.modules if name.startswith('numpy_plugin')]"
    show = f"import json, sys; print(json.dumps({names}))"
    done = end_of(f"{code}\n{show}")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


def test_the_import_loads_no_feature():
    loaded = modules_after("import numpy_plugin")
    assert loaded & {"numpy_plugin.cuda", "numpy_plugin._frontend.declare"} == set()
    assert len(loaded) <= 15, sorted(loaded)


def test_declarations_load_no_devices_and_no_inspection():
    loaded = modules_after("import numpy_plugin\nnumpy_plugin.vectorize, numpy_plugin.guvectorize")
    rooms = {"_inspection", "_kernels", "_reduction", "_benchmark", "_commands", "_check", "_njit"}
    assert {name.split(".")[1] for name in loaded if "." in name} & rooms == set()
    assert "numpy_plugin.cuda" not in loaded
    assert len(loaded) <= 42, sorted(loaded)


MODULES = [
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.stem not in ("__main__", "setuptools_extension")  # which needs setuptools
]


@pytest.mark.parametrize("first", [0, *in_long_runs(1, 2, 3)])
def test_each_module_can_be_imported_first(first):
    code = f"""
import importlib, os, numpy
for name in {MODULES[first::4]}:
    child = os.fork()
    if child == 0:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
    done = end_of(code)
    assert (done.returncode, done.stdout) == (0, "")


def test_all_names_are_found():
    code = "import numpy_plugin as p\nassert [n for n in p.__all__ if getattr(p, n) is None] == []"
    loaded = modules_after(code)
    assert {"numpy_plugin.cuda", "numpy_plugin.random", "numpy_plugin.build"} <= loaded


def test_a_fork_waits_for_the_imports_of_threads():
    code = """
import os, signal, threading
import numpy_plugin
for name in ["vectorize", "cuda", "benchmark"]:
    thread = threading.Thread(target=getattr, args=(numpy_plugin, name))
    thread.start()
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a child that waits for ever
        getattr(numpy_plugin, name)
        os._exit(0)
    print(os.waitpid(child, 0)[1], end=" ")
    thread.join()
"""
    command = [sys.executable, "-W", "ignore", "-P", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "0 0 0 "


def test_imports_of_two_threads_may_need_each_other(tmp_path):
    package = tmp_path / "two_modules"
    package.mkdir()
    (package / "__init__.py").write_text(
        "import threading\n"
        "from numpy_plugin._public_names import imported_on_use\n"
        "begun, ended = threading.Event(), threading.Event()\n"
        "__getattr__, __all__ = imported_on_use(globals())\n"
    )
    (package / "__init__.pyi").write_text(
        "from . import waiting\nfrom .other import end as end_of_other\n"
    )
    (package / "waiting.py").write_text(
        "from two_modules import begun, ended\nbegun.set()\nassert ended.wait(30)\n"
    )
    (package / "other.py").write_text("from two_modules import ended\nended.set()\nend = 1\n")
    code = f"""
import sys, threading
sys.path.insert(0, {str(tmp_path)!r})
import two_modules
thread = threading.Thread(target=lambda: two_modules.waiting)
thread.start()
assert two_modules.begun.wait(30)
print(two_modules.end_of_other, two_modules.__all__)
thread.join()
"""
    done = end_of(code)
    assert (done.stdout, done.stderr) == ("1 ['end_of_other', 'waiting']\n", "")
