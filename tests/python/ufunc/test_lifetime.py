"""Nothing is left behind: ufuncs made and dropped, with and without reference cycles."""

import gc
import subprocess
import sys

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp


def make(name="f"):
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 1;", name=name)


def live_ufuncs():
    gc.collect()
    return sum(1 for item in gc.get_objects() if type(item) is np.ufunc)


def test_ufuncs_are_tracked_by_the_collector():
    assert gc.is_tracked(make())


#: In a process of its own: others collect garbage the later, the more objects they have.
DROPPED_UFUNCS = """
import gc, resource, sys
import numpy as np
import numpy_plugin as npp

def make():
    return npp.vectorize(["float64(float64)"], args="x", body="return x + 1;", name="f")

def live_ufuncs():
    gc.collect()
    return sum(1 for item in gc.get_objects() if type(item) is np.ufunc)

def peak_kilobytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

for _ in range(400):  # settle allocators and caches
    make()(1.0)
before, memory = live_ufuncs(), peak_kilobytes()
for i in range(int(sys.argv[1])):
    assert make()(float(i)) == i + 1
print(live_ufuncs() - before, peak_kilobytes() - memory)
"""


@pytest.mark.parametrize("n", [1_500, *in_long_runs(5_000)])
def test_dropped_ufuncs_leave_nothing(n):
    child = subprocess.run(
        [sys.executable, "-c", DROPPED_UFUNCS, str(n)], capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    n_ufuncs, n_kilobytes = map(int, child.stdout.split())
    assert n_ufuncs == 0
    assert n_kilobytes < n  # less than one each


def test_cycles_through_the_dictionary_are_freed():
    before = live_ufuncs()
    for _ in range(200):
        f = make()
        f.__dict__["again"] = f
    del f
    assert live_ufuncs() == before


def test_a_ufunc_lives_as_long_as_its_methods_are_bound():
    reduce = npp.vectorize(["float64(float64, float64)"], args="x, y", body="return x + y;").reduce
    gc.collect()
    assert reduce(np.arange(4.0)) == 6


def test_failed_declarations_leave_nothing():
    before = live_ufuncs()
    for _ in range(50):
        with pytest.raises(npp.CompilerError):
            npp.vectorize(["float64(float64)"], args="x", body="return (x;")
        with pytest.raises(npp.SignatureError):
            npp.vectorize(["flaot64(float64)"], args="x", body="return x;")
    assert live_ufuncs() == before
    assert make()(1.0) == 2.0


def test_what_the_interpreter_keeps_at_its_end_is_not_called_a_leak():
    """As an exception that is kept: with it are its frames, and an array in one of these."""
    program = (
        "import ctypes\nimport numpy as np\nfrom numpy_plugin import cuda\n"
        "with cuda.simulator():\n"
        "    ctypes.pythonapi.Py_IncRef(ctypes.py_object(cuda.to_device(np.ones(3))))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Every class of the extension, used and released.
WHOLE_PROGRAM = """
import numpy as np
import numpy_plugin as npp
from numpy_plugin import _core, cuda

_core.set_leak_warnings(True)

@npp.vectorize(["float64(float64)"])
def f(x):
    return x + 1

lazy = npp.vectorize(lambda x, y: x * y)
with cuda.simulator() as device:
    stream = cuda.Stream()
    x = cuda.to_device(np.ones(3))
    y = f(x, stream=stream)
    start = cuda.Event()
    start.record(stream)
    kernel = cuda.kernel('extern "C" __global__ void k(double* x) { x[0] = 2; }', "k")
    kernel[1, 1](x)
    assert (x.copy_to_host()[0], y.copy_to_host()[0]) == (2, 2)
assert lazy(2, 3.0) == 6
npp.inspect(f).source("cuda")
squares = npp.reduction(lambda x: x * x, lambda a, b: a + b, identity=0)
assert squares(np.ones(3)) == 3
try:
    f("text")
except TypeError as error:
    assert str(error)
"""


KEPT = "import ctypes; ctypes.pythonapi.Py_IncRef(ctypes.py_object(x))"


@pytest.mark.parametrize("kept", ["", KEPT])
def test_a_program_leaves_no_object(kept, nvrtc, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(WHOLE_PROGRAM + kept)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ("leaked" in done.stderr) == bool(kept)
