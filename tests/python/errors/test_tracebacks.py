"""Tracebacks end at the user's own line: no frame of this package is in them."""

import pickle
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from kernel_source import define

import numpy_plugin as npp
from numpy_plugin import cuda

PACKAGE = str(Path(npp.__file__).parent)

SOURCE = """
def shift(x):
    return x << 1

def mixed(x, n):
    return x * n

@npp.device
def quotient(a, b):
    return a / b

def divide(x):
    return quotient(x, 0)
"""
KERNELS = define(SOURCE, "wrong.py")
LAZY = npp.vectorize(KERNELS["shift"])
KERNEL = cuda.kernel(KERNELS["shift"])
ADD = npp.vectorize(["float64(float64)"], name="add_one", args="x", body="return x + 1;")


def warn_as_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        npp.vectorize(["float32(float32, int32)"])(KERNELS["mixed"])


def on_a_device(wrong) -> None:
    with cuda.simulator():
        wrong(cuda.to_device(np.ones(3)))


WRONG = {
    "decorator": lambda: npp.vectorize(["float32(float32)"])(KERNELS["shift"]),
    "bare": lambda: npp.vectorize(3),
    "first call": lambda: LAZY(np.float32(1)),
    "no such loop": lambda: ADD("a"),
    "signature": lambda: npp.vectorize(["flaot32(float32)"])(KERNELS["shift"]),
    "signature and body": lambda: npp.vectorize(["flaot32(float32)"], args="x", body="return x;"),
    "keyword": lambda: npp.vectorize(["float32(float32)"], targte="cuda"),
    "target": lambda: npp.vectorize(["f->f"], target="gpuu", args="x", body="return x;"),
    "body": lambda: npp.vectorize(["float32(float32)"], args="x", body="return xx;"),
    "layout": lambda: npp.guvectorize(["void(f8[:], f8[:])"], "(n)(n)")(KERNELS["shift"]),
    "no layout": lambda: npp.guvectorize(["void(float64[:], float64[:])"]),
    "fuse": lambda: npp.fuse(lambda x: x << 1.0, signatures=["float32(float32)"]),
    "compose": lambda: npp.compose(np.sin),
    "device": lambda: npp.device(3),
    "declare_device": lambda: npp.declare_device("f", "int32(int32)"),
    "missing file": lambda: npp.declare_device("f", "int32(int32)", source="nowhere.cu"),
    "kernel": lambda: cuda.kernel(KERNELS["shift"], "void(float32)"),
    "kernel decorator": lambda: cuda.kernel("void(float32)")(KERNELS["shift"]),
    "launch": lambda: on_a_device(lambda _: KERNEL[1, 1](np.ones(3))),
    "operator": lambda: on_a_device(lambda a: a + "x"),
    "method": lambda: on_a_device(lambda a: np.add.at(a, [99], 1)),
    "index": lambda: on_a_device(lambda a: a[5]),
    "copy": lambda: on_a_device(lambda a: a.copy_to_host(np.ones(7))),
    "shapes": lambda: on_a_device(lambda a: ADD(a, out=cuda.empty(7))),
    "no grid": lambda: KERNEL(1),
    "grid": lambda: KERNEL[1],
    "forall": lambda: KERNEL.forall("a"),
    "specialize": lambda: KERNEL.specialize(np.float32(1)),
    "untyped": lambda: cuda.kernel(KERNELS["shift"]).ptx,
    "type": lambda: npp.float32[1],
    "simulator": lambda: cuda.simulator(memory="much"),
    "faults": lambda: cuda.Faults(launch=0),
    "array": lambda: cuda.zeros(3, dtype="U"),
    "stream": lambda: cuda.to_device(np.ones(3), stream=7),
    "name": lambda: cuda.jit,
    "in kernels only": lambda: cuda.syncthreads(),
    "atomic": lambda: cuda.atomic.add(1, 2, 3),
    "local array": lambda: npp.local_array(3, npp.float32),
    "shared array": lambda: cuda.shared.array(3, npp.float32),
    "constant array": lambda: cuda.const.array_like(1),
    "inspect": lambda: npp.inspect(np.frompyfunc(len, 1, 1)),
    "inspect source": lambda: npp.inspect(ADD).source("gpu"),
    "explain": lambda: npp.inspect(ADD).explain(1.0, out=None),
    "profile": lambda: npp.inspect(ADD).profile(1.0, out=None),
    "profile of a launch": lambda: KERNEL[1, 1].profile(),
    "pickle": lambda: pickle.loads(pickle.dumps(ADD).replace(npp.__version__.encode(), b"9.9.9")),
    "warning": warn_as_error,
}


def entries(error: BaseException) -> list[str]:
    chain: BaseException | None = error
    found = []
    while chain is not None:
        found += [frame.filename for frame in traceback.extract_tb(chain.__traceback__)]
        chain = chain.__cause__ or (None if chain.__suppress_context__ else chain.__context__)
    return found


@pytest.mark.parametrize("name", WRONG)
def test_no_frame_is_ours(name):
    with pytest.raises(Exception) as caught:
        WRONG[name]()
    files = entries(caught.value)
    assert __file__ in files
    assert not [file for file in files if file.startswith(PACKAGE)]
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_the_frames_of_a_device_function_that_python_runs_are_the_persons():
    with pytest.raises(ZeroDivisionError) as caught:
        KERNELS["divide"](1)
    assert entries(caught.value) == [__file__, "wrong.py", "wrong.py"]


def test_the_frames_of_a_bug_of_ours_are_shown(monkeypatch):
    names = {"__package__": "numpy_plugin._frontend"}
    exec(compile("def broken(signatures):\n    assert not signatures", "ours.py", "exec"), names)
    monkeypatch.setattr("numpy_plugin._frontend.declare.signature_list", names["broken"])
    with pytest.raises(AssertionError) as caught:
        npp.vectorize(["float32(float32)"])
    assert entries(caught.value)[-1] == "ours.py"
    assert [file for file in entries(caught.value) if file.startswith(PACKAGE)]


PROGRAM = """\
import numpy_plugin as npp

@npp.vectorize(["float32(float32, float32)"])
def f(x, y):
    return x << 1
"""


def test_a_program_ends_with_its_own_lines(tmp_path):
    file = tmp_path / "pdf.py"
    file.write_text(PROGRAM)
    ran = subprocess.run([sys.executable, "-P", file], capture_output=True, text=True)
    lines = ran.stderr.splitlines()
    assert ran.returncode == 1
    assert lines[:3] == [
        "Traceback (most recent call last):",
        f'  File "{file}", line 3, in <module>',
        '    @npp.vectorize(["float32(float32, float32)"])',
    ]
    assert [line for line in lines[3:] if line.strip("^~ ")] == [
        "numpy_plugin.KernelError: '<<' needs integers, x is float32",
        f'  File "{file}", line 5, in f',
        "    return x << 1",
        "  hint: x * 2, or int(x) << 1",
    ]


TEST = """\
import numpy_plugin as npp

def test_f():
    @npp.vectorize(["float32(float32, float32)"])
    def f(x, y):
        return x << 1
"""


def test_pytest_shows_the_persons_lines_alone(tmp_path):
    file = tmp_path / "test_pdf.py"
    file.write_text(TEST)
    arguments = ["-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", file]
    ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert PACKAGE not in ran.stdout
    assert "FAILED test_pdf.py::test_f - numpy_plugin.KernelError: '<<' needs" in ran.stdout
